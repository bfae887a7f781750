//! The server: accepts connections, so many at a time, and gives each so much patience.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::patience::Patient;
use crate::daemon::said;

/// The largest head of a request.
const MOST_HEAD: usize = 64 << 10;

/// After a failure to accept, such as too many open files, there is a pause.
const PAUSE: Duration = Duration::from_millis(50);

/// The connections that are open, up to a bound.
#[derive(Clone)]
pub struct Connections {
    places: Arc<Semaphore>,
    most: usize,
}

impl Connections {
    /// So many at most.
    pub fn new(most: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(most)), most }
    }

    /// How many are open now.
    pub fn open(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// A place for one more, if there is one.
    fn one_more(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().try_acquire_owned().ok()
    }

    /// Waits until every one has ended.
    pub async fn ended(&self) {
        // It fails only if the semaphore is closed, which nobody does.
        _ = self.places.acquire_many(self.most as u32).await;
    }
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    connections: Connections,
    patience: Duration,
}

impl Server {
    /// Listens.
    pub async fn listen(address: SocketAddr, connections: Connections, patience: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { listener, connections, patience })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the door is closed; connections end after the answer they are at.
    pub async fn serve(self, router: Router, mut closed: watch::Receiver<bool>) {
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = said(&mut closed) => return,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // One too many is closed at once: to let it wait would let everybody wait.
            let Some(place) = self.connections.one_more() else {
                tracing::warn!("too many connections; one is refused");
                continue;
            };
            tokio::spawn(converse(stream, self.patience, router.clone(), closed.clone(), place));
        }
    }
}

async fn converse(
    stream: TcpStream,
    patience: Duration,
    router: Router,
    mut closed: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
) {
    // Answers are small; waiting for more would only delay them.
    _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(Patient::new(stream, patience * 3)), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return note(ended),
        () = said(&mut closed) => connection.as_mut().graceful_shutdown(),
    }
    note(connection.await);
}

/// How a connection ends is its client's business, unless nobody has seen its request: what is no HTTP comes to no route.
fn note(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended
        && error.is_parse()
    {
        tracing::info!(%error, "what was sent is no HTTP");
    }
}
