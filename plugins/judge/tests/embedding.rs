//! Texts turned into vectors by a server: batches, order, what is remembered, what fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to fail")]

mod pairs;
mod standin;

use autoscorer_judge::{Embeddings, JudgeError, Settings, cosine, embed};
use pairs::settings;
use serde_json::{Value, json};
use standin::{Act, Call, Standin, status};

/// The vector of a text: its length and its first letter. The last text comes first.
fn vectors(call: &Call) -> Act {
    assert_eq!(call.path, "/v1/embeddings");
    let texts: Vec<&str> = call.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let vector = |text: &str| json!([text.chars().count(), text.chars().next().map_or(0, u32::from)]);
    let item = |(i, text): (usize, &&str)| json!({"index": i, "embedding": vector(text)});
    let data: Vec<Value> = texts.iter().enumerate().map(item).rev().collect();
    status(200, "", &json!({"data": data, "usage": {"total_tokens": texts.len()}}).to_string())
}

fn run(texts: &[String], settings: &Settings) -> Embeddings {
    embed(texts, settings, &|| false, &|_| {}).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|i| "x".repeat(i + 1)).collect()
}

fn lengths(result: &Embeddings) -> Vec<f32> {
    result.vectors.iter().map(|vector| vector.as_ref().unwrap()[0]).collect()
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Standin::start(vectors);
    let settings = Settings { cache: Some(folder.path().to_owned()), ..settings(&server.url) };
    let first = run(&texts(300), &settings);
    assert_eq!(lengths(&first), (1..=300).map(|i| i as f32).collect::<Vec<_>>());
    assert_eq!((server.calls(), first.usage.tokens, first.usage.done), (5, 300, 300));
    let second = run(&texts(301), &settings);
    assert_eq!((server.calls(), second.usage.cached, second.usage.calls), (6, 300, 1));
    assert_eq!(second.vectors[..300], first.vectors);
}

#[test]
fn equal_texts_are_asked_once_and_blank_ones_never() {
    let server = Standin::start(vectors);
    let texts = ["a", " ", "a", "", "b"].map(str::to_owned);
    let result = run(&texts, &settings(&server.url));
    assert_eq!((result.usage.tokens, result.usage.shared, result.usage.done), (2, 1, 5));
    assert_eq!(result.vectors[0], result.vectors[2]);
    let vector = |i: usize| result.vectors[i].as_ref().unwrap();
    assert!(vector(1).is_empty() && cosine(vector(1), vector(0)) == 0.0);
}

#[test]
fn a_server_that_takes_small_batches_gets_small_ones() {
    let server = Standin::start(|call| match call.body["input"].as_array().unwrap().len() {
        0..=10 => vectors(call),
        _ => status(400, "", "{\"error\": {\"message\": \"at most 10 inputs\"}}"),
    });
    assert_eq!(lengths(&run(&texts(100), &settings(&server.url))), (1..=100).map(|i| i as f32).collect::<Vec<_>>());
}

#[test]
fn a_text_that_the_server_rejects_fails_alone() {
    let server =
        Standin::start(|call| match call.body["input"].as_array().unwrap().iter().any(|text| text == "xxxxx") {
            true => status(400, "", "{\"error\": {\"message\": \"bad text\"}}"),
            false => vectors(call),
        });
    let result = run(&texts(20), &settings(&server.url));
    assert_eq!(result.usage.failed, 1);
    assert!(result.vectors[4].as_ref().unwrap_err().contains("bad text"));
}

#[test]
fn what_passes_is_tried_again_and_a_refusal_is_not() {
    let server = Standin::start(|call| match call.seen {
        0 => status(500, "", ""),
        1 => status(200, "", "{\"data\": []}"),
        _ => vectors(call),
    });
    assert_eq!(run(&texts(10), &settings(&server.url)).usage.retries, 2);
    let refusing = Standin::start(|_| status(401, "", "{}"));
    let error = embed(&texts(10), &settings(&refusing.url), &|| false, &|_| {}).unwrap_err();
    assert!(matches!(&error, JudgeError::Refused { message } if message.contains("EMBEDDING_API_KEY")), "{error}");
}

#[test]
fn a_run_that_is_stopped_says_so_for_each_text() {
    let server = Standin::start(vectors);
    let result = embed(&texts(10), &settings(&server.url), &|| true, &|_| {}).unwrap();
    assert!(result.usage.stopped && result.vectors.iter().all(Result::is_err));
    assert_eq!(server.calls(), 0);
}
