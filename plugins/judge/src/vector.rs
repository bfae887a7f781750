//! Vectors: read from a server's answer, written to the cache, compared.

use serde_json::Value;

/// The cosine of two vectors; 0 where one of them has no direction or their lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    if norm > 0.0 && norm.is_finite() { (dot(a, b) / norm).clamp(-1.0, 1.0) } else { 0.0 }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

/// The vectors of a batch. Their order is told by their index, not by their place; one that is missing, is there twice or
/// is no vector spoils the answer.
pub(crate) fn read(value: &Value, expected: usize) -> Option<Vec<Vec<f32>>> {
    let data = value.get("data")?.as_array().filter(|data| data.len() == expected)?;
    let mut vectors = vec![Vec::new(); expected];
    for (place, item) in data.iter().enumerate() {
        let index = item.get("index").map_or(Some(place as u64), Value::as_u64)?;
        let slot = vectors.get_mut(usize::try_from(index).ok()?).filter(|slot| slot.is_empty())?;
        *slot = item.get("embedding")?.as_array()?.iter().map(number).collect::<Option<_>>()?;
    }
    vectors.iter().all(|vector| !vector.is_empty() && vector.len() == vectors[0].len()).then_some(vectors)
}

fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32).filter(|number| number.is_finite())
}

/// What a batch cost, where the server says so.
pub(crate) fn tokens(value: &Value) -> Option<u64> {
    value.pointer("/usage/total_tokens")?.as_u64()
}

/// A vector as text, exactly and in little room.
pub(crate) fn to_hex(vector: &[f32]) -> String {
    vector.iter().map(|number| format!("{:08x}", number.to_bits())).collect()
}

/// A vector from such a text; nothing if it is none.
pub(crate) fn from_hex(text: &str) -> Option<Vec<f32>> {
    let pieces = text.as_bytes().chunks(8).filter(|_| text.len().is_multiple_of(8));
    let number = |piece: &[u8]| u32::from_str_radix(std::str::from_utf8(piece).ok()?, 16).ok().map(f32::from_bits);
    pieces.map(number).collect::<Option<Vec<_>>>().filter(|vector| !vector.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_cosine_is_one_for_the_same_direction_and_zero_without_any() {
        assert!((cosine(&[1.0, 2.0], &[2.0, 4.0]) - 1.0).abs() < 1e-12);
        assert!((cosine(&[1.0, 0.0], &[0.0, 3.0])).abs() < 1e-12);
        assert!((cosine(&[1.0], &[-5.0]) + 1.0).abs() < 1e-12);
        for (a, b) in [(vec![], vec![]), (vec![0.0], vec![1.0]), (vec![1.0], vec![1.0, 2.0])] {
            assert_eq!(cosine(&a, &b), 0.0);
        }
    }

    #[test]
    fn the_index_tells_the_order() {
        let answer = json!({"data": [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1]}]});
        assert_eq!(read(&answer, 2), Some(vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn an_answer_that_does_not_fit_is_none() {
        for (answer, expected) in [
            (json!({}), 1),
            (json!({"data": []}), 1),
            (json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}), 2),
            (json!({"data": [{"index": 7, "embedding": [1]}]}), 1),
            (json!({"data": [{"index": 0, "embedding": ["x"]}]}), 1),
            (json!({"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}), 2),
            (json!({"data": [{"index": 0, "embedding": [1e300]}]}), 1),
        ] {
            assert_eq!(read(&answer, expected), None, "{answer}");
        }
    }

    proptest! {
        #[test]
        fn a_vector_comes_back_to_the_last_bit(vector in prop::collection::vec(any::<f32>(), 1..20)) {
            let back = from_hex(&to_hex(&vector)).unwrap();
            prop_assert_eq!(to_hex(&back), to_hex(&vector));
        }

        #[test]
        fn what_is_no_vector_is_none(text in "[0-9a-fé]{0,7}|.{0,3}[g-z].{0,4}") {
            prop_assert_eq!(from_hex(&text), None);
        }
    }
}
