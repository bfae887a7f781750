//! The canvas: elements of one picture in the order in which they are drawn, and the SVG text they become.

use std::fmt::Write as _;

use crate::font::Font;
use crate::style;
use crate::text::{clean, escape_into};

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Where a text is put: the end that is at the point, or its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Elements of one picture, in the order in which they are drawn.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
}

impl Canvas {
    pub(crate) fn rect(&mut self, class: &str, area: Area) {
        self.rect_start(class, area);
        self.body.push_str("/>\n");
    }

    /// A rectangle that tells more when it is pointed at.
    pub(crate) fn rect_with_tip(&mut self, class: &str, area: Area, tip: &str) {
        self.rect_start(class, area);
        self.body.push('>');
        self.tip(tip);
        self.body.push_str("</rect>\n");
    }

    fn rect_start(&mut self, class: &str, area: Area) {
        self.start("rect", class);
        self.numbers(&[("x", area.left), ("y", area.top), ("width", area.width), ("height", area.height)]);
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.start("line", class);
        self.numbers(&[("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)]);
        self.body.push_str("/>\n");
    }

    pub(crate) fn circle(&mut self, radius: f64, (x, y): (f64, f64)) {
        self.body.push_str("<circle");
        self.numbers(&[("r", radius), ("cx", x), ("cy", y)]);
        self.body.push_str("/>\n");
    }

    /// A path; an empty tip is none.
    pub(crate) fn path(&mut self, class: &str, d: &str, tip: &str) {
        self.start("path", class);
        let _ = write!(self.body, " d=\"{d}\">");
        if !tip.is_empty() {
            self.tip(tip);
        }
        self.body.push_str("</path>\n");
    }

    /// Opens a group; `attributes` are ours, never a caller's text.
    pub(crate) fn open_group(&mut self, class: &str, attributes: &str) {
        self.start("g", class);
        let _ = writeln!(self.body, " {attributes}>");
    }

    pub(crate) fn close_group(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, font: Font, anchor: Anchor, at: (f64, f64), text: &str) {
        self.words(font, "", anchor, at, f64::INFINITY, text);
    }

    /// Text that may be as wide as `width`; what is cut off is told when it is pointed at.
    pub(crate) fn text_within(&mut self, font: Font, anchor: Anchor, at: (f64, f64), width: f64, text: &str) {
        self.words(font, "", anchor, at, width, text);
    }

    /// Text in the colour of another class.
    pub(crate) fn text_in(&mut self, class: &str, font: Font, anchor: Anchor, at: (f64, f64), text: &str) {
        self.words(font, class, anchor, at, f64::INFINITY, text);
    }

    /// Text that runs upwards, cut to `width`.
    pub(crate) fn text_upwards(&mut self, font: Font, anchor: Anchor, at: (f64, f64), width: f64, text: &str) {
        self.body.push_str("<g transform=\"translate(");
        number(&mut self.body, at.0);
        self.body.push(' ');
        number(&mut self.body, at.1);
        self.body.push_str(")rotate(-90)\">");
        self.words(font, "", anchor, (0.0, 0.0), width, text);
        self.body.push_str("</g>\n");
    }

    fn words(&mut self, font: Font, class: &str, anchor: Anchor, (x, y): (f64, f64), width: f64, text: &str) {
        let full = clean(text);
        let shown = font.cut(&full, width);
        self.start("text", font.class());
        self.body.pop();
        for class in [class, anchor_class(anchor)].into_iter().filter(|class| !class.is_empty()) {
            self.body.push(' ');
            self.body.push_str(class);
        }
        self.body.push('"');
        self.numbers(&[("x", x), ("y", y)]);
        self.body.push('>');
        escape_into(&mut self.body, &shown);
        if shown != full {
            self.tip(&full);
        }
        self.body.push_str("</text>\n");
    }

    fn start(&mut self, element: &str, class: &str) {
        self.body.push('<');
        self.body.push_str(element);
        self.body.push_str(" class=\"");
        self.body.push_str(class);
        self.body.push('"');
    }

    fn numbers(&mut self, attributes: &[(&str, f64)]) {
        for (name, value) in attributes {
            self.body.push(' ');
            self.body.push_str(name);
            self.body.push_str("=\"");
            number(&mut self.body, *value);
            self.body.push('"');
        }
    }

    fn tip(&mut self, text: &str) {
        self.body.push_str("<title>");
        escape_into(&mut self.body, text);
        self.body.push_str("</title>");
    }

    /// The SVG document, with what a screen reader says of it.
    pub(crate) fn finish(self, width: f64, height: f64, title: &str, description: &str) -> String {
        let (width, height) = (width.ceil(), height.ceil());
        let mut svg = String::with_capacity(self.body.len() + 6000);
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>"
        );
        escape_into(&mut svg, &clean(title));
        svg.push_str("</title>\n<desc>");
        escape_into(&mut svg, &clean(description));
        let _ = write!(
            svg,
            "</desc>\n<style>{}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
            style::sheet()
        );
        svg.push_str(&self.body);
        svg.push_str("</svg>\n");
        svg
    }
}

fn anchor_class(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// Appends a coordinate with at most one decimal; a tenth of a pixel is all that can be seen.
pub(crate) fn number(out: &mut String, value: f64) {
    let tenths = (value * 10.0).round() as i64;
    if tenths < 0 {
        out.push('-');
    }
    let tenths = tenths.unsigned_abs();
    digits(out, tenths / 10);
    if !tenths.is_multiple_of(10) {
        out.push('.');
        digits(out, tenths % 10);
    }
}

/// By hand, because a large matrix has a hundred thousand numbers and the formatter takes longer than all the rest.
pub(crate) fn digits(out: &mut String, value: u64) {
    if value >= 10 {
        digits(out, value / 10);
    }
    out.push(char::from(b'0' + (value % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_at_most_one_decimal() {
        let text = |value| {
            let mut out = String::new();
            number(&mut out, value);
            out
        };
        assert_eq!([0.0, -0.04, 12.34, -7.96, 1200.0].map(text), ["0", "0", "12.3", "-8", "1200"]);
        assert_eq!(text(f64::NAN), "0");
    }
}
