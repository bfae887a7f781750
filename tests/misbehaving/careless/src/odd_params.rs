//! Parameters whose schema or reading is not as it should be.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::params::Params;
use autoscorer_plugin_api::serde_json::{Map, Value};
use autoscorer_plugin_api::text::Text;

/// Parameters with this schema, which take what this function does not object to.
macro_rules! odd {
    ($name:ident, $schema:literal, $objects:expr) => {
        pub struct $name;

        impl Params for $name {
            const SCHEMA: Text = Text::Raw($schema);

            fn from_json(given: Map<String, Value>) -> Result<Self, Faults> {
                let objects: fn(&str) -> bool = $objects;
                match given.keys().find(|key| objects(key)) {
                    Some(key) => Err(Faults::from(ScoreError::new(ErrorCode::InvalidParams, format!("not {key}")))),
                    None => Ok(Self),
                }
            }
        }
    };
}

odd!(AnyParams, r#"{"type":"object","properties":{}}"#, |_| false);
odd!(
    Stubborn,
    r#"{"type":"object","properties":{"depth":{"type":"integer","default":3,"description":"How deep"}}}"#,
    |_| true
);
odd!(Undescribed, r#"{"type":"object","properties":{"depth":{"type":"integer","default":3}}}"#, |key| key != "depth");
odd!(Unset, r#"{"type":"object","properties":{"depth":{"type":"integer","description":"How deep"}}}"#, |key| key
    != "depth");
odd!(Untyped, r#"{"type":"object","properties":{"depth":{"default":3,"description":"How deep"}}}"#, |key| key
    != "depth");
odd!(NoProperties, r#"{"type":"object"}"#, |_| true);
