//! Typed parameters: from the JSON of `meta.json` and the command line to a struct, with errors that name the key.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{ErrorCode, ScoreError};
use crate::faults::Faults;
use crate::suggest;
use crate::text::Text;

/// The parameters of a scorer. [`params!`](crate::params!) writes the implementation.
pub trait Params: Sized {
    /// The JSON schema, as the compiler puts it into the metadata.
    const SCHEMA: Text;

    /// Reads the parameters; a key that is absent has its default.
    fn from_json(given: Map<String, Value>) -> Result<Self, Faults>;
}

/// A type that a parameter can have.
pub trait ParamType: DeserializeOwned {
    /// The members of its JSON schema, without braces: `"type":"number"`.
    const SCHEMA: Text;
}

/// The parameters of a scorer that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoParams;

impl Params for NoParams {
    const SCHEMA: Text = Text::Raw(r#"{"type":"object","properties":{},"additionalProperties":false}"#);

    fn from_json(given: Map<String, Value>) -> Result<Self, Faults> {
        Reader::new(given, &[]).finish()?;
        Ok(NoParams)
    }
}

/// Defines a struct of parameters: each with its documentation, its type, and its default as JSON.
///
/// ```
/// use autoscorer_plugin_api::prelude::*;
///
/// params! {
///     /// What my scorer can be told.
///     pub struct MyParams {
///         /// The smallest score that passes.
///         pass_threshold: f64 = 0.8,
///         /// The column with the label.
///         label_column: String = "label",
///     }
/// }
///
/// let params = MyParams::from_json(Default::default()).unwrap();
/// assert_eq!(params.pass_threshold, 0.8);
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident : $type:ty = $default:expr),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl $crate::params::Params for $name {
            const SCHEMA: $crate::text::Text = $crate::text::Text::Joined(&[
                $crate::text::Text::Raw("{\"type\":\"object\",\"properties\":{"),
                $crate::text::Text::Listed(&[
                    $($crate::text::Text::Joined(&[
                        $crate::text::Text::Quoted(stringify!($field)),
                        $crate::text::Text::Raw(":{\"description\":"),
                        $crate::text::Text::Doc(&[$($doc),+]),
                        $crate::text::Text::Raw(",\"default\":"),
                        $crate::text::Text::Raw(stringify!($default)),
                        $crate::text::Text::Raw(","),
                        <$type as $crate::params::ParamType>::SCHEMA,
                        $crate::text::Text::Raw("}"),
                    ]),)*
                ]),
                $crate::text::Text::Raw("},\"additionalProperties\":false}"),
            ]);

            fn from_json(
                given: $crate::serde_json::Map<String, $crate::serde_json::Value>,
            ) -> ::std::result::Result<Self, $crate::faults::Faults> {
                let mut reader = $crate::params::Reader::new(given, &[$(stringify!($field)),*]);
                $(let $field = reader.take::<$type>(stringify!($field), stringify!($default));)*
                reader.finish()?;
                Ok(Self { $($field: $field?),* })
            }
        }
    };
}

/// Takes parameters out of the JSON one by one and notes every fault on the way.
#[doc(hidden)]
pub struct Reader {
    given: Map<String, Value>,
    known: &'static [&'static str],
    faults: Faults,
}

impl Reader {
    pub fn new(given: Map<String, Value>, known: &'static [&'static str]) -> Self {
        Self { given, known, faults: Faults::none() }
    }

    /// The value of a key, or of its default. A fault is noted here and returned for the struct that cannot be built.
    pub fn take<T: ParamType>(&mut self, key: &str, default: &str) -> Result<T, Faults> {
        let read = match self.given.remove(key) {
            Some(value) => read_given(key, value),
            None => serde_json::from_str(default).map_err(|error| {
                let message = format!("the scorer's own default of '{key}' ({default}) does not fit its type: {error}");
                ScoreError::new(ErrorCode::InvalidParams, message).hint("report it to the scorer's author")
            }),
        };
        read.map_err(|fault| {
            self.faults.push(fault.clone());
            Faults::from(fault)
        })
    }

    /// `Err` with every fault, unknown keys among them.
    pub fn finish(mut self) -> Result<(), Faults> {
        for key in self.given.keys() {
            self.faults.push(unknown_key(key, self.known));
        }
        self.faults.into_result()
    }
}

fn read_given<T: ParamType>(key: &str, value: Value) -> Result<T, ScoreError> {
    let (shown, word) = (value.to_string(), value.as_str().unwrap_or_default().to_owned());
    serde_json::from_value(value).map_err(|error| {
        let expected = type_name(&schema_of::<T>());
        let near = suggest::nearest(&word, expected.split(" | ")).map(|near| format!("did you mean '{near}'?"));
        let error = ScoreError::new(ErrorCode::InvalidParams, format!("params.{key}: {}", in_words(&error)))
            .found(shown)
            .expected(expected)
            .detail("key", key);
        near.map_or(error.clone(), |near| error.hint(near))
    })
}

/// Types by the names that people have for them, and not Rust.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let names = [
        ("f64", "a number"),
        ("i64", "a whole number"),
        ("u64", "a whole number, not negative"),
        ("usize", "a whole number, not negative"),
        ("a sequence", "a list"),
    ];
    let name = names.iter().find_map(|(rust, name)| Some(format!("{}{name}", text.strip_suffix(rust)?)));
    name.unwrap_or(text)
}

fn schema_of<T: ParamType>() -> Value {
    serde_json::from_str(&format!("{{{}}}", T::SCHEMA.to_text())).unwrap_or_default()
}

/// A schema in a word or two.
pub fn type_name(schema: &Value) -> String {
    let list =
        |values: &Vec<Value>, each: fn(&Value) -> String| values.iter().map(each).collect::<Vec<_>>().join(" | ");
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return list(values, |value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        return list(choices, type_name);
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = schema.get("items").map(type_name).unwrap_or_else(|| "any".to_owned());
            format!("list of {items}")
        }
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => list(names, |name| name.as_str().unwrap_or_default().to_owned()),
        _ => "any".to_owned(),
    }
}

/// The fault of a key that a scorer does not know.
pub fn unknown_key(key: &str, known: &[&str]) -> ScoreError {
    let expected = match known {
        [] => "no parameters: this scorer has none".to_owned(),
        _ => format!("one of {}", known.join(", ")),
    };
    let mut error =
        ScoreError::new(ErrorCode::InvalidParams, format!("params.{key}: this scorer has no such parameter"))
            .expected(expected)
            .detail("key", key);
    if let Some(near) = suggest::nearest(key, known.iter().copied()) {
        error = error.hint(format!("did you mean '{near}'?"));
    }
    error
}

macro_rules! param_type {
    ($($type:ty => $schema:literal),* $(,)?) => {
        $(impl ParamType for $type {
            const SCHEMA: Text = Text::Raw($schema);
        })*
    };
}

param_type! {
    bool => r#""type":"boolean""#,
    f64 => r#""type":"number""#,
    i64 => r#""type":"integer""#,
    u64 => r#""type":"integer","minimum":0"#,
    usize => r#""type":"integer","minimum":0"#,
    String => r#""type":"string""#,
    Vec<String> => r#""type":"array","items":{"type":"string"}"#,
    Vec<f64> => r#""type":"array","items":{"type":"number"}"#,
    Option<String> => r#""type":["string","null"]"#,
    Option<f64> => r#""type":["number","null"]"#,
    Option<u64> => r#""type":["integer","null"],"minimum":0"#,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    params! {
        /// Of a scorer in a test.
        struct Sample {
            /// The "least" score
            /// that passes.
            pass_threshold: f64 = 0.8,
            /// The column.
            column: String = "label",
            /// Borders.
            borders: Vec<f64> = [0.5, 1],
        }
    }

    fn read(given: Value) -> Result<Sample, Faults> {
        Sample::from_json(given.as_object().unwrap().clone())
    }

    #[test]
    fn absent_keys_have_their_defaults() {
        let params = read(json!({"column": "class"})).unwrap();
        assert_eq!((params.pass_threshold, params.column.as_str()), (0.8, "class"));
        assert_eq!(params.borders, [0.5, 1.0]);
    }

    #[test]
    fn every_fault_names_its_key() {
        let faults = read(json!({"pass_threshold": "high", "colunm": "x"})).unwrap_err();
        let messages: Vec<_> = faults.list.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "params.pass_threshold: invalid type: string \"high\", expected a number",
                "params.colunm: this scorer has no such parameter"
            ]
        );
        assert_eq!(faults.list[1].details.hint.as_deref(), Some("did you mean 'column'?"));
        assert_eq!(faults.list[1].details.expected.as_deref(), Some("one of pass_threshold, column, borders"));
    }

    #[test]
    fn a_slip_in_a_choice_is_recognised() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Average {
            Macro,
            Micro,
        }
        impl ParamType for Average {
            const SCHEMA: Text = Text::Raw(r#""enum":["macro","micro"]"#);
        }
        let hint = |word: &str| read_given::<Average>("average", json!(word)).unwrap_err().details.hint;
        assert_eq!(hint("makro").as_deref(), Some("did you mean 'macro'?"));
        assert_eq!(hint("harmonic"), None);
        assert!(matches!(read_given("average", json!("macro")), Ok(Average::Macro)));
        assert!(matches!(read_given("average", json!("micro")), Ok(Average::Micro)));
    }

    #[test]
    fn schemas_in_a_word_or_two() {
        let named = |schema: Value| type_name(&schema);
        assert_eq!(named(json!({"type": "number"})), "number");
        assert_eq!(named(json!({"type": ["string", "null"]})), "string | null");
        assert_eq!(named(json!({"enum": ["a", "b"]})), "a | b");
        let either = json!({"oneOf": [{"enum": ["all"]}, {"type": "array", "items": {"type": "string"}}]});
        assert_eq!(named(either), "all | list of string");
        assert_eq!(named(json!({})), "any");
    }

    #[test]
    fn the_schema_is_json_and_holds_what_the_author_wrote() {
        const BYTES: [u8; Sample::SCHEMA.len()] = Sample::SCHEMA.render();
        let schema: Value = serde_json::from_slice(&BYTES).unwrap();
        let threshold = &schema["properties"]["pass_threshold"];
        assert_eq!(threshold["description"], "The \"least\" score that passes.");
        assert_eq!((threshold["default"].as_f64(), threshold["type"].as_str()), (Some(0.8), Some("number")));
        assert_eq!(schema["properties"]["borders"]["default"], json!([0.5, 1]));
    }
}
