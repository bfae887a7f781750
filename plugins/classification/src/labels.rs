//! The choice of labels that averages are over.

use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::text::Text;
use serde::Deserialize;
use serde_json::Value;

use crate::confusion::{Class, Confusion};

/// Which labels the averages are over.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum Labels {
    Union,
    Gt,
    Listed(Vec<String>),
}

impl ParamType for Labels {
    const SCHEMA: Text =
        Text::Raw(r#""oneOf":[{"enum":["union","gt"]},{"type":"array","items":{"type":"string"},"minItems":1}]"#);
}

impl TryFrom<Value> for Labels {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match &value {
            Value::String(text) if text == "union" => Ok(Self::Union),
            Value::String(text) if text == "gt" => Ok(Self::Gt),
            Value::Array(list) if !list.is_empty() => {
                serde_json::from_value(value).map(Self::Listed).map_err(|e| e.to_string())
            }
            _ => Err("expected \"union\", \"gt\" or a list of labels".to_owned()),
        }
    }
}

/// The labels chosen, with what there is to know about each.
pub(crate) struct Chosen<'l> {
    pub(crate) labels: Vec<&'l str>,
    pub(crate) classes: Vec<Class>,
}

impl Labels {
    /// The classes that are averaged over. A listed label that never occurs counts as a class with nothing in it.
    pub(crate) fn choose<'l>(&'l self, confusion: &Confusion<'l>) -> Chosen<'l> {
        let all = confusion.labels.iter().copied().zip(confusion.classes.iter().copied());
        let (labels, classes) = match self {
            Self::Union => all.unzip(),
            Self::Gt => all.filter(|(_, class)| class.support > 0).unzip(),
            Self::Listed(list) => {
                let mut list: Vec<&str> = list.iter().map(String::as_str).collect();
                list.sort_unstable();
                list.dedup();
                let class = |label: &str| {
                    let place = confusion.labels.binary_search(&label);
                    place.map_or_else(|_| Class::default(), |place| confusion.classes[place])
                };
                list.into_iter().map(|label| (label, class(label))).unzip()
            }
        };
        Chosen { labels, classes }
    }
}
