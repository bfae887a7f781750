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

use super::app::App;
use super::patience::Patient;

/// The largest head of a request.
const MOST_HEAD: usize = 64 << 10;

/// After a failure to accept, such as too many open files, there is a pause.
const PAUSE: Duration = Duration::from_millis(50);

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    connections: Arc<Semaphore>,
    most: usize,
    patience: Duration,
}

/// A server that accepts no more.
pub struct Stopped {
    connections: Arc<Semaphore>,
    most: usize,
}

impl Server {
    /// Listens.
    pub async fn listen(address: SocketAddr, most: usize, patience: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { listener, connections: Arc::new(Semaphore::new(most)), most, patience })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until told to stop.
    pub async fn serve(self, app: Arc<App>, router: Router, mut stop: watch::Receiver<bool>) -> Stopped {
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
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
            let Ok(place) = self.connections.clone().try_acquire_owned() else {
                tracing::warn!("too many connections; one is refused");
                continue;
            };
            app.metrics.connections(self.most - self.connections.available_permits());
            tokio::spawn(converse(stream, self.patience, router.clone(), stop.clone(), place));
        }
        Stopped { connections: self.connections, most: self.most }
    }
}

impl Stopped {
    /// Waits until every connection has ended.
    pub async fn drained(self) {
        // It fails only if the semaphore is closed, which nobody does.
        _ = self.connections.acquire_many(self.most as u32).await;
    }
}

async fn converse(
    stream: TcpStream,
    patience: Duration,
    router: Router,
    mut stop: watch::Receiver<bool>,
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
        // How a connection ends is its client's business.
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    _ = connection.await;
}
