//! The embedding matcher: notes become vectors at an endpoint, and near vectors mean the same.

use std::collections::HashMap;
use std::time::Duration;

use autoscorer_judge::{Embeddings, Judgement, Verdict, cosine};

/// The cosine from which on two notes count as the same.
pub(crate) const THRESHOLD: f64 = 0.8;

/// Vectors by note.
#[derive(Default)]
pub(crate) struct Vectors {
    of: HashMap<String, Result<Vec<f32>, String>>,
}

impl Vectors {
    /// Takes what came for these notes.
    pub(crate) fn new(notes: Vec<String>, embeddings: Embeddings) -> Self {
        Self { of: notes.into_iter().zip(embeddings.vectors).collect() }
    }

    /// Compares two notes. One without a vector is a failure, never a difference.
    pub(crate) fn judge(&self, generated: &str, reference: &str, threshold: f64) -> Judgement {
        let vector = |note: &str| match self.of.get(note) {
            Some(Ok(vector)) => Ok(vector),
            Some(Err(why)) => Err(why.clone()),
            None => Err("no vector was asked for".to_owned()),
        };
        let (verdict, reason) = match (vector(generated), vector(reference)) {
            (Ok(one), Ok(other)) => {
                let cosine = cosine(one, other);
                let verdict = if cosine >= threshold { Verdict::Same } else { Verdict::Different };
                (verdict, format!("cosine {cosine:.3}"))
            }
            (Err(why), _) | (_, Err(why)) => (Verdict::Failed, why),
        };
        let reason = Some(reason);
        Judgement {
            verdict,
            confidence: None,
            reason,
            raw: None,
            tokens: 0,
            latency: Duration::ZERO,
            cached: false,
            calls: 0,
        }
    }
}
