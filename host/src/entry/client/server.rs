//! A server: one daemon at one address, called in the name of one token.

use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::refusal::{refused, unreachable};
use crate::entry::client_args::ServerArgs;
use crate::entry::print;

/// A daemon says something at least every ten seconds, even if nothing happens…
const SILENCE: Duration = Duration::from_secs(60);

/// …but only once it has all of the request. It takes none that comes more slowly, in bytes a second.
const SLOWEST: u64 = 16 << 10;

const CONNECT: Duration = Duration::from_secs(10);

/// An answer longer than this is not one of ours.
const LONGEST_ANSWER: usize = 256 << 20;

/// A daemon.
pub struct Server {
    http: Client,
    base: Url,
    headers: HeaderMap,
}

impl Server {
    /// Prepares calls; none is made yet.
    pub fn new(args: &ServerArgs) -> Result<Self, ScoreError> {
        let base = address(&args.server)?;
        let mut headers = HeaderMap::new();
        if let Some(token) = &args.token {
            headers.insert(AUTHORIZATION, bearer(&token.0)?);
            if base.scheme() == "http" && !is_local(&base) {
                print::err(print::warning(&name(&base), "the token goes over the network in clear; use https"));
            }
        }
        Ok(Self { http: client(&base, &headers, SILENCE)?, base, headers })
    }

    /// The same daemon, waited for as long as a request of this size may take on its way.
    pub fn for_upload(&self, size: usize) -> Result<Self, ScoreError> {
        let http = client(&self.base, &self.headers, silence(size))?;
        Ok(Self { http, base: self.base.clone(), headers: self.headers.clone() })
    }

    /// The address as it is shown.
    pub fn name(&self) -> String {
        name(&self.base)
    }

    /// A call that is yet to be sent.
    pub fn call(&self, method: Method, path: &str, query: &[(&str, String)]) -> RequestBuilder {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.http.request(method, url)
    }

    /// Sends a call; an answer that is no refusal is given as it comes.
    pub async fn send(&self, call: RequestBuilder) -> Result<Response, ScoreError> {
        let mut response = call.send().await.map_err(|error| unreachable(&self.name(), &error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let body = self.read(&mut response).await?;
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        Err(refused(&self.name(), response.status().as_u16(), &body, wait))
    }

    /// Sends a call and understands its answer.
    pub async fn ask<T: DeserializeOwned>(&self, call: RequestBuilder) -> Result<T, ScoreError> {
        let mut response = self.send(call).await?;
        let body = self.read(&mut response).await?;
        let data =
            serde_json::from_slice::<Value>(&body).ok().and_then(|mut answer| answer.get_mut("data").map(Value::take));
        data.and_then(|data| serde_json::from_value(data).ok())
            .ok_or_else(|| refused(&self.name(), response.status().as_u16(), &body, None))
    }

    /// Asks for what is at a path.
    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, String)]) -> Result<T, ScoreError> {
        self.ask(self.call(Method::GET, path, query)).await
    }

    async fn read(&self, response: &mut Response) -> Result<Vec<u8>, ScoreError> {
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| unreachable(&self.name(), &error))? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > LONGEST_ANSWER {
                break;
            }
        }
        Ok(bytes)
    }
}

fn client(base: &Url, headers: &HeaderMap, silence: Duration) -> Result<Client, ScoreError> {
    // The one who installs it first has installed the same.
    _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .default_headers(headers.clone())
        .connect_timeout(CONNECT)
        .read_timeout(silence)
        // A token does not follow a redirection to somebody else.
        .redirect(reqwest::redirect::Policy::none());
    if base.scheme() == "http" {
        // A machine without any certificates can still talk to a daemon of its own.
        builder = builder.tls_certs_only([]);
    }
    if is_local(base) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| unreachable(&name(base), &error))
}

/// The time without an answer counts from the first byte that is sent.
fn silence(size: usize) -> Duration {
    SILENCE + Duration::from_secs(size as u64 / SLOWEST)
}

fn address(text: &str) -> Result<Url, ScoreError> {
    let wrong = |message: &str| {
        ScoreError::new(ErrorCode::InvalidParams, message)
            .expected("an address such as http://127.0.0.1:8080")
            .hint("give it with --server or AUTOSCORER_SERVER")
            .at_stage("usage")
    };
    let url = Url::parse(text).map_err(|error| wrong(&format!("the address of the server makes no sense: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("the address of the server is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("the address of the server holds more than host, port and path"));
    }
    Ok(url)
}

/// The text never shows the token.
fn bearer(token: &str) -> Result<HeaderValue, ScoreError> {
    let sane = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let value = Some(token).filter(|_| sane).and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    let mut value = value.ok_or_else(|| {
        ScoreError::new(ErrorCode::InvalidParams, "the token holds characters that no token has, or none at all")
            .hint("copy it as 'autoscorer tokens add' has shown it, without spaces or line ends")
            .at_stage("usage")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn name(base: &Url) -> String {
    base.as_str().trim_end_matches('/').to_owned()
}

fn is_local(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_upload_has_the_time_that_the_daemon_gives_it() {
        assert_eq!(silence(0), SILENCE);
        assert_eq!(silence(160 << 20), SILENCE + Duration::from_secs(10_240));
    }
}
