//! A client: makes one call, under a deadline, and says what kind of failure a failure is.

use std::error::Error;
use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;

use crate::endpoint::{Endpoint, Service};
use crate::error::JudgeError;
use crate::settings::Settings;

/// An answer longer than this is not read to its end.
const LONGEST_BODY: usize = 64 << 20;
/// A complaint of the server is repeated up to this length.
const LONGEST_COMPLAINT: usize = 300;

/// Where trust in a server comes from.
const CERTIFICATES: &str = "; https needs the certificates of the system (package ca-certificates, or SSL_CERT_FILE)";

/// Why a call brought nothing. The texts never hold the key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The key, the address or the model is wrong: no call will ever succeed.
    Refused(String),
    /// This request is wrong: it will be so again.
    Rejected(String),
    /// We ask too often; perhaps with the time to wait.
    Busy(String, Option<Duration>),
    /// It may pass.
    Passing(String),
}

impl Failure {
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Refused(message) | Self::Rejected(message) | Self::Busy(message, _) | Self::Passing(message) => {
                message
            }
        }
    }
}

/// Connections to one service of an endpoint.
pub(crate) struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    address: Url,
    timeout: Duration,
}

impl Client {
    /// Prepares calls; none is made yet.
    pub(crate) fn new(endpoint: &Endpoint, service: Service, settings: &Settings) -> Result<Self, JudgeError> {
        // The one who installs it first has installed the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .default_headers(headers(endpoint))
            .timeout(settings.timeout)
            .connect_timeout(settings.timeout.min(Duration::from_secs(10)))
            .pool_max_idle_per_host(settings.concurrency)
            // A redirected POST becomes a GET; the address has to be put right instead.
            .redirect(reqwest::redirect::Policy::none());
        if !endpoint.is_https() {
            // A machine without any certificates can still talk to a server of its own.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| setup(endpoint, &error))?;
        Ok(Self { http, endpoint: endpoint.clone(), address: endpoint.address(service), timeout: settings.timeout })
    }

    /// Makes one call.
    pub(crate) async fn post(&self, body: &Value) -> Result<Value, Failure> {
        let sent = self.http.post(self.address.clone()).body(body.to_string()).send().await;
        let mut response = sent.map_err(|error| self.lost(&error))?;
        let bytes = read(&mut response).await.map_err(|error| self.lost(&error))?;
        let value: Option<Value> = serde_json::from_slice(&bytes).ok();
        let (status, wait) = (response.status(), retry_after(response.headers(), SystemTime::now()));
        match value {
            Some(value) if status.is_success() && value.get("error").is_none_or(Value::is_null) => Ok(value),
            None if status.is_success() => Err(Failure::Passing("the server's answer is no JSON".to_owned())),
            value => Err(self.failure(status, wait, &self.complaint(value.as_ref(), &bytes), value.as_ref())),
        }
    }

    /// What an answer without a result means.
    fn failure(&self, status: StatusCode, wait: Option<Duration>, complaint: &str, value: Option<&Value>) -> Failure {
        let said = format!("the server answers {}{complaint}", status.as_u16());
        let (url, model) = (self.endpoint.setting("MODEL_URL"), self.endpoint.setting("MODEL"));
        let key = self.endpoint.setting("API_KEY");
        let broke =
            value.and_then(|value| value.pointer("/error/code")).and_then(Value::as_str) == Some("insufficient_quota");
        match status.as_u16() {
            // The complaint is left out: servers like to repeat a part of the key.
            401 if self.endpoint.has_key() => {
                Failure::Refused(format!("the server refuses the key (401): look at {key}"))
            }
            401 => Failure::Refused(format!("the server wants a key (401): set {key}")),
            402 => Failure::Refused(format!("{said}: the account behind {key} has to be paid for")),
            403 => Failure::Refused(format!("{said}: look at what {key} may do, and at {model}")),
            404 | 405 => Failure::Refused(format!("{said}: look at {url} ({}) and {model}", self.endpoint)),
            300..=399 => Failure::Refused(format!("{said}, a redirection: {url} must be the final address")),
            429 if broke => Failure::Refused(format!("{said}: the quota behind {key} is used up")),
            429 => Failure::Busy(said, wait),
            503 if wait.is_some() => Failure::Busy(said, wait),
            200..=299 | 408 | 409 | 425 | 500.. => Failure::Passing(said),
            _ => Failure::Rejected(said),
        }
    }

    /// What the server says about it, without the key.
    fn complaint(&self, value: Option<&Value>, bytes: &[u8]) -> String {
        let words = ["/error/message", "/message", "/detail", "/error"];
        let told = words.iter().find_map(|pointer| value?.pointer(pointer)?.as_str());
        let text =
            told.map_or_else(|| String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST_COMPLAINT)]), Into::into);
        // The key goes first: a cut through it would hide it from the search.
        let text: String = self.endpoint.redact(text.trim()).chars().take(LONGEST_COMPLAINT).collect();
        if text.is_empty() { text } else { format!(" ({text})") }
    }

    /// No answer came, or only a part of one.
    fn lost(&self, error: &reqwest::Error) -> Failure {
        let cause = self.endpoint.redact(&root_cause(error));
        if error.is_timeout() {
            return Failure::Passing(format!("no answer within {} s", self.timeout.as_secs_f64()));
        }
        if !error.is_connect() {
            return Failure::Passing(format!("the connection broke: {cause}"));
        }
        let said = format!("no connection to {}: {cause}", self.endpoint);
        if cause.contains("certificate") { Failure::Refused(said + CERTIFICATES) } else { Failure::Passing(said) }
    }
}

fn setup(endpoint: &Endpoint, error: &reqwest::Error) -> JudgeError {
    JudgeError::Setup(format!("{}{}", root_cause(error), if endpoint.is_https() { CERTIFICATES } else { "" }))
}

fn headers(endpoint: &Endpoint) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    if let Ok(Some(key)) = endpoint.authorization() {
        headers.insert(AUTHORIZATION, key);
    }
    headers
}

async fn read(response: &mut Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_BODY {
            break;
        }
    }
    Ok(bytes)
}

/// The last of the causes, which says most and knows no address.
fn root_cause(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

/// How long the server asks us to wait: seconds, or the time of day when to come back.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str, unit: f64| Duration::try_from_secs_f64(text.parse::<f64>().ok()? / unit).ok();
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1000.0)) {
        return Some(wait);
    }
    let text = text("retry-after")?;
    let until = || httpdate::parse_http_date(text).ok().map(|date| date.duration_since(now).unwrap_or_default());
    seconds(text, 1.0).or_else(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &'static str, value: &str) -> Option<Duration> {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        retry_after(
            &HeaderMap::from_iter([(reqwest::header::HeaderName::from_static(name), value.parse().unwrap())]),
            now,
        )
    }

    #[test]
    fn the_time_to_wait_comes_in_seconds_or_as_a_date() {
        assert_eq!(wait("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for odd in ["soon", "-1", "nan", "inf", "1e300"] {
            assert_eq!(wait("retry-after", odd), None, "{odd}");
        }
    }

    #[test]
    fn a_failure_names_the_setting_and_never_the_key() {
        let endpoint = Endpoint::llm("http://h/v1", "m", Some("sk-secret")).unwrap();
        let client = Client::new(&endpoint, Service::Chat, &Settings::default()).unwrap();
        let failure = |status: u16, body: &str| {
            let value = serde_json::from_str(body).ok();
            let complaint = client.complaint(value.as_ref(), body.as_bytes());
            client.failure(StatusCode::from_u16(status).unwrap(), None, &complaint, value.as_ref())
        };
        let body = r#"{"error": {"message": "key sk-secret is bad", "code": "insufficient_quota"}}"#;
        for (status, setting) in
            [(401, "LLM_API_KEY"), (403, "LLM_API_KEY"), (404, "LLM_MODEL_URL"), (429, "LLM_API_KEY")]
        {
            let failure = failure(status, body);
            assert!(matches!(&failure, Failure::Refused(message) if message.contains(setting)), "{failure:?}");
            assert!(!format!("{failure:?}").contains("sk-secret"));
        }
        assert!(matches!(failure(429, "{}"), Failure::Busy(_, None)));
        assert!(matches!(failure(500, "sk-secret"), Failure::Passing(text) if text == "the server answers 500 (***)"));
        assert!(matches!(failure(422, "{\"detail\": \"no\"}"), Failure::Rejected(_)));
    }
}
