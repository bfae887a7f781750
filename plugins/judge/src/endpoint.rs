//! An endpoint: a server's address, the model to ask there, and the key, which only a request's header ever shows.

use std::fmt;

use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::error::JudgeError;

/// A server and a model on it.
#[derive(Clone)]
pub struct Endpoint {
    base: Url,
    model: String,
    key: Option<String>,
    prefix: &'static str,
}

/// What is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Chat,
    Embeddings,
}

impl Service {
    fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Embeddings => "embeddings",
        }
    }
}

impl Endpoint {
    /// A language model's endpoint. The address may end in `/v1`, in a slash, in `/chat/completions`, or in the host.
    pub fn llm(url: &str, model: &str, key: Option<&str>) -> Result<Self, JudgeError> {
        Self::new("LLM", url, model, key)
    }

    /// An embedding model's endpoint; the address as for [`Endpoint::llm`].
    pub fn embedding(url: &str, model: &str, key: Option<&str>) -> Result<Self, JudgeError> {
        Self::new("EMBEDDING", url, model, key)
    }

    pub(crate) fn new(prefix: &'static str, url: &str, model: &str, key: Option<&str>) -> Result<Self, JudgeError> {
        let key = key.map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned);
        let endpoint = Self {
            base: base(url).map_err(|why| wrong(prefix, "MODEL_URL", why))?,
            model: model.trim().to_owned(),
            key,
            prefix,
        };
        if endpoint.model.is_empty() {
            return Err(wrong(prefix, "MODEL", "is empty"));
        }
        endpoint.authorization().map_err(|why| wrong(prefix, "API_KEY", why))?;
        Ok(endpoint)
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Where a service is.
    pub(crate) fn address(&self, service: Service) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{}", url.path().trim_end_matches('/'), service.path()));
        url
    }

    /// The header that shows the key.
    pub(crate) fn authorization(&self) -> Result<Option<HeaderValue>, &'static str> {
        let Some(key) = &self.key else { return Ok(None) };
        let mut value =
            HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| "has characters that no header can carry")?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// A text of the server's without the key, should it repeat it.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| text.replace(key.as_str(), "***"))
    }

    /// The name of a setting of this endpoint, such as `LLM_API_KEY`.
    pub(crate) fn setting(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }
}

fn wrong(prefix: &str, name: &str, message: &str) -> JudgeError {
    JudgeError::Setting { name: format!("{prefix}_{name}"), message: message.to_owned() }
}

/// The address below which the services are.
fn base(text: &str) -> Result<Url, &'static str> {
    const EXPECTED: &str = "is no address: it must look like https://host/v1";
    let mut url = Url::parse(text.trim()).map_err(|_| EXPECTED)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(EXPECTED);
    }
    url.set_fragment(None);
    let mut path = url.path().trim_end_matches('/').to_owned();
    for service in [Service::Chat, Service::Embeddings] {
        if let Some(rest) = path.strip_suffix(service.path()).and_then(|rest| rest.strip_suffix('/')) {
            url.set_path(rest);
            return Ok(url);
        }
    }
    if !path.split('/').any(is_version) {
        path.push_str("/v1");
    }
    url.set_path(&path);
    Ok(url)
}

/// Whether a part of a path says which version of the API is meant (`v1`, `v1beta`, `openai`), so that none has to be added.
fn is_version(part: &str) -> bool {
    part == "openai" || part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Host and path only: users and parameters in an address may be secrets.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}://{}", self.model, self.base.scheme(), self.base.host_str().unwrap_or_default())?;
        if let Some(port) = self.base.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.base.path())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(url: &str) -> String {
        Endpoint::llm(url, "m", None).unwrap().address(Service::Chat).to_string()
    }

    #[test]
    fn any_form_of_an_address_leads_to_the_service() {
        for url in [
            "http://h:8",
            "http://h:8/",
            "http://h:8/v1",
            " http://h:8/v1/ ",
            "http://h:8/v1/chat/completions",
            "http://h:8/v1/embeddings/",
        ] {
            assert_eq!(chat(url), "http://h:8/v1/chat/completions", "{url}");
        }
        assert_eq!(chat("https://h/api/v4"), "https://h/api/v4/chat/completions");
        assert_eq!(chat("https://h/v1beta/openai/"), "https://h/v1beta/openai/chat/completions");
        assert_eq!(chat("https://h/team"), "https://h/team/v1/chat/completions");
        assert_eq!(chat("https://h/chat/completions"), "https://h/chat/completions");
        assert_eq!(
            chat("https://h/d/x/chat/completions?api-version=1"),
            "https://h/d/x/chat/completions?api-version=1"
        );
    }

    #[test]
    fn what_is_no_address_is_an_error_that_names_its_setting() {
        for url in ["", "localhost:8080", "ftp://h/v1", "not a url"] {
            let error = Endpoint::llm(url, "m", None).unwrap_err().to_string();
            assert!(error.starts_with("LLM_MODEL_URL: "), "{error}");
        }
        assert!(Endpoint::embedding("http://h", " ", None).unwrap_err().to_string().starts_with("EMBEDDING_MODEL: "));
    }

    #[test]
    fn nothing_shows_a_key() {
        let endpoint = Endpoint::llm("https://user:word@h/v1?token=quiet", "m", Some("sk-secret")).unwrap();
        let header = endpoint.authorization().unwrap().unwrap();
        for shown in [
            format!("{endpoint}"),
            format!("{endpoint:?}"),
            format!("{header:?}"),
            endpoint.redact("bad key sk-secret"),
        ] {
            assert!(["secret", "word", "quiet"].iter().all(|secret| !shown.contains(secret)), "{shown}");
        }
        let error = Endpoint::llm("https://h", "m", Some("sk-\nsecret")).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}
