//! The grid of a heatmap: how large its cells are, where they are, and the labels around them.

use crate::canvas::{Anchor, Area, Canvas};
use crate::font::Font;
use crate::heading::MARGIN;
use crate::matrix::Matrix;
use crate::number::grouped;

/// The most labels with counts and shares in their cells.
const FEW: usize = 12;

/// The most labels with counts in their cells, where those fit.
const SOME: usize = 30;

/// The most labels that can be followed from one side only.
const ONE_SIDED: usize = 50;

/// What is written in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Detail {
    CountAndShare,
    Count,
    Shade,
}

/// Sizes and places of cells and labels.
#[derive(Debug)]
pub(crate) struct Grid {
    rows: usize,
    columns: usize,
    detail: Detail,
    size: f64,
    row_labels: f64,
    column_labels: f64,
    totals: f64,
    upright: bool,
}

impl Grid {
    pub(crate) fn of(rows: &[&str], columns: &[&str], matrix: &Matrix) -> Self {
        let labels = rows.len().max(columns.len());
        let largest = grouped(matrix.cells.iter().map(|cell| cell.count).max().unwrap_or(0));
        let (detail, size) = if labels <= FEW {
            let least = if labels <= 4 { 84.0 } else { 54.0 };
            (Detail::CountAndShare, (Font::Label.width(&largest) + 10.0).max(least))
        } else if labels <= SOME && Font::Small.width(&largest) <= 36.0 {
            (Detail::Count, (Font::Small.width(&largest) + 6.0).max(24.0))
        } else {
            (Detail::Shade, 14.0)
        };
        let font = label_font(detail);
        let widest_column = font.widest(columns.iter().copied(), 150.0);
        let upright = detail != Detail::CountAndShare || widest_column > size - 8.0;
        let totals = grouped(matrix.totals.iter().copied().max().unwrap_or(0));
        Self {
            rows: rows.len(),
            columns: columns.len(),
            detail,
            size: size.ceil(),
            row_labels: font.widest(rows.iter().copied(), 170.0),
            column_labels: if upright { widest_column } else { font.size() },
            totals: if detail == Detail::Shade { 0.0 } else { Font::Tick.width(&totals).max(32.0) + 12.0 },
            upright,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn detail(&self) -> Detail {
        self.detail
    }

    /// The side of a cell.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// Where the cells are, below axis name and labels of columns that begin at `top`.
    pub(crate) fn plate(&self, top: f64) -> Area {
        Area {
            left: (MARGIN + 18.0 + self.row_labels + 6.0).ceil(),
            top: (top + 18.0 + self.column_labels + 6.0).ceil(),
            width: if self.columns == 0 { 300.0 } else { self.size * self.columns as f64 },
            height: if self.rows == 0 { 100.0 } else { self.size * self.rows as f64 },
        }
    }

    /// Wide enough for legend and heading, however few cells there are.
    pub(crate) fn picture_width(&self) -> f64 {
        let plate = self.plate(0.0);
        (plate.right() + self.totals.max(self.mirrored(self.row_labels)) + MARGIN).max(520.0)
    }

    /// What is below the cells.
    pub(crate) fn below(&self) -> f64 {
        self.mirrored(self.column_labels)
    }

    /// Room for labels on the far side, which only a large matrix has.
    fn mirrored(&self, labels: f64) -> f64 {
        if self.rows.max(self.columns) > ONE_SIDED { labels + 6.0 } else { 0.0 }
    }

    pub(crate) fn cell(&self, plate: Area, row: usize, column: usize) -> Area {
        let (left, top) = (plate.left + self.size * column as f64, plate.top + self.size * row as f64);
        Area { left, top, width: self.size, height: self.size }
    }

    pub(crate) fn draw_labels(&self, canvas: &mut Canvas, plate: Area, rows: &[&str], columns: &[&str]) {
        let font = label_font(self.detail);
        let mirrored = self.mirrored(1.0) > 0.0;
        for (row, label) in rows.iter().enumerate() {
            let y = plate.top + self.size * (row as f64 + 0.5) + font.drop();
            canvas.text_within(font, Anchor::End, (plate.left - 6.0, y), self.row_labels + 1.0, label);
            if mirrored {
                canvas.text_within(font, Anchor::Start, (plate.right() + 6.0, y), self.row_labels + 1.0, label);
            }
        }
        let room = self.column_labels + 1.0;
        for (column, label) in columns.iter().enumerate() {
            let x = plate.left + self.size * (column as f64 + 0.5);
            if !self.upright {
                canvas.text(font, Anchor::Middle, (x, plate.top - 7.0), label);
                continue;
            }
            let x = x + font.drop();
            canvas.text_upwards(font, Anchor::Start, (x, plate.top - 6.0), room, label);
            if mirrored {
                canvas.text_upwards(font, Anchor::End, (x, plate.bottom() + 6.0), room, label);
            }
        }
    }

    /// The sums of the rows, to their right.
    pub(crate) fn draw_totals(&self, canvas: &mut Canvas, plate: Area, totals: &[u64]) {
        if totals.is_empty() {
            return;
        }
        let right = plate.right() + self.totals;
        canvas.text(Font::Tick, Anchor::End, (right, plate.top - 7.0), "total");
        for (row, total) in totals.iter().enumerate() {
            let y = plate.top + self.size * (row as f64 + 0.5) + Font::Tick.drop();
            canvas.text(Font::Tick, Anchor::End, (right, y), &grouped(*total));
        }
    }
}

fn label_font(detail: Detail) -> Font {
    match detail {
        Detail::CountAndShare => Font::Label,
        Detail::Count | Detail::Shade => Font::Small,
    }
}
