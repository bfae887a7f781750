//! A check of JSON against the part of JSON Schema that the OpenAPI document uses. What it does not know fails.

use serde_json::Value;

const KNOWN: [&str; 14] = [
    "type",
    "properties",
    "required",
    "items",
    "oneOf",
    "allOf",
    "$ref",
    "enum",
    "description",
    "format",
    "minimum",
    "additionalProperties",
    "title",
    "default",
];

/// Asserts that a value is what a schema of a document says.
pub fn assert_valid(document: &Value, schema: &Value, value: &Value, place: &str) {
    if let Err(fault) = check(document, schema, value) {
        panic!("{place}: {fault}\nin {value:#}");
    }
}

fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let fields = schema.as_object().ok_or_else(|| format!("no schema: {schema}"))?;
    if let Some(unknown) = fields.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!("the schema has an unknown word {unknown}"));
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/components/schemas/").ok_or("a foreign reference")?;
        return check(document, &document["components"]["schemas"][name], value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices.iter().any(|choice| check(document, choice, value).is_ok());
        return if fits { Ok(()) } else { Err(format!("none of {} fits", schema["oneOf"])) };
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        check(document, part, value)?;
    }
    check_type(schema, value)?;
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        value.get(name).ok_or_else(|| format!("{name} is missing"))?;
    }
    if let (Some(properties), Some(members)) = (schema["properties"].as_object(), value.as_object()) {
        for (name, member) in members {
            let property = properties.get(name).ok_or_else(|| format!("{name} is not described"))?;
            check(document, property, member).map_err(|fault| format!("{name}: {fault}"))?;
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        check(document, &schema["items"], item).map_err(|fault| format!("[{number}]: {fault}"))?;
    }
    Ok(())
}

fn check_type(schema: &Value, value: &Value) -> Result<(), String> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    let fits = |one: &&str| match *one {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => false,
    };
    if types.iter().any(fits) { Ok(()) } else { Err(format!("{value} is no {types:?}")) }
}
