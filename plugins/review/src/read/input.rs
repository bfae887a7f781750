//! The input of a run: the reference files of `input/`, the comment files of `output/`, and which belongs to which.

use std::collections::BTreeMap;
use std::fs;

use autoscorer_plugin_api::prelude::*;

use super::comment::Comment;
use super::files::{self, CommentFile};
use super::pull::Pull;
use super::reference::{self, PullRequest, Reference};
use super::surrogate;

/// The names a reference file may have, in the order in which they are looked for.
pub(crate) const REFERENCE_FILES: [&str; 4] =
    ["positive_samples.json", "references.json", "positive_samples.jsonl", "references.jsonl"];

/// Everything that was read.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) reviews: Vec<Review>,
    /// Every comment file, with what became of it.
    pub(crate) files: Vec<CommentFile>,
    /// Files that the manifest names and that are not there.
    pub(crate) absent: Vec<String>,
    /// Files and lines of references where something is no character.
    pub(crate) mended: Vec<(String, usize)>,
}

/// A pull request with what was said about it.
#[derive(Debug)]
pub(crate) struct Review {
    pub(crate) request: PullRequest,
    /// Comments known to be wrong.
    pub(crate) negatives: Vec<Reference>,
    /// The comment file, by its place in the list.
    pub(crate) file: Option<usize>,
    pub(crate) comments: Vec<Comment>,
}

impl Input {
    /// Reads all files; their faults are found in one go. A comment file that cannot be used is skipped, not a fault.
    pub(crate) fn read(ctx: &Context<'_>, pr_url: Option<&str>) -> Result<Self, Faults> {
        let mut faults = Faults::none();
        let mut mended = Vec::new();
        let requests = faults.absorb(references(ctx, &mut mended)).unwrap_or_default();
        let negatives = faults.absorb(negatives(ctx, &mut mended)).unwrap_or_default();
        let manifest = faults.absorb(manifest(ctx)).unwrap_or_default();
        let names = faults.absorb(files::names(ctx)).unwrap_or_default();
        if let (Some(_), true) = (pr_url, names.len() != 1) {
            let message = format!("params.pr_url names one pull request, but there are {} comment files", names.len());
            faults
                .push(ScoreError::new(ErrorCode::InvalidParams, message).expected("one file, or input/manifest.json"));
        }
        let reviews = requests.into_iter().map(|request| review(request, &negatives)).collect();
        let absent = manifest.keys().filter(|name| !names.contains(name)).cloned().collect();
        let mut input = Self { reviews, files: Vec::new(), absent, mended };
        for name in names {
            let named = manifest.get(&name).map(String::as_str).or(pr_url);
            input.add_file(files::read(ctx, name), named, &mut faults);
        }
        if faults.is_empty() {
            faults.absorb(input.check_files());
        }
        faults.into_result().map(|()| input)
    }

    /// A run in which no file says anything about any pull request is a mistake, and no score of 0.
    fn check_files(&self) -> Result<(), ScoreError> {
        let used = self.reviews.iter().filter_map(|review| review.file);
        if used.map(|file| &self.files[file]).any(CommentFile::speaks) {
            return Ok(());
        }
        let Some(first) = self.files.first() else {
            return Err(ScoreError::new(ErrorCode::MissingFile, "there is no comment file in output/")
                .expected("files comments_{repo}_{number}.txt"));
        };
        let reason = first.skipped.as_deref().unwrap_or_default();
        let message = format!("none of the comment files takes part ({}), so there is no score", self.files.len());
        Err(ScoreError::new(ErrorCode::Mismatch, message)
            .found(format!("{}: {reason}", first.name))
            .expected("a file of comments on a pull request of the references")
            .hint("name it comments_{repo}_{number}.txt, or say whose it is: input/manifest.json, params.pr_url"))
    }

    fn add_file(&mut self, mut file: CommentFile, named: Option<&str>, faults: &mut Faults) {
        let named_pull = named.map(Pull::of);
        let fits = |pull: &Pull| match &named_pull {
            Some(named) => pull.is_at(named),
            None => pull.is_named_by(&file.name),
        };
        let found: Vec<usize> = (0..self.reviews.len()).filter(|at| fits(&self.reviews[*at].request.pull)).collect();
        match found[..] {
            [] => {
                _ = file.skipped.get_or_insert_with(|| match named_pull {
                    Some(pull) if !pull.is_address() => format!("{} is no address of a pull request", pull.url),
                    Some(pull) => format!("there are no references for {}", pull.url),
                    None => "no pull request of the references has this repository and number; \
                         name the file comments_{repo}_{number}.txt, or list it in input/manifest.json"
                        .to_owned(),
                })
            }
            [one] => self.give(one, &mut file, faults),
            _ => file.skipped = Some("several pull requests fit this name; list it in input/manifest.json".to_owned()),
        }
        self.files.push(file);
    }

    fn give(&mut self, review: usize, file: &mut CommentFile, faults: &mut Faults) {
        let review = &mut self.reviews[review];
        if let Some(other) = review.file {
            let names = format!("{} and {}", self.files[other].name, file.name);
            let message = format!("two comment files for {}: {names}", review.request.pull.url);
            faults.push(ScoreError::new(ErrorCode::Mismatch, message).hint("put the comments into one file"));
            return;
        }
        review.file = Some(self.files.len());
        review.comments = std::mem::take(&mut file.tagged.comments);
    }
}

fn review(request: PullRequest, negatives: &[PullRequest]) -> Review {
    let known = negatives.iter().find(|one| one.pull.is_at(&request.pull));
    let negatives = known.map(|one| one.references.clone()).unwrap_or_default();
    Review { request, negatives, file: None, comments: Vec::new() }
}

fn references(ctx: &Context<'_>, mended: &mut Vec<(String, usize)>) -> Result<Vec<PullRequest>, Faults> {
    let name = REFERENCE_FILES.iter().find(|name| ctx.input(name).exists()).unwrap_or(&REFERENCE_FILES[0]);
    parsed(ctx, &format!("input/{name}"), mended)
}

fn negatives(ctx: &Context<'_>, mended: &mut Vec<(String, usize)>) -> Result<Vec<PullRequest>, Faults> {
    let name = "input/negative_samples.json";
    match fs::exists(ctx.workspace().join(name)) {
        Ok(true) => parsed(ctx, name, mended),
        _ => Ok(Vec::new()),
    }
}

fn parsed(ctx: &Context<'_>, name: &str, mended: &mut Vec<(String, usize)>) -> Result<Vec<PullRequest>, Faults> {
    let (text, lines) = surrogate::mended(ctx.read_text(name)?);
    mended.extend(lines.into_iter().map(|line| (name.to_owned(), line)));
    reference::parse(&text, name)
}

/// `input/manifest.json`: comment file -> address of its pull request.
fn manifest(ctx: &Context<'_>) -> Result<BTreeMap<String, String>, ScoreError> {
    let name = "input/manifest.json";
    if !ctx.workspace().join(name).exists() {
        return Ok(BTreeMap::new());
    }
    serde_json::from_str(&ctx.read_text(name)?).map_err(|error| {
        ScoreError::new(ErrorCode::BadFormat, format!("{name} is no map from file to address: {error}"))
            .file(name)
            .line(error.line() as u64)
            .expected("{\"my comments.txt\": \"https://github.com/OWNER/REPO/pull/NUMBER\"}")
    })
}
