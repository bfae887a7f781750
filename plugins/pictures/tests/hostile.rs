//! Whatever labels and numbers come, a chart is well-formed XML, small, and the same each time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has to fail")]

use autoscorer_pictures::{Bars, Curve, Curves, Guide, Heatmap, Histogram, Reference, Scatter, Series};
use proptest::prelude::*;
use roxmltree::Document;

/// Parses the picture and checks what every picture has.
fn check(svg: &str, title_is_empty: bool) {
    let document = Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
    let title = root.children().find(|child| child.has_tag_name(("http://www.w3.org/2000/svg", "title"))).unwrap();
    assert!(title_is_empty || title.text().is_some_and(|text| !text.is_empty()));
    let size = |name: &str| root.attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    assert_eq!(root.attribute("viewBox").unwrap(), format!("0 0 {width} {height}"));
    for node in document.descendants().filter(|node| node.is_element()) {
        let number = |name: &str| node.attribute(name).map_or(0.0, |text| text.parse::<f64>().unwrap());
        assert!((0.0..=width).contains(&number("x")) && (0.0..=height).contains(&number("y")), "{node:?}");
        assert!(number("width") >= 0.0 && number("height") >= 0.0, "{node:?}");
        assert!(!["script", "image", "use", "a", "foreignObject"].contains(&node.tag_name().name()), "{node:?}");
        assert!(!node.attributes().any(|attribute| attribute.name().starts_with("on") || attribute.name() == "href"));
    }
}

/// Every chart, with the same text wherever there is one.
fn all(text: &str, labels: &[&str], numbers: &[f64], counts: &[u64]) -> Vec<String> {
    let points: Vec<_> = numbers.iter().copied().zip(numbers.iter().rev().copied()).collect();
    let cells: Vec<_> = counts.iter().enumerate().map(|(at, count)| (at % 7, at / 3, *count)).collect();
    let reference = Reference { name: text, at: numbers.first().copied().unwrap_or(0.0) };
    let range = numbers.first().copied().zip(numbers.last().copied());
    let series: Vec<_> = labels.iter().map(|name| Series { name, values: numbers }).take(7).collect();
    let curves: Vec<_> = labels.iter().map(|name| Curve { name, points: &points, thick: name.len() > 9 }).collect();
    let heatmap = Heatmap {
        title: text,
        subtitle: text,
        row_axis: text,
        column_axis: text,
        rows: labels,
        columns: labels,
        cells: &cells,
    };
    let bars =
        Bars { title: text, subtitle: text, axis: text, labels, series: &series, range, reference: Some(reference) };
    let lines =
        Curves { title: text, subtitle: text, x_axis: text, y_axis: text, curves: &curves, ..Curves::default() };
    let histogram = Histogram {
        title: text,
        subtitle: text,
        x_axis: text,
        y_axis: text,
        range: range.unwrap_or_default(),
        counts,
        references: &[reference, reference],
    };
    let scatter =
        Scatter { title: text, subtitle: text, x_axis: text, y_axis: text, x: numbers, y: numbers, guide: Guide::Zero };
    let diagonal = Scatter { guide: Guide::Diagonal, ..scatter };
    let automatic = Bars { range: None, reference: None, ..bars };
    let fixed = Curves { x_range: range, y_range: range, ..lines };
    vec![
        heatmap.svg(),
        bars.svg(),
        automatic.svg(),
        lines.svg(),
        fixed.svg(),
        histogram.svg(),
        scatter.svg(),
        diagonal.svg_of(points.iter().copied()),
    ]
}

/// Characters that break things, among others.
fn hostile() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        '<',
        '>',
        '&',
        '"',
        '\'',
        ']',
        '\0',
        '\u{1b}',
        '\n',
        '\t',
        '\u{7f}',
        '\u{85}',
        '\u{fffe}',
        '\u{ffff}',
        '\u{202e}',
        '\u{2066}',
        '\u{200d}',
        '\u{301}',
        '犬',
        '👩',
        'ש',
        'م',
        '\u{fdfd}',
        '\u{1fffe}',
        'i',
        'W',
        ' ',
        '…',
    ]);
    prop::collection::vec(prop_oneof![nasty, any::<char>()], 0..60).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn any_label_makes_well_formed_xml(text in hostile(), labels in prop::collection::vec(hostile(), 0..40)) {
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        for svg in all(&text, &labels, &[0.1, 0.7, 0.4, 1.0], &[5, 0, 3, 120, 9, 77]) {
            check(&svg, text.is_empty());
        }
    }

    #[test]
    fn any_number_makes_a_picture(
        numbers in prop::collection::vec(any::<f64>(), 0..30),
        counts in prop::collection::vec(any::<u64>(), 0..30),
    ) {
        for svg in all("numbers", &["a", "b", "c", "d"], &numbers, &counts) {
            check(&svg, false);
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""));
        }
    }
}

#[test]
fn the_same_input_makes_the_same_bytes() {
    let once = || all("twice", &["a", "犬"], &[1.0, f64::NAN, -3.5e9], &[3, 1, 4, 1, 5]);
    assert_eq!(once(), once());
}

#[test]
fn a_label_is_shown_as_it_is_and_what_is_cut_off_is_told() {
    let long = "a <label> & \"more\" of it, which goes on for much longer than there is room for";
    let svg = Bars { labels: &[long], series: &[Series { name: "", values: &[1.0] }], ..Bars::default() }.svg();
    let document = Document::parse(&svg).unwrap();
    let label = document.descendants().find(|node| node.attribute("class") == Some("label end")).unwrap();
    assert!(label.text().unwrap().starts_with("a <label> & \"more\"") && label.text().unwrap().ends_with('…'));
    assert_eq!(label.first_element_child().unwrap().text(), Some(long));
}

#[test]
fn a_large_matrix_is_a_small_file() {
    let names: Vec<String> = (0..200).map(|at| format!("a label of some length {at}")).collect();
    let labels: Vec<&str> = names.iter().map(String::as_str).collect();
    // Shades alternate along a row, so that few neighbours can be drawn in one stroke.
    let cells: Vec<_> = (0..40_000).map(|at| (at / 200, at % 200, if at % 3 == 0 { 1000 } else { 1 })).collect();
    let svg = Heatmap { rows: &labels, columns: &labels, cells: &cells, ..Heatmap::default() }.svg();
    check(&svg, true);
    assert!(svg.len() < 500_000, "{}", svg.len());
}

#[test]
fn points_are_dots_while_they_are_few_and_squares_when_they_are_many() {
    let x: Vec<f64> = (0..2001).map(|at| f64::from(at) * 0.618 % 1.0).collect();
    let y: Vec<f64> = (0..2001).map(|at| f64::from(at) * 0.414 % 1.0).collect();
    let dots = Scatter { x: &x[1..], y: &y[1..], ..Scatter::default() }.svg();
    let squares = Scatter { x: &x, y: &y, ..Scatter::default() }.svg();
    assert_eq!((dots.matches("<circle").count(), squares.matches("<circle").count()), (2000, 0));
    assert!(dots.len() < 150_000 && squares.len() < 60_000, "{} {}", dots.len(), squares.len());
}

#[test]
fn a_long_curve_is_no_longer_than_the_picture_is_wide() {
    let points: Vec<_> = (0..100_000).map(|at| (f64::from(at), f64::from(at * 31 % 97))).collect();
    let svg = Curves { curves: &[Curve { name: "", points: &points, thick: false }], ..Curves::default() }.svg();
    assert!(svg.len() < 100_000, "{}", svg.len());
}
