//! Archives of every kind, good, hostile and broken, made in memory.

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use proptest::prelude::*;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::*;

/// A folder with an archive in it, and room for what it becomes.
struct Case {
    folder: TempDir,
    limits: ArchiveLimits,
}

impl Case {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), limits: ArchiveLimits::default() }
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("jobs/one")
    }

    fn unpack(&self, kind: ArchiveKind, archive: &[u8]) -> Result<(), ScoreError> {
        fs::create_dir_all(self.folder.path().join("jobs")).unwrap();
        let path = self.folder.path().join("upload");
        fs::write(&path, archive).unwrap();
        let unpacked = unpack(&path, kind, &self.place(), &self.limits);
        let names = self.names("");
        let jobs: Vec<_> = names.iter().filter(|name| name.as_str() != "jobs" && *name != "upload").collect();
        match &unpacked {
            Ok(()) => assert!(jobs.iter().all(|name| name.starts_with("jobs/one")), "{jobs:?}"),
            Err(error) => {
                assert!(jobs.is_empty(), "left behind: {jobs:?}");
                assert!(error.details.hint.is_some(), "{error}");
            }
        }
        unpacked
    }

    /// All that lies below, relative.
    fn names(&self, below: &str) -> Vec<String> {
        let (root, mut names) = (self.folder.path().join(below), Vec::new());
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                assert!(path.is_dir() || path.is_file());
                names.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                if path.is_dir() {
                    open.push(path);
                }
            }
        }
        names.sort();
        names
    }
}

fn refusal(kind: ArchiveKind, archive: &[u8]) -> String {
    let error = Case::new().unpack(kind, archive).unwrap_err();
    assert_eq!(error.code, ErrorCode::BadFormat, "{error}");
    error.message
}

/// A header as no decent packer writes it.
fn raw(name: &[u8], kind: EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o6777);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let blocks = entries.iter().flat_map(|(name, content)| raw(name.as_bytes(), EntryType::Regular, content));
    blocks.chain([0; 1024]).collect()
}

fn one(entry: Vec<u8>) -> Vec<u8> {
    [entry, vec![0; 1024]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default().unix_permissions(0o777)).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Replaces bytes of the same length wherever they are.
fn replace(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

const WORKSPACE: [(&str, &[u8]); 3] = [("meta.json", b"{}"), ("input/gt.csv", b"id,label\n1,a\n"), ("input/e", b"")];

fn all_kinds(entries: &[(&str, &[u8])]) -> [(ArchiveKind, Vec<u8>); 3] {
    let tar = tar(entries);
    [(ArchiveKind::TarGz, gzip(&tar)), (ArchiveKind::Tar, tar), (ArchiveKind::Zip, zip(entries))]
}

#[test]
fn a_workspace_of_each_kind_becomes_a_folder_with_modes_of_ours() {
    for (kind, archive) in all_kinds(&WORKSPACE) {
        assert_eq!(ArchiveKind::detect(None, &archive[..archive.len().min(512)]).unwrap(), kind);
        let case = Case::new();
        case.unpack(kind, &archive).unwrap();
        assert_eq!(case.names("jobs/one"), ["input", "input/e", "input/gt.csv", "meta.json"]);
        assert_eq!(fs::read(case.place().join("input/gt.csv")).unwrap(), b"id,label\n1,a\n");
        let mode = |name: &str| fs::metadata(case.place().join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("meta.json") & !0o022, mode("input") & !0o022), (0o644, 0o755));
    }
}

#[test]
fn one_folder_around_the_workspace_is_taken_off() {
    let wrapped: [(&str, &[u8]); 3] = [("ws/meta.json", b"{}"), ("ws/input/gt.csv", b""), ("__MACOSX/._ws", b"")];
    for (kind, archive) in all_kinds(&wrapped) {
        let case = Case::new();
        case.unpack(kind, &archive).unwrap();
        assert_eq!(case.names("jobs/one"), ["input", "input/gt.csv", "meta.json"]);
    }
    // Without meta.json the request names the scorer; the only folder may be part of the workspace.
    let case = Case::new();
    case.unpack(ArchiveKind::Tar, &tar(&[("./input/gt.csv", b"")])).unwrap();
    assert_eq!(case.names("jobs/one"), ["input", "input/gt.csv"]);
    let case = Case::new();
    case.unpack(ArchiveKind::Tar, &tar(&[("ws/input/gt.csv", b"")])).unwrap();
    assert_eq!(case.names("jobs/one"), ["input", "input/gt.csv"]);
}

#[test]
fn a_real_packer_s_long_names_folders_and_global_headers_are_read() {
    let long = format!("input/{}/{}", "é".repeat(90), "x".repeat(200));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(2);
    builder.append_data(&mut header, &long, &b"hi"[..]).unwrap();
    builder.append_pax_extensions([("path", "meta.json".as_bytes()), ("SCHILY.xattr.a", b"1\n2")]).unwrap();
    let archive = [
        raw(b"pax_global_header", EntryType::XGlobalHeader, b"18 comment=abcdef\n"),
        raw(b"./", EntryType::Directory, b""),
        raw(b"input/", EntryType::Directory, b""),
        raw(b"input/", EntryType::Directory, b""),
        builder.into_inner().unwrap(),
    ]
    .concat();
    // The builder marks the end; the entry that the extensions are about goes before it.
    let at = archive.len() - 1024;
    let archive = [&archive[..at], &raw(b"short", EntryType::Regular, b"{}"), &archive[at..]].concat();
    let case = Case::new();
    case.unpack(ArchiveKind::Tar, &archive).unwrap();
    assert_eq!(fs::read(case.place().join(long)).unwrap(), b"hi");
    assert_eq!(fs::read(case.place().join("meta.json")).unwrap(), b"{}");
    assert!(!case.place().join("short").exists());
}

#[test]
fn what_is_neither_file_nor_folder_is_refused_by_name() {
    for (kind, word) in [
        (EntryType::Symlink, "symbolic link"),
        (EntryType::Link, "hard link"),
        (EntryType::Char, "device"),
        (EntryType::Block, "device"),
        (EntryType::Fifo, "named pipe"),
        (EntryType::GNUSparse, "sparse"),
        (EntryType::Continuous, "neither"),
        (EntryType::new(b'V'), "neither"),
    ] {
        let message = refusal(ArchiveKind::Tar, &one(raw(b"input/odd", kind, b"")));
        assert!(message.contains("'input/odd'") && message.contains(word), "{message}");
    }
    let pax = raw(b"p", EntryType::XHeader, b"22 GNU.sparse.major=1\n");
    assert!(refusal(ArchiveKind::Tar, &one(pax)).contains("sparse"));
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("input/odd", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let message = refusal(ArchiveKind::Zip, &writer.finish().unwrap().into_inner());
    assert!(message.contains("'input/odd'") && message.contains("symbolic link"), "{message}");
}

#[test]
fn names_that_leave_the_folder_are_refused_in_tar_and_zip() {
    for name in ["../evil1", "a/../../e", "/evil/abc", "a\\..\\evl", "evil\r\nx1", "evil\0evil", "C:/evil12"] {
        let long = raw(b"././@LongLink", EntryType::GNULongName, &[name.as_bytes(), b"\0"].concat());
        let record = format!("{} path={name}\n", name.len() + 9);
        let pax = raw(b"p", EntryType::XHeader, record.as_bytes());
        for before in [long, pax] {
            let message = refusal(ArchiveKind::Tar, &one([before, raw(b"ok", EntryType::Regular, b"")].concat()));
            assert!(message.contains("its name"), "{name:?}: {message}");
        }
        let plain = "x".repeat(name.len());
        let hostile = replace(zip(&[(&plain, b"content")]), plain.as_bytes(), name.as_bytes());
        let message = refusal(ArchiveKind::Zip, &hostile);
        assert!(message.contains("its name") && !message.contains('\n'), "{name:?}: {message}");
    }
    assert!(refusal(ArchiveKind::Tar, &one(raw(b"caf\xe9", EntryType::Regular, b""))).contains("not UTF-8"));
    assert!(refusal(ArchiveKind::Zip, &replace(zip(&[("cafe", b"")]), b"cafe", b"caf\xe9")).contains("not UTF-8"));
    assert!(refusal(ArchiveKind::Tar, &one(raw(b"", EntryType::Regular, b""))).contains("empty"));
}

#[test]
fn a_name_twice_is_refused_also_as_file_and_folder() {
    for names in [["a", "a"], ["./a", "a"], ["a", "a/b"], ["a/b", "a"], ["a/", "a"], ["a", "a/"]] {
        let message = refusal(ArchiveKind::Tar, &tar(&names.map(|name| (name, &b""[..]))));
        assert!(message.contains("twice"), "{names:?}: {message}");
    }
    let twice = replace(zip(&[("same1", b"1"), ("same2", b"2")]), b"same2", b"same1");
    assert!(refusal(ArchiveKind::Zip, &twice).contains("twice"));
    assert!(refusal(ArchiveKind::Zip, &zip(&[("a", b""), ("a/b", b"")])).contains("twice"));
}

#[test]
fn limits_count_what_is_really_written() {
    let limited = |kind, archive: &[u8], limits: ArchiveLimits| {
        let case = Case { limits, ..Case::new() };
        let error = case.unpack(kind, archive).unwrap_err();
        error.details.more["limit"].as_str().unwrap().to_owned()
    };
    let base = ArchiveLimits { bytes: 1 << 20, files: 5, ratio: 10, ratio_from: 4096 };
    let zeros = vec![0; 300_000];
    for (kind, archive) in all_kinds(&[("z", &zeros)]) {
        assert_eq!(limited(kind, &archive, ArchiveLimits { bytes: 299_999, ratio: 1000, ..base.clone() }), "bytes");
        if kind != ArchiveKind::Tar {
            assert_eq!(limited(kind, &archive, base.clone()), "ratio");
        }
    }
    let many = ["a", "b", "c", "d", "e", "f"].map(|name| (name, &b""[..]));
    for (kind, archive) in all_kinds(&many).into_iter().chain(all_kinds(&[("a/b/c/d/e/f", b"")])) {
        assert_eq!(limited(kind, &archive, base.clone()), "files");
    }
    // Zeros after the end take no room, but time.
    let long = [tar(&WORKSPACE), vec![0; 4 << 20]].concat();
    assert_eq!(limited(ArchiveKind::TarGz, &gzip(&long), base.clone()), "ratio");
    // Sizes in a zip that lie are found out, and not believed before.
    let lying = replace(zip(&[("z", &zeros)]), &300_000_u32.to_le_bytes(), &3_u32.to_le_bytes());
    assert_eq!(limited(ArchiveKind::Zip, &lying, base), "ratio");
    assert!(refusal(ArchiveKind::Zip, &lying).contains("not what its directory says"));
}

#[test]
fn a_zip_cannot_list_the_same_content_twice() {
    let content = vec![b'x'; 100_000];
    let mut archive = zip(&[("a", &content)]);
    let start = archive.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let end = archive.windows(4).position(|four| four == b"PK\x05\x06").unwrap();
    let entry = archive[start..end].to_vec();
    archive.splice(start..end, entry.repeat(2));
    let at = archive.len() - 22;
    archive[at + 8..at + 12].copy_from_slice(&[2, 0, 2, 0]);
    archive[at + 12..at + 16].copy_from_slice(&(2 * entry.len() as u32).to_le_bytes());
    assert!(refusal(ArchiveKind::Zip, &archive).contains("twice"));
}

#[test]
fn zips_with_passwords_odd_methods_and_zip64_are_refused() {
    let with = |central: usize, bytes: &[u8]| {
        let mut archive = zip(&[("a", b"content")]);
        let start = archive.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
        archive[start + central..start + central + bytes.len()].copy_from_slice(bytes);
        refusal(ArchiveKind::Zip, &archive)
    };
    assert!(with(8, &[1, 0]).contains("encrypted"));
    assert!(with(10, &[12, 0]).contains("compressed in a way"));
    assert!(with(20, &[0xff; 4]).contains("zip64"));
    assert!(with(16, &[1, 2, 3, 4]).contains("not what its directory says"));
    assert!(with(42, &[1, 0, 0, 0]).contains("name it differently"));
    let local = replace(zip(&[("a", b"content")]), b"PK\x03\x04", b"PK\x03\x05");
    assert!(refusal(ArchiveKind::Zip, &local).contains("name it differently"));
}

#[test]
fn cut_empty_and_doubtful_archives_say_so() {
    for (kind, archive) in all_kinds(&WORKSPACE) {
        for length in (1..archive.len()).step_by(7) {
            // A tar without its padding is whole: one block of zeros marks the end.
            if kind == ArchiveKind::Tar && length + 512 >= archive.len() {
                continue;
            }
            let message = refusal(kind, &archive[..length]);
            assert!(["cut", "damaged", "cannot be read"].iter().any(|word| message.contains(word)), "{message}");
        }
        assert_eq!(refusal(kind, b""), "the archive is empty");
    }
    for (kind, archive) in all_kinds(&[]) {
        assert_eq!(refusal(kind, &archive), "the archive is empty");
    }
    let archive = tar(&WORKSPACE);
    assert!(refusal(ArchiveKind::Tar, &[archive.clone(), archive.clone()].concat()).contains("follows the end"));
    assert!(refusal(ArchiveKind::Tar, &[vec![b'x'; 512], archive].concat()).contains("sum is wrong"));
    let sized = raw(b"p", EntryType::XHeader, b"9 size=7\n");
    let archive = one([sized, raw(b"f", EntryType::Regular, b"12")].concat());
    assert!(refusal(ArchiveKind::Tar, &archive).contains("said twice"));
}

#[test]
fn what_is_there_already_is_never_touched() {
    let case = Case::new();
    fs::create_dir_all(case.place()).unwrap();
    let path = case.folder.path().join("upload");
    fs::write(&path, tar(&WORKSPACE)).unwrap();
    let error = unpack(&path, ArchiveKind::Tar, &case.place(), &case.limits).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnhandledError);
    assert!(case.names("jobs/one").is_empty());
}

fn kinds() -> impl Strategy<Value = ArchiveKind> {
    prop_oneof![Just(ArchiveKind::Tar), Just(ArchiveKind::TarGz), Just(ArchiveKind::Zip)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic_nor_write_elsewhere(kind in kinds(), bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = Case::new().unpack(kind, &bytes);
    }

    #[test]
    fn changed_archives_never_panic_nor_write_elsewhere(
        which in 0..3_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        repair in any::<bool>(),
    ) {
        let (kind, mut archive) = all_kinds(&WORKSPACE)[which].clone();
        for (at, byte) in changes {
            let at = at.index(archive.len());
            archive[at] = byte;
        }
        // With its sum put right, a changed header gets further.
        if repair && kind == ArchiveKind::Tar {
            let mut header = Header::new_old();
            header.as_mut_bytes().copy_from_slice(&archive[..512]);
            header.set_cksum();
            archive[..512].copy_from_slice(header.as_bytes());
        }
        let _ = Case::new().unpack(kind, &archive);
    }
}
