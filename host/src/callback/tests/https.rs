//! Callbacks over TLS: whose certificates count.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;

/// Made for these tests, and for nothing else: an authority that nobody knows, and `localhost` as certified by it.
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/callback/tests/certificates/ca.pem");
const LEAF: &[u8] = include_bytes!("certificates/leaf.pem");
const KEY: &[u8] = include_bytes!("certificates/key.pem");

/// A receiver that answers each request with 200. Gives its address.
fn receiver() -> String {
    let certificate = CertificateDer::from_pem_slice(LEAF).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
            // A client that refuses the certificate says so here.
            if stream.read(&mut [0; 4096]).is_ok() {
                stream.write_all(OK.as_bytes()).ok();
            }
        }
    });
    format!("https://localhost:{port}/")
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused_and_tried_again() {
    let attempt = courier(true).attempt(&delivery(&receiver())).await;
    assert!(!attempt.delivered && attempt.again.is_some() && attempt.status.is_none(), "{attempt:?}");
    let error = attempt.error.unwrap();
    assert!(error.contains("certificate") || error.contains("https cannot be used"), "{error}");
}

/// The environment belongs to the whole process, so this needs one of its own.
#[test]
fn an_authority_named_by_the_environment_is_believed() {
    let test = "callback::tests::https::with_the_authority_of_the_environment";
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args([test, "--exact", "--ignored"]).env("SSL_CERT_FILE", AUTHORITY).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "run by the test above, in its environment"]
async fn with_the_authority_of_the_environment() {
    assert!(Path::new(AUTHORITY).exists());
    let attempt = courier(true).attempt(&delivery(&receiver())).await;
    assert!(attempt.delivered, "{attempt:?}");
}
