//! Who may come in at all: the name a request was sent to, and the page it was sent from. One function for every request, whether
//! it asks for a page, the API, a socket, events or MCP.
//!
//! Being on this machine proves nothing: any page a person has open can send requests here, and any name can be made to lead here.

use axum::http::{HeaderMap, Method, Uri, header};
use contracts::{Code, Hint, Problem};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The names this server answers to.
#[derive(Clone, Debug)]
pub struct Doors {
    /// In lower case, without port: the bound address, what leads to it on this machine, and `localhost`.
    own: Vec<String>,
    /// Configured ones; they may stand behind a proxy that speaks https.
    further: Vec<String>,
    /// `http://<name>:<port>`: where this server is reached from this machine.
    address: String,
}

/// The checked `Host` of a request, in lower case, with its port. It holds nothing but a name of ours and digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host(pub String);

impl Doors {
    /// Of a server bound to these addresses, with further names as the configuration reads them. `port` is only told.
    pub fn new(bound: &[IpAddr], further: &[String], port: u16) -> Doors {
        let named = |address: &IpAddr| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let (v4, v6) = (IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST));
        let mut reached = bound.to_vec();
        // Whoever listens everywhere listens on this machine's own addresses too.
        if bound.iter().any(IpAddr::is_unspecified) {
            reached.extend([v4, v6]);
        }
        let name = [v4, v6].iter().find(|own| reached.contains(own)).or(reached.first()).map_or("localhost".to_owned(), named);
        let own = ["localhost".to_owned()].into_iter().chain(reached.iter().map(named)).collect();
        Doors { own, further: further.to_vec(), address: format!("http://{name}:{port}") }
    }

    /// `http://<name>:<port>`, where this server is reached from this machine.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Checks `Host` and `Origin`.
    ///
    /// # Errors
    /// `origin_refused` when the name is not ours, or the page that sent it is not.
    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Host, Problem> {
        if method == Method::CONNECT || uri.path_and_query().is_none() {
            return Err(self.refused("This server is no proxy"));
        }
        let host = self.host(uri, headers)?;
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if let Some(origin) = origins.next() {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            if origins.next().is_some() || !self.is_own_origin(&origin, &host) {
                return Err(self.refused("Another page sent this"));
            }
        }
        Ok(host)
    }

    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<Host, Problem> {
        let foreign = || self.refused("This server does not answer to that name");
        let mut hosts = headers.get_all(header::HOST).iter();
        let in_header = match hosts.next() {
            Some(value) => Some(value.to_str().map_err(|_| foreign())?.to_ascii_lowercase()),
            None => None,
        };
        let in_address = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        let host = match (in_header, in_address) {
            (Some(header), Some(address)) if header != address => return Err(foreign()),
            (Some(host), _) | (None, Some(host)) => host,
            (None, None) => return Err(foreign()),
        };
        let name = name_of(&host).ok_or_else(foreign)?;
        let known = self.own.iter().chain(&self.further).any(|own| own == name);
        if hosts.next().is_some() || !known {
            return Err(foreign());
        }
        Ok(Host(host))
    }

    fn is_own_origin(&self, origin: &str, host: &Host) -> bool {
        let behind_tls = name_of(&host.0).is_some_and(|name| self.further.iter().any(|further| further == name));
        match origin.split_once("://") {
            Some(("http", rest)) => rest == host.0,
            Some(("https", rest)) => behind_tls && rest == host.0,
            _ => false,
        }
    }

    /// A refusal that names the address to use.
    pub fn refused(&self, title: &str) -> Problem {
        Problem::new(Code::OriginRefused, title).hint(Hint::text(format!("use {}", self.address)))
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "-._[]:".contains(character))
}

/// The name without its port; none when it is not of that form.
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')? + 2;
            (&host[..end], &host[end..])
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port_is_fine = match port.strip_prefix(':') {
        Some(digits) => digits.chars().all(|character| character.is_ascii_digit()) && digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    (port_is_fine && is_name(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors() -> Doors {
        Doors::new(&["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()], &["board.example".to_owned()], 2140)
    }

    fn asked(address: &str, headers: &[(&str, &str)]) -> Result<Host, Problem> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        doors().check(&Method::GET, &address.parse().unwrap(), &map)
    }

    #[test]
    fn a_name_of_ours_is_let_in_whatever_its_port() {
        for host in ["localhost", "localhost:2140", "LOCALHOST:80", "127.0.0.1:9", "[::1]:2140", "[::1]", "board.example", "board.example:443"] {
            assert!(asked("/", &[("host", host)]).is_ok(), "{host}");
        }
    }

    #[test]
    fn any_other_name_is_not() {
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.example:2140",
            "127.0.0.2",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "localhost:+80",
            "user@localhost",
            "localhost, evil",
            "",
            "[::1",
            "[::2]",
            "[::1]x",
            "localhost.",
            "0.0.0.0",
        ] {
            let refused = asked("/", &[("host", host)]).unwrap_err();
            assert_eq!(refused.code, Code::OriginRefused, "{host}");
        }
        assert!(asked("/", &[]).is_err());
        assert!(asked("/", &[("host", "localhost"), ("host", "localhost")]).is_err());
        assert!(asked("http://evil.example/", &[("host", "localhost")]).is_err());
        assert!(asked("http://localhost/", &[("host", "localhost")]).is_ok());
    }

    #[test]
    fn an_origin_is_this_very_host() {
        let origin = |host: &str, origin: &str| asked("/", &[("host", host), ("origin", origin)]).is_ok();
        assert!(origin("localhost:2140", "http://localhost:2140"));
        assert!(origin("[::1]:2140", "http://[::1]:2140"));
        assert!(origin("board.example", "https://board.example"));
        for foreign in
            ["null", "", "http://localhost", "http://localhost:3000", "https://localhost:2140", "http://127.0.0.1:2140", "http://localhost:2140/", "file://"]
        {
            assert!(!origin("localhost:2140", foreign), "{foreign}");
        }
        assert!(asked("/", &[("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")]).is_err());
    }

    #[test]
    fn the_address_that_is_told_is_one_that_is_let_in() {
        for (bound, address) in [
            (vec!["127.0.0.1", "::1"], "http://127.0.0.1:2140"),
            (vec!["127.0.0.1"], "http://127.0.0.1:2140"),
            (vec!["::1"], "http://[::1]:2140"),
            (vec!["0.0.0.0"], "http://127.0.0.1:2140"),
            (vec!["::"], "http://127.0.0.1:2140"),
            (vec!["192.168.1.5"], "http://192.168.1.5:2140"),
            (vec!["fd00::5"], "http://[fd00::5]:2140"),
        ] {
            let addresses: Vec<IpAddr> = bound.iter().map(|address| address.parse().unwrap()).collect();
            let doors = Doors::new(&addresses, &[], 2140);
            assert_eq!(doors.address(), address);
            let mut headers = HeaderMap::new();
            headers.insert("host", address.trim_start_matches("http://").parse().unwrap());
            assert!(doors.check(&Method::GET, &"/".parse().unwrap(), &headers).is_ok(), "{address}");
        }
    }

    #[test]
    fn it_is_no_proxy() {
        let mut headers = HeaderMap::new();
        headers.insert("host", "localhost".parse().unwrap());
        assert!(doors().check(&Method::CONNECT, &"localhost:80".parse().unwrap(), &headers).is_err());
    }
}
