//! The parameters of a scorer in another language, checked against the schema of its metadata.
//!
//! Scorers in Rust check theirs themselves, by their types. What is understood of JSON Schema is what `params!` writes:
//! `properties`, `default`, `type`, `enum`, `oneOf`, `items`, `minimum`.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::params::{type_name, unknown_key};
use serde_json::{Map, Value};

/// The given parameters with the defaults of those that are absent, or every fault among them.
pub fn complete(schema: &Value, given: &Map<String, Value>) -> Result<Map<String, Value>, Faults> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let open = schema.get("additionalProperties").and_then(Value::as_bool) == Some(true);
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let mut faults = Faults::none();
    let mut complete = given.clone();
    for (key, schema) in properties {
        match given.get(key).or_else(|| schema.get("default")) {
            Some(value) if !fits(value, schema) => faults.push(misfit(key, value, schema, given.contains_key(key))),
            Some(value) => _ = complete.insert(key.clone(), value.clone()),
            None => {}
        }
    }
    for key in given.keys().filter(|key| !open && !properties.contains_key(*key)) {
        faults.push(unknown_key(key, &known));
    }
    faults.into_result()?;
    Ok(complete)
}

fn misfit(key: &str, value: &Value, schema: &Value, given: bool) -> ScoreError {
    let (message, hint) = match given {
        true => (format!("params.{key}: a value of the wrong type"), None),
        false => {
            (format!("the scorer's own default of '{key}' does not fit its type"), Some("report it to its author"))
        }
    };
    let fault = ScoreError::new(ErrorCode::InvalidParams, message)
        .found(value.to_string())
        .expected(type_name(schema))
        .detail("key", key);
    hint.map_or(fault.clone(), |hint| fault.hint(hint))
}

/// What the schema does not speak of, fits.
fn fits(value: &Value, schema: &Value) -> bool {
    let list = |name: &str| schema.get(name).and_then(Value::as_array);
    let of_type = match schema.get("type") {
        Some(Value::String(name)) => is_a(value, name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(|name| is_a(value, name)),
        _ => true,
    };
    let large_enough = match (value.as_f64(), schema.get("minimum").and_then(Value::as_f64)) {
        (Some(value), Some(minimum)) => value >= minimum,
        _ => true,
    };
    let items_fit = match (value.as_array(), schema.get("items")) {
        (Some(values), Some(items)) => values.iter().all(|value| fits(value, items)),
        _ => true,
    };
    of_type
        && large_enough
        && items_fit
        && list("enum").is_none_or(|choices| choices.contains(value))
        && list("oneOf").is_none_or(|choices| choices.iter().any(|choice| fits(value, choice)))
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn completed(schema: Value, given: Value) -> Result<Value, Vec<String>> {
        let properties = json!({"type": "object", "properties": schema});
        complete(&properties, given.as_object().unwrap())
            .map(Value::Object)
            .map_err(|faults| faults.list.into_iter().map(|fault| fault.message).collect())
    }

    #[test]
    fn defaults_fill_what_is_absent() {
        let schema = json!({"a": {"type": "number", "default": 0.5}, "b": {"type": "string"}});
        assert_eq!(completed(schema.clone(), json!({})), Ok(json!({"a": 0.5})));
        assert_eq!(completed(schema, json!({"a": 1, "b": "x"})), Ok(json!({"a": 1, "b": "x"})));
    }

    #[test]
    fn every_fault_is_found() {
        let schema = json!({"a": {"type": ["number", "null"], "minimum": 0}, "b": {"enum": ["x", "y"]},
            "c": {"type": "array", "items": {"type": "string"}}, "d": {"oneOf": [{"type": "boolean"}, {"enum": ["all"]}]}});
        assert!(completed(schema.clone(), json!({"a": null, "b": "y", "c": ["s"], "d": "all"})).is_ok());
        let wrong = [json!({"a": -1}), json!({"a": "1"}), json!({"b": "z"}), json!({"c": [1]}), json!({"d": "some"})];
        for given in wrong {
            assert!(completed(schema.clone(), given.clone()).is_err(), "{given}");
        }
        let faults = completed(schema, json!({"a": true, "e": 1})).unwrap_err();
        assert_eq!(faults, ["params.a: a value of the wrong type", "params.e: this scorer has no such parameter"]);
    }

    #[test]
    fn a_default_that_does_not_fit_is_the_authors() {
        let faults = completed(json!({"a": {"type": "number", "default": "half"}}), json!({})).unwrap_err();
        assert_eq!(faults, ["the scorer's own default of 'a' does not fit its type"]);
    }
}
