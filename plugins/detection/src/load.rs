//! The two files of a workspace, read whole and checked item by item.

use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::parallel::Workers;

use crate::columns::{Predictions, Truths};
use crate::ids::Id;
use crate::lines;
use crate::lists::{CategoryList, ImageList};
use crate::scan::array::{Array, Failure};
use crate::scan::cursor::{Kind, UTF_8};
use crate::scan::document::Document;
use crate::scan::part::Collect;
use crate::scan::problem::Problems;
use crate::scan::source::{Source, unreadable};

/// Where the ground truth is.
pub(crate) const TRUTH_FILE: &str = "input/gt.json";

/// Where the predictions are.
pub(crate) const PREDICTION_FILE: &str = "output/pred.json";

/// What the ground truth file holds. A flat array has no lists.
#[derive(Debug, Default)]
pub(crate) struct TruthFile {
    pub(crate) boxes: Vec<Truths>,
    pub(crate) images: Option<Vec<Id>>,
    pub(crate) categories: Option<Vec<(i64, Option<String>)>>,
    /// Whether it is a COCO object, with lists or without.
    pub(crate) coco: bool,
}

/// Both files.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) truth: TruthFile,
    pub(crate) predictions: Vec<Predictions>,
}

impl Files {
    /// Reads both at the same time; the faults of both are found in one go.
    pub(crate) fn read(root: &Path, workers: Workers) -> Result<Self, Faults> {
        let (truth, predictions) = workers.both(|| read_truth(root, workers), || read_predictions(root, workers));
        match (truth, predictions) {
            (Ok(truth), Ok(predictions)) => Ok(Self { truth, predictions }),
            (truth, predictions) => {
                let mut faults = Faults::none();
                faults.absorb(truth);
                faults.absorb(predictions);
                Err(faults)
            }
        }
    }
}

fn read_truth(root: &Path, workers: Workers) -> Result<TruthFile, Faults> {
    let reader = Reader { name: TRUTH_FILE, source: &Source::open(root, TRUTH_FILE)?, workers };
    let mut document = Document::open(reader.source).map_err(|failure| reader.explain(failure))?;
    let mut truth = TruthFile::default();
    let kind = document.kind().map_err(|failure| reader.explain(failure))?;
    let read = match kind {
        Kind::Array => document.array(workers).map(|boxes| reader.accept(boxes, "").map(|parts| truth.boxes = parts)),
        Kind::Object => reader.coco(&mut document, &mut truth),
        _ => return Err(reader.wrong_kind(kind, "an array of boxes, or a COCO object with annotations").into()),
    };
    let checked = read.map_err(|failure| reader.explain(failure))?;
    document.finish().map_err(|failure| reader.explain(failure))?;
    checked.map(|()| truth)
}

fn read_predictions(root: &Path, workers: Workers) -> Result<Vec<Predictions>, Faults> {
    let reader = Reader { name: PREDICTION_FILE, source: &Source::open(root, PREDICTION_FILE)?, workers };
    let mut document = Document::open(reader.source).map_err(|failure| reader.explain(failure))?;
    let kind = document.kind().map_err(|failure| reader.explain(failure))?;
    if kind != Kind::Array {
        if kind != Kind::Number {
            // Text that is no JSON at all is another mistake.
            document.skip().map_err(|failure| reader.explain(failure))?;
        }
        return Err(reader.wrong_kind(kind, "an array of boxes with scores").into());
    }
    let array = document.array(workers).map_err(|failure| reader.explain(failure))?;
    document.finish().map_err(|failure| reader.explain(failure))?;
    reader.accept(array, "")
}

/// What is known of a file while it is read.
struct Reader<'s> {
    name: &'static str,
    source: &'s Source,
    workers: Workers,
}

impl Reader<'_> {
    /// Reads a COCO object: three arrays, in any order, among whatever else. Of two with one name the later one counts.
    fn coco(&self, document: &mut Document<'_>, truth: &mut TruthFile) -> Result<Result<(), Faults>, Failure> {
        let mut faults = Faults::none();
        let mut annotated = false;
        let mut inside = document.enter()?;
        truth.coco = true;
        while inside {
            let key = document.key()?;
            let kind = document.kind()?;
            match (key.as_str(), kind) {
                ("images", Kind::Array) => {
                    let parts = self.accept::<ImageList>(document.array(self.workers)?, "images");
                    truth.images =
                        faults.absorb(parts).map(|parts| parts.into_iter().flat_map(|part| part.0).collect());
                }
                ("categories", Kind::Array) => {
                    let parts = self.accept::<CategoryList>(document.array(self.workers)?, "categories");
                    truth.categories =
                        faults.absorb(parts).map(|parts| parts.into_iter().flat_map(|part| part.0).collect());
                }
                ("annotations", Kind::Array) => {
                    let parts = self.accept(document.array(self.workers)?, "annotations");
                    truth.boxes = faults.absorb(parts).unwrap_or_default();
                    annotated = true;
                }
                ("images" | "categories" | "annotations", _) => {
                    document.skip()?;
                    let message = format!("{}: {key} is {}, not an array", self.name, named(kind));
                    faults.push(ScoreError::new(ErrorCode::BadFormat, message).file(self.name).expected("an array"));
                    annotated |= key == "annotations";
                }
                _ => document.skip()?,
            }
            inside = document.more()?;
        }
        if !annotated {
            let message = format!("{} is an object without annotations", self.name);
            let expected = "an array of boxes, or a COCO object with images, annotations and categories";
            faults.push(ScoreError::new(ErrorCode::BadFormat, message).file(self.name).expected(expected));
        }
        Ok(faults.into_result())
    }

    /// The parts of an array whose items are all right, or what is wrong with them.
    fn accept<C: Collect>(&self, array: Array<C>, name: &str) -> Result<Vec<C>, Faults> {
        match array.problems.total {
            0 => Ok(array.parts),
            _ => Err(self.faults(array.problems, name)),
        }
    }

    fn faults(&self, problems: Problems, array: &str) -> Faults {
        let offsets: Vec<u64> = problems.list.iter().map(|problem| problem.offset).collect();
        let lines = lines::of(self.source, &offsets);
        let mut faults = Faults { list: Vec::new(), total: problems.total };
        for (number, problem) in problems.list.into_iter().enumerate() {
            faults.list.push(problem.into_fault(self.name, array, lines.get(number).copied()));
        }
        faults
    }

    fn explain(&self, failure: Failure) -> Faults {
        let (offset, expected) = match failure {
            Failure::Unreadable(error) => return unreadable(self.name, &error).into(),
            Failure::Broken { offset, expected } => (offset, expected),
        };
        let line = lines::of(self.source, &[offset]).first().copied();
        let (code, what) = match expected {
            UTF_8 => (ErrorCode::BadFormat, "UTF-8"),
            _ => (ErrorCode::ParseError, "JSON"),
        };
        let mut error =
            ScoreError::new(code, format!("{} is not {what}", self.name)).file(self.name).expected(expected);
        error.details.line = line;
        error.details.found = Some(lines::excerpt(self.source, offset));
        error.detail("offset", offset).into()
    }

    fn wrong_kind(&self, kind: Kind, expected: &'static str) -> ScoreError {
        ScoreError::new(ErrorCode::BadFormat, format!("{} is {}", self.name, named(kind)))
            .file(self.name)
            .found(named(kind))
            .expected(expected)
    }
}

fn named(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "a number",
        Kind::Text => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
        Kind::Boolean => "true or false",
        Kind::Null => "null",
    }
}
