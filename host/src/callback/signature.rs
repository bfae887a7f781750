//! A signature: proves to a receiver that a callback is ours, and of when.

use std::time::Duration;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The header that carries it: `t=<seconds since 1970>,v1=<hex>`.
pub const SIGNATURE: &str = "x-autoscorer-signature";

/// What signs. It shows itself to nobody.
#[derive(Clone)]
pub(super) struct Key(Hmac<Sha256>);

impl Key {
    pub(super) fn new(secret: &str) -> Result<Self, String> {
        Hmac::new_from_slice(secret.as_bytes()).map(Self).map_err(|_| "the secret cannot be used".to_owned())
    }

    /// The header's value for a body sent at a time.
    pub(super) fn sign(&self, seconds: u64, body: &[u8]) -> String {
        let sum = self.over(seconds, body).finalize().into_bytes();
        let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("t={seconds},v1={hex}")
    }

    /// The time is signed with the body, so that an old callback cannot be sent again as a new one.
    fn over(&self, seconds: u64, body: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(seconds.to_string()).chain_update(b".").chain_update(body)
    }
}

/// Why a callback is not to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproven {
    /// The header is not one of ours.
    Malformed,
    /// It was sent too long ago, or will be sent.
    Stale,
    /// Another secret, or another body.
    Forged,
}

/// What a receiver does: checks a header against the body as it came. `now` is in seconds since 1970.
pub fn verify(secret: &str, header: &str, body: &[u8], now: u64, tolerance: Duration) -> Result<(), Unproven> {
    let (seconds, sum) = parts(header).ok_or(Unproven::Malformed)?;
    let key = Key::new(secret).map_err(|_| Unproven::Forged)?;
    // In constant time.
    key.over(seconds, body).verify_slice(&sum).map_err(|_| Unproven::Forged)?;
    if now.abs_diff(seconds) > tolerance.as_secs() {
        return Err(Unproven::Stale);
    }
    Ok(())
}

fn parts(header: &str) -> Option<(u64, Vec<u8>)> {
    let (time, sum) = header.split_once(',')?;
    let (seconds, sum) = (time.strip_prefix("t=")?.parse().ok()?, sum.strip_prefix("v1=")?);
    if sum.len() != 64 || !sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = (0..64).step_by(2).map(|at| u8::from_str_radix(&sum[at..at + 2], 16).ok());
    Some((seconds, bytes.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: Duration = Duration::from_secs(300);

    #[test]
    fn a_signature_is_hmac_sha256_over_time_and_body() {
        let header = Key::new("secret").unwrap().sign(1_700_000_000, b"{}");
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac secret
        let sum = "b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
        assert_eq!(header, format!("t=1700000000,v1={sum}"));
        assert_eq!(verify("secret", &header, b"{}", 1_700_000_300, MINUTES), Ok(()));
    }

    #[test]
    fn another_secret_body_or_time_is_found_out() {
        let header = Key::new("secret").unwrap().sign(1_700_000_000, b"{}");
        let check = |secret: &str, header: &str, body: &[u8], now| verify(secret, header, body, now, MINUTES);
        let now = 1_700_000_000;
        assert_eq!(check("other", &header, b"{}", now), Err(Unproven::Forged));
        assert_eq!(check("secret", &header, b"{ }", now), Err(Unproven::Forged));
        let later = header.replace("t=1700000000", "t=1700000001");
        assert_eq!(check("secret", &later, b"{}", now), Err(Unproven::Forged));
        assert_eq!(check("secret", &header, b"{}", now + 301), Err(Unproven::Stale));
        assert_eq!(check("secret", &header, b"{}", now - 301), Err(Unproven::Stale));
        for odd in
            ["", "t=1", "t=x,v1=00", "v1=00,t=1", "t=1,v1=zz", &header[..header.len() - 1], &format!("{header}0")]
        {
            assert_eq!(check("secret", odd, b"{}", now), Err(Unproven::Malformed), "{odd}");
        }
        let wide = format!("t=1,v1={}", "é".repeat(32));
        assert_eq!(check("secret", &wide, b"{}", now), Err(Unproven::Malformed));
    }
}
