//! The resolver of callbacks: a name's addresses are checked, and the connection goes to just those.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::is_public;
use super::target::private;

/// What a name resolves to, this time.
pub(super) type Found = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Looks names up, and refuses those with an address that is not public.
#[derive(Clone)]
pub(super) struct Checked {
    pub(super) allow_private: bool,
    look_up: Arc<dyn Fn(String) -> Found + Send + Sync>,
}

impl Checked {
    /// Asks the system.
    pub(super) fn new(allow_private: bool) -> Self {
        Self::asking(allow_private, |name| {
            Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
        })
    }

    /// Asks somebody else.
    pub(super) fn asking(allow_private: bool, look_up: impl Fn(String) -> Found + Send + Sync + 'static) -> Self {
        Self { allow_private, look_up: Arc::new(look_up) }
    }
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (allow_private, found) = (self.allow_private, (self.look_up)(name.as_str().to_owned()));
        Box::pin(async move { Ok(checked(found.await?, allow_private)?) })
    }
}

/// One private address is enough: whoever gives such answers beside public ones is up to something.
fn checked(found: Vec<SocketAddr>, allow_private: bool) -> Result<Addrs, String> {
    if found.is_empty() {
        return Err("the host has no address".to_owned());
    }
    if !allow_private && found.iter().any(|address| !is_public(address.ip())) {
        return Err(private("an address of the host"));
    }
    Ok(Box::new(found.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_leads_inside_is_refused_unless_allowed() {
        let resolve = |allow_private| Checked::new(allow_private).resolve("localhost".parse().unwrap());
        let reason = resolve(false).await.map(|_| ()).unwrap_err().to_string();
        assert!(reason.contains("private"), "{reason}");
        assert!(resolve(true).await.unwrap().all(|address| address.ip().is_loopback()));
    }

    #[test]
    fn one_private_address_among_public_ones_is_enough() {
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<SocketAddr>>();
        assert_eq!(checked(addresses(&["8.8.8.8:0", "[2606:4700::1]:0"]), false).unwrap().count(), 2);
        assert!(checked(addresses(&["8.8.8.8:0", "10.0.0.1:0"]), false).is_err());
        assert!(checked(addresses(&["8.8.8.8:0", "[::ffff:127.0.0.1]:0"]), false).is_err());
        assert!(checked(Vec::new(), true).is_err());
    }
}
