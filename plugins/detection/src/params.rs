//! What `detection_map` can be told, checked where it is read.

use std::collections::BTreeMap;

use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::text::Text;
use serde::Deserialize;
use serde_json::Value;

params! {
    /// What `detection_map` can be told.
    pub(crate) struct MapParams {
        /// The IoU that a hit needs: a number, a list to average over, or "coco" for .50:.05:.95.
        iou_threshold: IouThreshold = 0.5,
        /// Predictions with a lower score are left out.
        score_threshold: Share = 0.0,
        /// How mAP reads the precision-recall curve: at 101 recalls (coco), at 11 (voc11), or all of it (area).
        interpolation: Interpolation = "coco",
        /// How many predictions count for mAP in each image and category, the best first.
        max_detections: Count = 100,
        /// Sizes that mAP is told for as well: "coco" for small, medium and large, or names with [least, greatest] area.
        area_ranges: AreaRanges = "coco",
        /// The smallest score that passes.
        pass_threshold: f64 = 0.5,
        /// The smallest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.7, 0.5, 0.3],
        /// How many rows matches.csv has at most.
        max_rows: usize = 1000,
        /// The least score of the predictions in the confusion matrix.
        confusion_score: Share = 0.25,
    }
}

/// The IoUs that the score averages over.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum IouThreshold {
    Coco,
    Listed(Vec<f64>),
}

/// More of them would not fit into the matcher's words.
const MAX_THRESHOLDS: usize = 50;

impl ParamType for IouThreshold {
    const SCHEMA: Text = Text::Raw(
        r#""oneOf":[{"type":"number","exclusiveMinimum":0,"maximum":1},{"enum":["coco"]},{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":50}]"#,
    );
}

impl TryFrom<Value> for IouThreshold {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let listed = match &value {
            Value::String(text) if text == "coco" => return Ok(Self::Coco),
            Value::Number(_) => vec![value.clone()],
            Value::Array(list) if (1..=MAX_THRESHOLDS).contains(&list.len()) => list.clone(),
            _ => return Err(format!("expected a number, \"coco\", or a list of 1 to {MAX_THRESHOLDS} numbers")),
        };
        let numbers: Option<Vec<f64>> = listed.iter().map(Value::as_f64).collect();
        let mut numbers = numbers.ok_or("expected numbers")?;
        if numbers.iter().any(|number| !(*number > 0.0 && *number <= 1.0)) {
            return Err("an IoU is above 0 and at most 1".to_owned());
        }
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        Ok(Self::Listed(numbers))
    }
}

/// How a curve becomes one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Interpolation {
    Coco,
    Voc11,
    Area,
}

impl ParamType for Interpolation {
    const SCHEMA: Text = Text::Raw(r#""enum":["coco","voc11","area"]"#);
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Share(pub(crate) f64);

impl ParamType for Share {
    const SCHEMA: Text = Text::Raw(r#""type":"number","minimum":0,"maximum":1"#);
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&number) { Ok(Self(number)) } else { Err("expected a number from 0 to 1".to_owned()) }
    }
}

/// A number from 1 on.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct Count(pub(crate) u32);

impl ParamType for Count {
    const SCHEMA: Text = Text::Raw(r#""type":"integer","minimum":1"#);
}

impl TryFrom<u32> for Count {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if number > 0 { Ok(Self(number)) } else { Err("expected a number from 1 on".to_owned()) }
    }
}

/// Named ranges of areas.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct AreaRanges(pub(crate) Vec<(String, [f64; 2])>);

const MAX_RANGES: usize = 20;

impl ParamType for AreaRanges {
    const SCHEMA: Text = Text::Raw(
        r#""oneOf":[{"enum":["coco"]},{"type":"object","additionalProperties":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}}]"#,
    );
}

impl TryFrom<Value> for AreaRanges {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        if value == "coco" {
            return Ok(Self(crate::plan::COCO_RANGES.map(|(name, range)| (name.to_owned(), range)).to_vec()));
        }
        let ranges: BTreeMap<String, [f64; 2]> = serde_json::from_value(value)
            .map_err(|_| "expected \"coco\", or an object of names with [least, greatest]".to_owned())?;
        if ranges.len() > MAX_RANGES {
            return Err(format!("expected at most {MAX_RANGES} ranges"));
        }
        for (name, [least, greatest]) in &ranges {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                return Err(format!("the name {name:?} has more than letters, digits, '_' and '-'"));
            }
            if !(*least >= 0.0 && least <= greatest) {
                return Err(format!("{name}: expected 0 <= least <= greatest"));
            }
        }
        let mut ranges: Vec<_> = ranges.into_iter().collect();
        ranges.sort_by(|(_, a), (_, b)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        Ok(Self(ranges))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(given: Value) -> Result<MapParams, Faults> {
        MapParams::from_json(given.as_object().unwrap().clone())
    }

    #[test]
    fn defaults_are_the_document_s() {
        let params = read(json!({})).unwrap();
        assert_eq!(params.iou_threshold, IouThreshold::Listed(vec![0.5]));
        assert_eq!(params.area_ranges.0[0], ("small".to_owned(), [0.0, 1024.0]));
        assert_eq!((params.score_threshold.0, params.max_detections.0, params.max_rows), (0.0, 100, 1000));
    }

    #[test]
    fn what_is_accepted() {
        let params =
            read(json!({"iou_threshold": [0.75, 0.5, 0.5], "area_ranges": {"b": [10, 1e9], "a": [0, 10]}})).unwrap();
        assert_eq!(params.iou_threshold, IouThreshold::Listed(vec![0.5, 0.75]));
        assert_eq!(params.area_ranges.0, [("a".to_owned(), [0.0, 10.0]), ("b".to_owned(), [10.0, 1e9])]);
        assert_eq!(read(json!({"iou_threshold": "coco"})).unwrap().iou_threshold, IouThreshold::Coco);
    }

    #[test]
    fn what_is_refused_names_its_key() {
        let wrong = [
            json!({"iou_threshold": 0}),
            json!({"iou_threshold": 1.5}),
            json!({"iou_threshold": "voc"}),
            json!({"iou_threshold": []}),
            json!({"iou_threshold": ["0.5"]}),
            json!({"score_threshold": 2}),
            json!({"score_threshold": -0.1}),
            json!({"interpolation": "voc12"}),
            json!({"max_detections": 0}),
            json!({"max_detections": -3}),
            json!({"area_ranges": {"a": [5, 1]}}),
            json!({"area_ranges": {"a b": [0, 1]}}),
            json!({"area_ranges": 3}),
            json!({"confusion_score": "high"}),
            json!({"max_rows": -1}),
            json!({"iou": 0.5}),
        ];
        for given in wrong {
            let key = given.as_object().unwrap().keys().next().unwrap().clone();
            let fault = read(given).unwrap_err().list.remove(0);
            assert!(fault.message.contains(&key), "{}", fault.message);
            assert_eq!(fault.code, ErrorCode::InvalidParams);
        }
    }
}
