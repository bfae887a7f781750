//! The dataset: both files as one, with images and categories in order and every box where it belongs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::parallel::Workers;

use crate::columns::{Columns, Predictions};
use crate::group::{Detection, Group, Truth};
use crate::ids::{Id, places, union};
use crate::load::{Files, PREDICTION_FILE, TRUTH_FILE, TruthFile};
use crate::matching::is_ignored;
use crate::overlap::Region;
use crate::plan::ALL_SIZES;
use crate::sorted::{Sorted, Stretch};

/// Both files as one.
pub(crate) struct Dataset {
    /// In the order in which they are evaluated.
    pub(crate) images: Vec<Id>,
    pub(crate) categories: Vec<Category>,
    pub(crate) left_out: LeftOut,
    /// How many boxes the files have.
    pub(crate) truth_count: u64,
    pub(crate) prediction_count: u64,
    /// What is odd about a COCO file but no fault.
    pub(crate) oddities: Oddities,
    /// True boxes and predictions of each category.
    counts: Vec<(usize, usize)>,
    truths: Sorted<true>,
    predictions: Sorted<false>,
}

/// A category of the dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Category {
    pub(crate) id: i64,
    pub(crate) name: Option<String>,
}

/// Boxes that are in the files but not in the dataset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Predictions below the score threshold.
    pub(crate) below_threshold: u64,
    /// Predictions of categories that a COCO file does not list.
    pub(crate) unlisted_category: u64,
    /// Annotations of images or categories that the COCO file does not list.
    pub(crate) annotations: u64,
}

/// What is odd about a COCO file but no fault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Oddities {
    pub(crate) no_images: bool,
    pub(crate) no_categories: bool,
    /// An annotation has the id 0, which other programs never match.
    pub(crate) zero_id: bool,
    /// So many annotations have an id that another one has.
    pub(crate) repeated_ids: usize,
}

impl Dataset {
    /// Puts both files together; fails if predictions are of images that the ground truth does not list.
    pub(crate) fn new(files: Files, score_threshold: f64, workers: Workers) -> Result<Self, Faults> {
        let Files { truth, predictions } = files;
        let oddities = oddities(&truth);
        let images = match &truth.images {
            Some(listed) => union([listed.as_slice()].into_iter()),
            None => {
                let truths = truth.boxes.iter().map(|part| part.images.list.as_slice());
                union(truths.chain(predictions.iter().map(|part| part.images.list.as_slice())))
            }
        };
        if truth.images.is_some() {
            check_images(&predictions, &images)?;
        }
        let categories = match truth.categories {
            Some(listed) => named(listed),
            None => {
                let truths = truth.boxes.iter().map(|part| part.categories.list.as_slice());
                let all = union(truths.chain(predictions.iter().map(|part| part.categories.list.as_slice())));
                all.into_iter().map(|id| Category { id, name: None }).collect()
            }
        };
        let ids: Vec<i64> = categories.iter().map(|category: &Category| category.id).collect();
        let (truth_count, truths) = sort(truth.boxes, &images, &ids, 0.0, workers);
        let (prediction_count, predictions) = sort(predictions, &images, &ids, score_threshold, workers);
        let counts = truths.counts(ids.len()).into_iter().zip(predictions.counts(ids.len())).collect();
        let mut left_out = LeftOut::default();
        for stretch in &truths.0 {
            left_out.annotations += stretch.left_out.unlisted;
        }
        for stretch in &predictions.0 {
            left_out.unlisted_category += stretch.left_out.unlisted;
            left_out.below_threshold += stretch.left_out.below_threshold;
        }
        let dataset =
            Self { images, categories, left_out, truth_count, prediction_count, oddities, counts, truths, predictions };
        if dataset.has_nothing_to_find() {
            return Err(dataset.nothing_to_find().into());
        }
        Ok(dataset)
    }

    /// Whether no true box counts, so that nothing is defined.
    fn has_nothing_to_find(&self) -> bool {
        let mut truths = Vec::new();
        (0..self.categories.len()).all(|category| {
            self.gather_truths(category, &mut truths);
            truths.iter().all(|truth| is_ignored(truth, ALL_SIZES))
        })
    }

    /// The error of a dataset without a true box that counts.
    pub(crate) fn nothing_to_find(&self) -> ScoreError {
        let message = match self.truth_count {
            0 => format!("{TRUTH_FILE} has no boxes, so there is nothing to judge the predictions by"),
            _ => format!(
                "{TRUTH_FILE} has no box that counts: all are crowds, or of images or categories that are not listed"
            ),
        };
        ScoreError::new(ErrorCode::BadFormat, message).file(TRUTH_FILE).expected("at least one box that is no crowd")
    }

    /// The images of the boxes in each file: true ones and predictions.
    pub(crate) fn image_ids(&self) -> (HashSet<Id>, HashSet<Id>) {
        let truths = self.truths.0.iter().flat_map(|stretch| &stretch.columns.images.list);
        let predictions = self.predictions.0.iter().flat_map(|stretch| &stretch.columns.images.list);
        (truths.cloned().collect(), predictions.cloned().collect())
    }

    /// The categories of the boxes in each file: true ones and predictions.
    pub(crate) fn category_ids(&self) -> (BTreeSet<i64>, BTreeSet<i64>) {
        let truths = self.truths.0.iter().flat_map(|stretch| &stretch.columns.categories.list);
        let predictions = self.predictions.0.iter().flat_map(|stretch| &stretch.columns.categories.list);
        (truths.copied().collect(), predictions.copied().collect())
    }

    /// How many boxes of a category there are: true ones and predictions.
    pub(crate) fn counts(&self, category: usize) -> (usize, usize) {
        self.counts[category]
    }

    /// Fills a list with the true boxes of a category, in the order of the file.
    pub(crate) fn gather_truths(&self, category: usize, list: &mut Vec<Truth>) {
        self.truths.gather(category as u32, list, |stretch, row| Truth {
            image: stretch.image(row),
            index: stretch.first + row,
            region: Region::new(stretch.columns.bbox[row as usize]),
            area: stretch.columns.weight[row as usize],
            crowd: stretch.columns.crowd[row as usize],
        });
    }

    /// Fills a group with the boxes of a category, predictions cut to the best of each image.
    pub(crate) fn fill(&self, group: &mut Group, category: usize, limit: usize) {
        self.gather_truths(category, &mut group.truths);
        self.predictions.gather(category as u32, &mut group.detections, |stretch, row| Detection {
            image: stretch.image(row),
            index: stretch.first + row,
            score: stretch.columns.weight[row as usize],
            region: Region::new(stretch.columns.bbox[row as usize]),
        });
        group.arrange(limit);
    }
}

fn oddities(truth: &TruthFile) -> Oddities {
    if !truth.coco {
        return Oddities::default();
    }
    let mut ids: Vec<i64> = truth.boxes.iter().flat_map(|part| &part.id).filter_map(|id| *id).collect();
    ids.sort_unstable();
    Oddities {
        no_images: truth.images.is_none(),
        no_categories: truth.categories.is_none(),
        zero_id: ids.binary_search(&0).is_ok(),
        repeated_ids: ids.windows(2).filter(|pair| pair[0] == pair[1]).count(),
    }
}

/// Categories in order. Of two with one id the later one counts.
fn named(listed: Vec<(i64, Option<String>)>) -> Vec<Category> {
    let by_id: BTreeMap<_, _> = listed.into_iter().collect();
    by_id.into_iter().map(|(id, name)| Category { id, name }).collect()
}

/// Sorts a file's stretches, and counts the boxes.
fn sort<const TRUTH: bool>(
    parts: Vec<Columns<TRUTH>>,
    images: &[Id],
    categories: &[i64],
    threshold: f64,
    workers: Workers,
) -> (u64, Sorted<TRUTH>) {
    let mut first = 0;
    let numbered: Vec<_> = parts
        .into_iter()
        .map(|part| {
            let start = first;
            first += part.image.len() as u64;
            Mutex::new(Some((part, start as u32)))
        })
        .collect();
    let stretches = workers.map(numbered.len(), |number| {
        let mut part = numbered[number].lock().unwrap_or_else(PoisonError::into_inner);
        part.take().map(|(part, start)| Stretch::new(part, start, images, categories, threshold))
    });
    (first, Sorted(stretches.into_iter().flatten().collect()))
}

/// Every prediction has to be of a listed image.
fn check_images(predictions: &[Predictions], images: &[Id]) -> Result<(), Faults> {
    let mut faults = Faults::none();
    let mut first = 0;
    for part in predictions {
        let listed = places(&part.images.list, images);
        let strange = listed.contains(&None);
        for (row, code) in part.image.iter().enumerate().filter(|_| strange) {
            if listed[*code as usize].is_none() {
                faults.push(unlisted(first + row, &part.images.list[*code as usize], images));
            }
        }
        first += part.image.len();
    }
    faults.into_result()
}

fn unlisted(index: usize, id: &Id, images: &[Id]) -> ScoreError {
    let message = format!("{PREDICTION_FILE}: item {index} is of image {id}, which {TRUTH_FILE} does not list");
    let error = ScoreError::new(ErrorCode::Mismatch, message)
        .file(PREDICTION_FILE)
        .found(id.to_string())
        .expected("an id of the list images")
        .detail("index", index);
    let listed = |id: Option<Id>| id.filter(|id| images.binary_search(id).is_ok());
    if let Some(twin) = listed(id.twin()) {
        return error.hint(format!("{twin} is listed: write ids of images the same way in both files"));
    }
    match listed(id.plus(1)).or_else(|| listed(id.plus(-1))) {
        Some(near) => error.hint(format!("{near} is listed: are the ids of the predictions off by one?")),
        None => error,
    }
}
