//! A target: where a callback goes, checked as far as its text tells. What a name resolves to is checked on the way.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use super::address::is_public;

/// The most bytes of an address.
const LONGEST: usize = 2048;

/// An address that may be called.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

impl Target {
    /// Checks an address as a client wrote it. The reason of a refusal does not repeat it.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the address is longer than {LONGEST} bytes"));
        }
        let url = Url::parse(text).map_err(|error| format!("this is no address ({error}); write https://host/path"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("only http:// and https:// can be called".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a name or a password has no place in the address; callbacks are signed instead".to_owned());
        }
        if url.port() == Some(0) {
            return Err("port 0 cannot be called".to_owned());
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("the address has no host")?;
        if !allow_private && is_private(host) {
            return Err(private("the address"));
        }
        Ok(Self { url })
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host alone: the rest may hold a secret of the receiver's, and belongs into no log.
    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}://{}/…)", self.url.scheme(), self.host())
    }
}

/// What is refused, and how it can be allowed.
pub(super) fn private(what: &str) -> String {
    format!(
        "{what} is private or reserved, and such are not called; the operator can allow them (--allow-private-callbacks)"
    )
}

/// The parser has made every spelling of an IP address the usual one.
fn is_private(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match literal.parse::<IpAddr>() {
        Ok(address) => !is_public(address),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_taken() {
        for text in
            ["https://example.com/hook?x=1", "http://example.com:8080", "https://8.8.8.8/", "https://[2606:4700::1]/"]
        {
            Target::parse(text, false).unwrap();
        }
    }

    #[test]
    fn private_ones_are_refused_in_any_spelling_unless_allowed() {
        for text in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://0/",
            "http://127.0.0.1./",
            "http://localhost/",
            "http://LOCALHOST:80/",
            "http://localhost./",
            "http://a.localhost/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::a00:1]/",
            "http://[2002:7f00:1::]/",
            "http://169.254.169.254/latest/meta-data",
            "http://①②⑦.⓪.⓪.①/",
            "http://127。0。0。1/",
            "http://[fd00:ec2::254]/",
            "http://%31%32%37.0.0.1/",
        ] {
            let reason = Target::parse(text, false).unwrap_err();
            assert!(reason.contains("private"), "{text}: {reason}");
            Target::parse(text, true).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_called_is_refused_always() {
        let long = format!("https://example.com/{}", "x".repeat(LONGEST));
        for text in [
            "",
            "example.com",
            "/hook",
            "ftp://example.com/",
            "file:///etc/passwd",
            "unix:/run/x",
            "https://",
            "https://u@example.com/",
            "https://u:p@example.com/",
            "https://:p@example.com/",
            "http://example.com:0/",
            "http://example.com:99999/",
            "http://[::1/",
            "gopher://example.com",
            &long,
        ] {
            let reason = Target::parse(text, true).unwrap_err();
            assert!(!reason.contains("example.com"), "{text}: {reason}");
        }
    }

    #[test]
    fn a_target_shows_no_more_than_its_host() {
        let target = Target::parse("https://example.com/hook/token?key=secret", false).unwrap();
        assert_eq!(format!("{target:?}"), "Target(https://example.com/…)");
    }
}
