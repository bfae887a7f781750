//! The heatmap: how often each label was taken for which, as a matrix of shades.

use crate::canvas::{Anchor, Area, Canvas, digits, number};
use crate::font::Font;
use crate::grid::{Detail, Grid};
use crate::heading::{MARGIN, heading, nothing};
use crate::matrix::{Cell, EDGES, Matrix};
use crate::number::{grouped, percent};
use crate::ramp::ramp;
use crate::style::{SHADE_COUNT, ink_on};
use crate::text::{clean, isolated};

/// With more cells than this, those of a shade are drawn as one and have no tooltips.
const MAX_SINGLE_CELLS: usize = 1000;

/// How many of the largest errors are listed where cells have no numbers.
const LISTED_ERRORS: usize = 10;

/// A confusion matrix: blue where row and column have the same label, orange where not, the stronger the larger its
/// share of the row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heatmap<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// What else there is to say, such as which labels were folded into one; may be empty.
    pub subtitle: &'a str,
    /// What the rows are, such as `truth`.
    pub row_axis: &'a str,
    /// What the columns are, such as `prediction`.
    pub column_axis: &'a str,
    /// The labels of the rows, the topmost first.
    pub rows: &'a [&'a str],
    /// The labels of the columns.
    pub columns: &'a [&'a str],
    /// Row, column and count; what is not listed is zero.
    pub cells: &'a [(usize, usize, u64)],
}

impl Heatmap<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let matrix = Matrix::of(self.rows, self.columns, self.cells);
        let grid = Grid::of(self.rows, self.columns, &matrix);
        let mut canvas = Canvas::default();
        let top = heading(&mut canvas, self.title, self.subtitle, grid.picture_width());
        let top = draw_legend(&mut canvas, top);
        let top = self.draw_errors(&mut canvas, &grid, &matrix, top);
        let plate = grid.plate(top);
        self.draw_names(&mut canvas, &grid, plate, top);
        canvas.rect("plate", plate);
        if matrix.cells.len() > MAX_SINGLE_CELLS {
            draw_together(&mut canvas, &grid, plate, &matrix.cells);
        } else {
            self.draw_singly(&mut canvas, &grid, plate, &matrix);
        }
        draw_mesh(&mut canvas, &grid, plate);
        self.draw_numbers(&mut canvas, &grid, plate, &matrix);
        if matrix.cells.is_empty() {
            let middle = plate.top + plate.height / 2.0 + Font::Subtitle.drop();
            nothing(&mut canvas, (plate.left + plate.width / 2.0, middle));
        }
        let height = plate.bottom() + grid.below() + MARGIN;
        canvas.finish(grid.picture_width(), height, self.title, &self.description(&matrix))
    }

    fn description(&self, matrix: &Matrix) -> String {
        let (rows, columns) = (grouped(self.rows.len() as u64), grouped(self.columns.len() as u64));
        let (right, total) = (grouped(matrix.right()), grouped(matrix.total()));
        format!("Confusion matrix of {rows} rows and {columns} columns; {right} of {total} are on the diagonal.")
    }

    /// The largest errors by name, where the cells do not say them.
    fn draw_errors(&self, canvas: &mut Canvas, grid: &Grid, matrix: &Matrix, top: f64) -> f64 {
        let errors = matrix.largest_errors(LISTED_ERRORS);
        if grid.detail() == Detail::CountAndShare || errors.is_empty() {
            return top;
        }
        canvas.text(Font::Label, Anchor::Start, (MARGIN, top + 12.0), "The most frequent errors");
        let top = top + 16.0;
        let lines = if grid.picture_width() >= 780.0 { errors.len().div_ceil(2) } else { errors.len() };
        let widest = Font::Tick.width(&grouped(errors[0].count));
        for (at, error) in errors.iter().enumerate() {
            let x = MARGIN + widest + (at / lines) as f64 * 370.0;
            let y = top + 16.0 * (at % lines + 1) as f64;
            canvas.text(Font::Tick, Anchor::End, (x, y), &grouped(error.count));
            canvas.text_in("ink", Font::Tick, Anchor::Start, (x + 10.0, y), &self.error(error));
        }
        top + 16.0 * lines as f64 + 18.0
    }

    fn error(&self, cell: &Cell) -> String {
        let short = |label: &str| isolated(&Font::Tick.cut(&clean(label), 125.0));
        let (row, column) = (short(self.rows[cell.row]), short(self.columns[cell.column]));
        format!("{row} → {column} ({})", percent(cell.share))
    }

    fn draw_names(&self, canvas: &mut Canvas, grid: &Grid, plate: Area, top: f64) {
        let room = grid.picture_width() - MARGIN - plate.left;
        canvas.text_within(Font::Axis, Anchor::Start, (plate.left, top + 10.0), room, self.column_axis);
        canvas.text_upwards(Font::Axis, Anchor::End, (MARGIN + 8.0, plate.top), plate.height, self.row_axis);
        grid.draw_labels(canvas, plate, self.rows, self.columns);
    }

    fn draw_singly(&self, canvas: &mut Canvas, grid: &Grid, plate: Area, matrix: &Matrix) {
        for cell in &matrix.cells {
            let (row, column) = (isolated(self.rows[cell.row]), isolated(self.columns[cell.column]));
            let (count, total) = (grouped(cell.count), grouped(matrix.totals[cell.row]));
            let tip = format!("{row} → {column}: {count} of {total} ({})", percent(cell.share));
            canvas.rect_with_tip(&class(cell, 'f'), grid.cell(plate, cell.row, cell.column), &tip);
        }
    }

    fn draw_numbers(&self, canvas: &mut Canvas, grid: &Grid, plate: Area, matrix: &Matrix) {
        if grid.detail() == Detail::Shade {
            return;
        }
        for cell in &matrix.cells {
            let area = grid.cell(plate, cell.row, cell.column);
            let (x, y) = (area.left + area.width / 2.0, area.top + area.height / 2.0);
            let ink = ink_on(cell.shade);
            if grid.detail() == Detail::Count {
                canvas.text_in(ink, Font::Small, Anchor::Middle, (x, y + Font::Small.drop()), &grouped(cell.count));
            } else {
                canvas.text_in(ink, Font::Label, Anchor::Middle, (x, y - 2.0), &grouped(cell.count));
                canvas.text_in(ink, Font::Small, Anchor::Middle, (x, y + 12.0), &percent(cell.share));
            }
        }
        grid.draw_totals(canvas, plate, &matrix.totals);
    }
}

fn class(cell: &Cell, kind: char) -> String {
    format!("{kind}{} s{}", usize::from(!cell.right), cell.shade)
}

/// What the shades mean.
fn draw_legend(canvas: &mut Canvas, top: f64) -> f64 {
    let (left, step, height) = (MARGIN + 46.0, 24.0, 11.0);
    for (series, name) in ["right", "wrong"].into_iter().enumerate() {
        let y = top + 14.0 * series as f64;
        canvas.text(Font::Tick, Anchor::Start, (MARGIN, y + height / 2.0 + Font::Tick.drop()), name);
        ramp(canvas, series, (left, y), step, height);
    }
    let baseline = top + 40.0;
    for (shade, edge) in EDGES.iter().enumerate() {
        let x = left + step * shade as f64;
        canvas.text(Font::Small, Anchor::Middle, (x, baseline), &format!("{:.0}", edge * 100.0));
    }
    let end = left + step * SHADE_COUNT as f64;
    canvas.text(Font::Small, Anchor::Start, (end - 8.0, baseline), "100 % of the row");
    top + 60.0
}

/// All cells of a shade as one path, in units of cells, which keeps a large matrix small.
fn draw_together(canvas: &mut Canvas, grid: &Grid, plate: Area, cells: &[Cell]) {
    let mut paths = vec![String::new(); 2 * SHADE_COUNT];
    let mut at = 0;
    while at < cells.len() {
        let first = &cells[at];
        let kind = (first.right, first.shade);
        let follows = |(ahead, cell): &(usize, &Cell)| {
            cell.row == first.row && cell.column == first.column + ahead && (cell.right, cell.shade) == kind
        };
        let run = cells[at..].iter().enumerate().take_while(follows).count();
        let path = &mut paths[usize::from(!first.right) * SHADE_COUNT + first.shade];
        for (mark, value) in [('M', first.column), (' ', first.row), ('h', run)] {
            path.push(mark);
            digits(path, value as u64);
        }
        at += run;
    }
    let middle = plate.top + grid.size() / 2.0;
    let place = format!("transform=\"translate({:.1} {middle:.1})scale({})\"", plate.left, grid.size());
    canvas.open_group("cells", &place);
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        canvas.path(&format!("l{} s{}", at / SHADE_COUNT, at % SHADE_COUNT), path, "");
    }
    canvas.close_group();
}

/// Lines in the colour of the paper between all cells, and a stronger one at every tenth of a large matrix.
fn draw_mesh(canvas: &mut Canvas, grid: &Grid, plate: Area) {
    let mut lines = [String::new(), String::new()];
    for (count, upright) in [(grid.columns(), true), (grid.rows(), false)] {
        for at in 1..count {
            let tenth = grid.detail() == Detail::Shade && at % 10 == 0;
            let (x, y) = if upright { (at as f64 * grid.size(), 0.0) } else { (0.0, at as f64 * grid.size()) };
            let path = &mut lines[usize::from(tenth)];
            path.push('M');
            number(path, plate.left + x);
            path.push(' ');
            number(path, plate.top + y);
            path.push(if upright { 'v' } else { 'h' });
            number(path, if upright { plate.height } else { plate.width });
        }
    }
    for (class, path) in ["mesh", "tenth"].into_iter().zip(&lines).filter(|(_, path)| !path.is_empty()) {
        canvas.path(class, path, "");
    }
}
