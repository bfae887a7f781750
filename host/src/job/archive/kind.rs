//! The kind of an archive: told by its first bytes, and by what the client says only where they tell nothing.

use autoscorer_plugin_api::error::ScoreError;

use super::{bad, empty, tarball};

/// The kinds we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveKind {
    /// A tar, as it is.
    Tar,
    /// A tar inside gzip.
    TarGz,
    /// A zip.
    Zip,
}

/// How others begin, so that the answer can name them.
const OTHERS: [(&[u8], &str); 6] = [
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x1f\x9d", "compress (.Z)"),
];

impl ArchiveKind {
    /// The kind of what begins like this. The bytes go before the content type: clients send any type that is the
    /// default of their library.
    pub fn detect(content_type: Option<&str>, first_bytes: &[u8]) -> Result<Self, ScoreError> {
        if first_bytes.is_empty() {
            return Err(empty());
        }
        if let Some(kind) = Self::of_bytes(first_bytes) {
            return Ok(kind);
        }
        let other = OTHERS.iter().find(|(magic, _)| first_bytes.starts_with(magic)).map(|(_, name)| *name);
        match content_type.and_then(Self::of_type) {
            Some(kind) if other.is_none() => Ok(kind),
            _ => Err(bad("the upload is no archive of a kind that is read here")
                .found(other.unwrap_or("something else"))
                .expected("tar, tar.gz or zip")
                .hint("pack the workspace: tar -czf workspace.tar.gz -C WORKSPACE .")),
        }
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if bytes.starts_with(&[0x1f, 0x8b]) {
            Some(Self::TarGz)
        } else if tarball::begins(bytes) {
            Some(Self::Tar)
        } else {
            None
        }
    }

    /// What a content type says, whatever its parameters.
    fn of_type(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/x-tar" | "application/tar" | "application/x-gtar" | "application/x-ustar" => Some(Self::Tar),
            "application/gzip"
            | "application/x-gzip"
            | "application/x-tgz"
            | "application/x-compressed-tar"
            | "application/tar+gzip" => Some(Self::TarGz),
            "application/zip" | "application/x-zip-compressed" | "application/x-zip" => Some(Self::Zip),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_before_the_content_type() {
        let detect = |content_type, bytes: &[u8]| ArchiveKind::detect(content_type, bytes).unwrap();
        assert_eq!(detect(Some("application/x-tar"), b"PK\x03\x04rest"), ArchiveKind::Zip);
        assert_eq!(detect(Some("application/x-www-form-urlencoded"), b"\x1f\x8b\x08"), ArchiveKind::TarGz);
        assert_eq!(detect(None, b"PK\x05\x06"), ArchiveKind::Zip);
        assert_eq!(detect(Some("Application/ZIP; charset=binary"), b"odd"), ArchiveKind::Zip);
        assert_eq!(detect(Some("application/x-tar"), &[0; 512]), ArchiveKind::Tar);
    }

    #[test]
    fn other_kinds_are_named() {
        let refused = |content_type, bytes: &[u8]| ArchiveKind::detect(content_type, bytes).unwrap_err();
        assert_eq!(refused(Some("application/x-tar"), b"BZh91AY").details.found.as_deref(), Some("bzip2"));
        assert_eq!(refused(None, b"{}").details.found.as_deref(), Some("something else"));
        assert_eq!(refused(Some("application/zip"), b"").message, "the archive is empty");
    }
}
