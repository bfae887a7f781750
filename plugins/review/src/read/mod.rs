//! Files become comments, references and pull requests.

pub(crate) mod comment;
pub(crate) mod files;
pub(crate) mod input;
pub(crate) mod line;
pub(crate) mod pull;
pub(crate) mod reference;
pub(crate) mod space;
pub(crate) mod surrogate;
pub(crate) mod tagged;
pub(crate) mod vocabulary;
