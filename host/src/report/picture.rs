//! The pictures among a result's artifacts, as addresses that hold the picture itself.
//!
//! A picture is foreign: as an image it can neither run a script nor fetch anything, whatever is in it.

use crate::results::Stored;

/// A larger picture is named, not shown.
const MOST_BYTES: u64 = 4 << 20;

/// So many are shown of one result.
const MOST_PICTURES: usize = 24;

/// A picture of an artifact.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The artifact's name.
    pub name: String,
    /// `data:` and the picture.
    pub url: String,
}

/// What could be shown, and why the rest could not.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// In the order of the result.
    pub shown: Vec<Picture>,
    /// A sentence for each that is not shown.
    pub missing: Vec<String>,
}

impl Pictures {
    /// Reads the pictures that a result lists.
    pub fn of(stored: &Stored) -> Self {
        let mut pictures = Self::default();
        for (name, artifact) in &stored.artifacts {
            // Nothing of the result's own text gets into the address.
            let Some(kind) =
                ["image/svg+xml", "image/png", "image/jpeg"].into_iter().find(|kind| artifact.content_type == *kind)
            else {
                continue;
            };
            if pictures.shown.len() == MOST_PICTURES {
                pictures.missing.push(format!("{name} is not shown: there are too many pictures"));
                continue;
            }
            match stored.artifact(name, MOST_BYTES) {
                Ok(bytes) => pictures
                    .shown
                    .push(Picture { name: name.clone(), url: format!("data:{kind};base64,{}", base64(&bytes)) }),
                Err(why) => pictures.missing.push(why),
            }
        }
        pictures
    }
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], chunk.get(1).copied().unwrap_or(0), chunk.get(2).copied().unwrap_or(0)];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for at in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648() {
        let examples =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, encoded) in examples {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }
}
