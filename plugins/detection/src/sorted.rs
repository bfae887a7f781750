//! A file's boxes, sorted by category stretch by stretch, so that those of one category are found without looking at the others.

use crate::columns::Columns;
use crate::ids::{Id, places};

/// The boxes of a file.
pub(crate) struct Sorted<const TRUTH: bool>(pub(crate) Vec<Stretch<TRUTH>>);

/// The boxes of a stretch of a file.
pub(crate) struct Stretch<const TRUTH: bool> {
    pub(crate) columns: Columns<TRUTH>,
    /// The place of its first box in the file.
    pub(crate) first: u32,
    /// The image of each code; none for one that is not in the dataset.
    pub(crate) images: Vec<Option<u32>>,
    /// Rows in the order of the file, category after category.
    rows: Vec<u32>,
    /// Categories, ascending, and where their rows end.
    groups: Vec<(u32, u32)>,
    pub(crate) left_out: Counts,
}

/// Boxes that are in no group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) below_threshold: u64,
    pub(crate) unlisted: u64,
}

impl<const TRUTH: bool> Stretch<TRUTH> {
    /// Sorts a stretch. Boxes of images or categories that are not listed, and predictions below the threshold, are left out.
    pub(crate) fn new(columns: Columns<TRUTH>, first: u32, images: &[Id], categories: &[i64], threshold: f64) -> Self {
        let images = places(&columns.images.list, images);
        let mut stretch =
            Self { columns, first, images, rows: Vec::new(), groups: Vec::new(), left_out: Counts::default() };
        stretch.sort(categories, threshold);
        stretch
    }

    fn sort(&mut self, listed: &[i64], threshold: f64) {
        let categories = places(&self.columns.categories.list, listed);
        let mut counts = vec![0u32; categories.len()];
        let rows = 0..self.columns.image.len() as u32;
        let kept: Vec<u32> = rows.filter(|row| self.keeps(*row as usize, &categories, threshold)).collect();
        for row in &kept {
            counts[self.columns.category[*row as usize] as usize] += 1;
        }
        // Codes in the order of their categories; those without a category have no rows.
        let mut codes: Vec<u32> =
            (0..categories.len() as u32).filter(|code| categories[*code as usize].is_some()).collect();
        codes.sort_unstable_by_key(|code| categories[*code as usize]);
        let mut next = vec![0u32; categories.len()];
        let mut end = 0;
        for code in codes {
            next[code as usize] = end;
            end += counts[code as usize];
            self.groups.extend(categories[code as usize].map(|category| (category, end)));
        }
        self.rows = vec![0; end as usize];
        for row in kept {
            let place = &mut next[self.columns.category[row as usize] as usize];
            self.rows[*place as usize] = row;
            *place += 1;
        }
    }

    fn keeps(&mut self, row: usize, categories: &[Option<u32>], threshold: f64) -> bool {
        let image = self.images[self.columns.image[row] as usize];
        let category = categories[self.columns.category[row] as usize];
        if image.is_none() || category.is_none() {
            self.left_out.unlisted += 1;
            return false;
        }
        if !TRUTH && self.columns.weight[row] < threshold {
            self.left_out.below_threshold += 1;
            return false;
        }
        true
    }

    /// The rows of a category, in the order of the file.
    pub(crate) fn rows_of(&self, category: u32) -> &[u32] {
        match self.groups.binary_search_by_key(&category, |(category, _)| *category) {
            Ok(group) => {
                let start = if group == 0 { 0 } else { self.groups[group - 1].1 };
                &self.rows[start as usize..self.groups[group].1 as usize]
            }
            Err(_) => &[],
        }
    }

    /// The image of a row.
    pub(crate) fn image(&self, row: u32) -> u32 {
        self.images[self.columns.image[row as usize] as usize].unwrap_or_default()
    }
}

impl<const TRUTH: bool> Sorted<TRUTH> {
    /// How many boxes of each category there are.
    pub(crate) fn counts(&self, categories: usize) -> Vec<usize> {
        let mut counts = vec![0; categories];
        for stretch in &self.0 {
            let mut start = 0;
            for (category, end) in &stretch.groups {
                counts[*category as usize] += (end - start) as usize;
                start = *end;
            }
        }
        counts
    }

    /// Replaces what is in the list by something made of every box of a category, in the order of the file.
    pub(crate) fn gather<T>(&self, category: u32, list: &mut Vec<T>, make: impl Fn(&Stretch<TRUTH>, u32) -> T) {
        list.clear();
        for stretch in &self.0 {
            list.extend(stretch.rows_of(category).iter().map(|row| make(stretch, *row)));
        }
    }
}
