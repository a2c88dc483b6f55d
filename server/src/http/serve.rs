//! Listening and serving: loopback on both families, slow and many clients bounded, an orderly end.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use contracts::limits;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tower::ServiceExt as _;

/// Ports tried when none is named.
pub const PORTS: std::ops::RangeInclusive<u16> = 2140..=2159;
/// How long open requests may take to end when the server does.
const FAREWELL: Duration = Duration::from_secs(5);

/// Why there is nothing to listen on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody listens there.
    #[error("port {0} is taken")]
    Taken(u16),
    /// All of [`PORTS`] are taken.
    #[error("ports 2140 to 2159 are all taken")]
    NoneFree,
    /// The system refused.
    #[error("can't listen: {0}")]
    Io(#[from] io::Error),
}

/// What was bound.
#[derive(Debug)]
pub struct Bound {
    /// One or two sockets on one port.
    pub listeners: Vec<TcpListener>,
    /// The port.
    pub port: u16,
    /// The addresses, for [`Doors`](super::doors::Doors).
    pub addresses: Vec<IpAddr>,
}

/// Listens: on a host of its own, or, when none is named, on 127.0.0.1 and, where there is one, `[::1]`, because `localhost` may mean
/// either. The port is the one named, or the first free one of [`PORTS`].
///
/// # Errors
/// When the port is taken, all are, or the system refuses.
pub async fn bind(host: Option<IpAddr>, port: Option<u16>) -> Result<Bound, BindError> {
    if let Some(port) = port {
        return at(host, port).await.map_err(|error| if error.kind() == io::ErrorKind::AddrInUse { BindError::Taken(port) } else { error.into() });
    }
    for port in PORTS {
        match at(host, port).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            other => return Ok(other?),
        }
    }
    Err(BindError::NoneFree)
}

async fn at(host: Option<IpAddr>, port: u16) -> io::Result<Bound> {
    let first = TcpListener::bind(SocketAddr::new(host.unwrap_or(Ipv4Addr::LOCALHOST.into()), port)).await?;
    let local = first.local_addr()?;
    let mut bound = Bound { listeners: vec![first], port: local.port(), addresses: vec![local.ip()] };
    if host.is_none() {
        match TcpListener::bind(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), bound.port)).await {
            Ok(second) => {
                bound.listeners.push(second);
                bound.addresses.push(Ipv6Addr::LOCALHOST.into());
            }
            // Another server has the other half of `localhost`: a browser might reach either.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            Err(_) => {} // no IPv6 here
        }
    }
    Ok(bound)
}

/// Serves until `shutdown` says true (or its sender is gone). Each request is answered by the router of that moment, so that a server can answer 503 from
/// its first millisecond on and the board later.
pub async fn serve(listeners: Vec<TcpListener>, router: watch::Receiver<Router>, shutdown: watch::Receiver<bool>) {
    let connections = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
    let loops = listeners.into_iter().map(|listener| accept(listener, router.clone(), shutdown.clone(), connections.clone()));
    futures::future::join_all(loops).await;
}

async fn accept(listener: TcpListener, router: watch::Receiver<Router>, mut shutdown: watch::Receiver<bool>, connections: Arc<Semaphore>) {
    // Every connection holds one end of it, so it says when the last of them is over.
    let (alive, mut over) = mpsc::channel::<()>(1);
    loop {
        let next = async {
            let permit = connections.clone().acquire_owned().await;
            (listener.accept().await, permit)
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            _ = shutdown.wait_for(|ended| *ended) => break,
        };
        let (Ok((stream, _)), Ok(permit)) = accepted else {
            // Out of file descriptors, or the client left already: neither is a reason to stop, the first one to slow down.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (router, shutdown, alive) = (router.clone(), shutdown.clone(), alive.clone());
        tokio::spawn(async move {
            converse(stream, router, shutdown).await;
            drop((permit, alive));
        });
    }
    drop((listener, alive));
    let _ = tokio::time::timeout(FAREWELL, over.recv()).await; // who is still there after that is cut off
}

async fn converse(stream: TcpStream, router: watch::Receiver<Router>, mut shutdown: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true); // only slower without
    let answer = hyper::service::service_fn(move |request: Request<Incoming>| {
        let router = router.borrow().clone();
        router.oneshot(request.map(Body::new))
    });
    // One version only: telling two apart would wait for a client's first bytes without a limit.
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(limits::REQUEST_HEAD_SECONDS));
    let connection = builder.serve_connection(TokioIo::new(stream), answer).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let told = async { drop(shutdown.wait_for(|ended| *ended).await) };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_told_and_another_is_found() {
        let first = bind(None, Some(0)).await.unwrap();
        assert!(matches!(bind(None, Some(first.port)).await, Err(BindError::Taken(port)) if port == first.port));
        let any = bind(None, None).await.unwrap();
        assert!(PORTS.contains(&any.port));
        let next = bind(None, None).await.unwrap();
        assert!(next.port > any.port);
    }
}
