//! TLS in front of a plain server, with a certificate that only `tls/ca.pem` vouches for; its key is worth nothing.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The authority's certificate, for `SSL_CERT_FILE`.
pub const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/support/tls/ca.pem");

/// A front that runs until the test program ends.
pub struct Tls {
    address: SocketAddr,
}

impl Tls {
    /// Puts TLS in front of a plain server on this machine.
    pub fn before(plain: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let config = Arc::new(config());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let stream = StreamOwned::new(connection, stream.unwrap());
                // A client that does not trust us goes away.
                thread::spawn(move || pass_on(stream, plain).ok());
            }
        });
        Self { address }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn config() -> ServerConfig {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap()
}

/// Request by request, over a connection each.
fn pass_on(stream: StreamOwned<ServerConnection, TcpStream>, plain: SocketAddr) -> std::io::Result<()> {
    let mut client = BufReader::new(stream);
    loop {
        let request = message(&mut client)?;
        let mut server = TcpStream::connect(plain)?;
        server.write_all(&request)?;
        let answer = message(&mut BufReader::new(server))?;
        client.get_mut().write_all(&answer)?;
    }
}

/// A request or an answer: its head, and as many bytes as that says.
fn message(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok([head.into_bytes(), body].concat())
}
