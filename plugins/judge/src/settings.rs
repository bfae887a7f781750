//! Settings: whom to ask, how many at once, how patiently, and where verdicts are remembered.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dotenv::Dotenv;
use crate::endpoint::Endpoint;
use crate::error::JudgeError;
use crate::verdicts::NAME as VERDICTS;

/// Whom to ask, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The language model that compares meanings.
    pub llm: Option<Endpoint>,
    /// The language model's name, also where its address is unknown: verdicts are remembered by it.
    pub llm_model: Option<String>,
    /// The model that turns texts into vectors.
    pub embedding: Option<Endpoint>,
    /// Calls in flight, at most.
    pub concurrency: usize,
    /// Votes on each pair, an odd number; the majority decides. One vote is asked for at temperature 0.
    pub votes: u32,
    /// How long a call may take.
    pub timeout: Duration,
    /// How often a call that failed is made again; twice as often while the server answers others.
    pub retries: u32,
    /// The pause before the first of these retries; it doubles from one to the next.
    pub pause: Duration,
    /// How long to wait for a server that says it is asked too often and answers nobody meanwhile.
    pub patience: Duration,
    /// The folder that remembers verdicts and vectors; without one they are forgotten.
    pub cache: Option<PathBuf>,
    /// The names of settings that were looked for and are absent.
    pub missing: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            llm: None,
            llm_model: None,
            embedding: None,
            concurrency: 16,
            votes: 1,
            timeout: Duration::from_secs(60),
            retries: 5,
            pause: Duration::from_millis(500),
            patience: Duration::from_secs(300),
            cache: None,
            missing: Vec::new(),
        }
    }
}

const LLM: [&str; 3] = ["LLM_MODEL_URL", "LLM_MODEL", "LLM_API_KEY"];
const EMBEDDING: [&str; 3] = ["EMBEDDING_MODEL_URL", "EMBEDDING_MODEL", "EMBEDDING_API_KEY"];

impl Settings {
    /// Takes the endpoints from the environment or, where that is silent, from a `.env` file; a language model that is
    /// named goes before either. Absent ones are no error until they are needed; a file that is named but cannot be read
    /// is one.
    pub fn from_env(dotenv: Option<&Path>, llm_model: Option<&str>) -> Result<Self, JudgeError> {
        let file = dotenv.map(Dotenv::read).transpose()?.unwrap_or_default();
        Self::from_lookup(|name| {
            let named = llm_model.filter(|_| name == LLM[1]).map(str::to_owned);
            let set = || std::env::var(name).ok().filter(|value| !value.trim().is_empty());
            named.or_else(set).or_else(|| file.get(name))
        })
    }

    /// The same from any source of values.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, JudgeError> {
        let mut settings = Self::default();
        settings.llm = settings.endpoint("LLM", LLM, &lookup)?;
        settings.llm_model = lookup(LLM[1]).map(|model| model.trim().to_owned()).filter(|model| !model.is_empty());
        settings.embedding = settings.endpoint("EMBEDDING", EMBEDDING, &lookup)?;
        Ok(settings)
    }

    /// The language model, or an error that names what is missing.
    pub fn need_llm(&self) -> Result<&Endpoint, JudgeError> {
        self.llm.as_ref().ok_or_else(|| self.lacking("llm", &LLM[..2]))
    }

    /// Of address and model the one that is there and the one that is not, where a language model has only one of them.
    pub fn half_llm(&self) -> Option<[&'static str; 2]> {
        let [url, model] = [LLM[0], LLM[1]];
        match [url, model].map(|name| self.missing.contains(&name)) {
            [true, false] => Some([model, url]),
            [false, true] => Some([url, model]),
            _ => None,
        }
    }

    /// The language model's name.
    pub fn model(&self) -> Option<&str> {
        self.llm.as_ref().map(Endpoint::model).or(self.llm_model.as_deref())
    }

    /// The language model's name, which is enough where all verdicts are remembered, or an error that names what is missing.
    pub fn need_model(&self) -> Result<&str, JudgeError> {
        self.model().ok_or_else(|| self.lacking("llm", &LLM[..2]))
    }

    /// Whether there are verdicts of earlier runs.
    pub fn remembers(&self) -> bool {
        self.cache.as_ref().is_some_and(|folder| folder.join(VERDICTS).exists())
    }

    /// The embedding model, or an error that names what is missing.
    pub fn need_embedding(&self) -> Result<&Endpoint, JudgeError> {
        self.embedding.as_ref().ok_or_else(|| self.lacking("embedding", &EMBEDDING[..2]))
    }

    /// Numbers that make no sense are an error before the first call.
    pub(crate) fn check(&self) -> Result<(), JudgeError> {
        let wrong =
            |name: &str, message: &str| Err(JudgeError::Setting { name: name.to_owned(), message: message.to_owned() });
        match (self.concurrency, self.votes) {
            (0, _) => wrong("concurrency", "must be at least 1"),
            (_, votes) if votes % 2 == 0 => wrong("votes", "must be an odd number, so that there is a majority"),
            _ => Ok(()),
        }
    }

    /// A key may be absent, since servers of one's own need none.
    fn endpoint(
        &mut self,
        prefix: &'static str,
        names: [&'static str; 3],
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Endpoint>, JudgeError> {
        let [url, model, key] = names.map(|name| lookup(name).filter(|value| !value.trim().is_empty()));
        self.missing
            .extend(names.iter().zip([&url, &model]).filter(|(_, value)| value.is_none()).map(|(name, _)| *name));
        let (Some(url), Some(model)) = (url, model) else { return Ok(None) };
        Endpoint::new(prefix, &url, &model, key.as_deref()).map(Some)
    }

    fn lacking(&self, what: &'static str, names: &[&'static str]) -> JudgeError {
        let absent: Vec<_> = names.iter().copied().filter(|name| self.missing.contains(name)).collect();
        JudgeError::Missing { what, names: if absent.is_empty() { names.to_vec() } else { absent } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(values: &[(&str, &str)]) -> Settings {
        Settings::from_lookup(|name| values.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())).unwrap()
    }

    #[test]
    fn a_key_is_not_needed_but_an_address_and_a_model_are() {
        assert!(settings(&[("LLM_MODEL_URL", "http://h"), ("LLM_MODEL", "m")]).need_llm().is_ok());
        let error = settings(&[("LLM_MODEL_URL", "http://h"), ("LLM_MODEL", "  ")]).need_llm().unwrap_err();
        assert!(matches!(error, JudgeError::Missing { what: "llm", names } if names == ["LLM_MODEL"]));
        assert_eq!(settings(&[("LLM_MODEL", "m")]).half_llm(), Some(["LLM_MODEL", "LLM_MODEL_URL"]));
        assert_eq!(settings(&[("LLM_MODEL_URL", "http://h")]).half_llm(), Some(["LLM_MODEL_URL", "LLM_MODEL"]));
        assert_eq!(settings(&[]).half_llm(), None);
        let error = settings(&[]).need_embedding().unwrap_err().to_string();
        assert!(error.contains("EMBEDDING_MODEL_URL and EMBEDDING_MODEL"), "{error}");
    }

    #[test]
    fn an_even_number_of_votes_has_no_majority() {
        assert!(Settings { votes: 2, ..Settings::default() }.check().is_err());
        assert!(Settings { concurrency: 0, ..Settings::default() }.check().is_err());
        assert!(Settings { votes: 3, ..Settings::default() }.check().is_ok());
    }
}
