//! Vectors of texts.

use crate::error::JudgeError;
use crate::settings::Settings;
use crate::usage::{Progress, Usage};

/// Vectors in the order of the texts, and what they cost.
#[derive(Debug, Clone, Default)]
pub struct Embeddings {
    /// For each text its vector, or why there is none. The vector of a blank text is empty.
    pub vectors: Vec<Result<Vec<f32>, String>>,
    /// What they cost.
    pub usage: Usage,
}

/// Turns texts into vectors, in batches, several at once. Blocks until all are done or `stop` says so.
pub fn embed(
    texts: &[String],
    settings: &Settings,
    _stop: &(dyn Fn() -> bool + Sync),
    _progress: &(dyn Fn(&Progress) + Sync),
) -> Result<Embeddings, JudgeError> {
    settings.check()?;
    settings.need_embedding()?;
    Ok(Embeddings {
        vectors: texts.iter().map(|_| Err("no calls are made yet".to_owned())).collect(),
        usage: Usage::default(),
    })
}

/// The cosine of two vectors; 0 where one of them has no direction or their lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    if norm > 0.0 && norm.is_finite() { (dot(a, b) / norm).clamp(-1.0, 1.0) } else { 0.0 }
}
