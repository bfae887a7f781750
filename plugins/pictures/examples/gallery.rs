//! A gallery of every chart, with few and many labels, empty, extreme and in many scripts: `gallery FOLDER`.

use std::path::Path;
use std::{env, fs, io};

use autoscorer_pictures::{Bars, Curve, Curves, Guide, Heatmap, Histogram, Reference, Scatter, Series};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).ok_or_else(|| io::Error::other("usage: gallery FOLDER"))?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let pictures = heatmaps().into_iter().chain(bars()).chain(scatters()).chain(curves()).chain(histograms());
    for (name, svg) in pictures {
        fs::write(folder.join(name).with_extension("svg"), svg)?;
    }
    Ok(())
}

type Pictures = Vec<(&'static str, String)>;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Around 0, mostly within 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.roll()).sum::<f64>() - 6.0
    }
}

fn names(count: usize) -> Vec<String> {
    let things = ["cat", "dog", "traffic light", "bicycle", "hair drier", "fire hydrant", "sheep", "wine glass"];
    (0..count).map(|at| format!("{} {at}", things[at % things.len()])).collect()
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

const UNICODE: [&str; 8] = [
    "犬と猫の写真を分類するための長いラベル",
    "שלום עולם",
    "مرحبا بالعالم",
    "👩‍👩‍👧‍👦 family",
    "<b>&amp;</b>",
    "Ünïcödé",
    "line\nbreak\u{0}\u{202E}txt",
    "a very long label that nobody would ever want to read to its very end",
];

fn confusion(labels: usize, spread: f64, dice: &mut Dice) -> Vec<(usize, usize, u64)> {
    let mut cells = Vec::new();
    for row in 0..labels {
        let support = 50.0 + 900.0 * dice.roll();
        let recall = 0.35 + 0.64 * dice.roll();
        cells.push((row, row, (support * recall) as u64));
        for column in 0..labels {
            if column != row && dice.roll() < spread {
                let share = dice.roll().powi(4) * (1.0 - recall) / (labels as f64 * spread).max(1.0) * 4.0;
                cells.push((row, column, (support * share) as u64));
            }
        }
    }
    cells
}

fn heatmaps() -> Pictures {
    let mut dice = Dice(1);
    let mut draw = |labels: &[&str], spread: f64, subtitle: &str| {
        let cells = confusion(labels.len(), spread, &mut dice);
        heatmap(labels, &cells, subtitle)
    };
    vec![
        ("heatmap-2", draw(&["negative", "positive"], 1.0, "")),
        ("heatmap-6", draw(&["cat", "dog", "horse", "sheep", "cow", "a rather long label"], 0.8, "5,312 rows")),
        ("heatmap-12", draw(&borrowed(&names(12)), 0.9, "")),
        ("heatmap-25", draw(&borrowed(&names(25)), 0.5, "")),
        ("heatmap-80", draw(&borrowed(&names(80)), 0.1, "80 classes")),
        (
            "heatmap-200",
            draw(&borrowed(&names(200)), 0.3, "the 199 most frequent of 1,203 labels; the others are (other)"),
        ),
        ("heatmap-200-dense", draw(&borrowed(&names(200)), 1.0, "")),
        ("heatmap-unicode", draw(&UNICODE, 0.7, "labels in many scripts: שלום, 犬")),
        ("heatmap-empty", heatmap(&[], &[], "")),
        ("heatmap-huge-counts", heatmap(&["a", "b"], &[(0, 0, u64::MAX), (0, 1, 1), (1, 0, 12_345_678)], "")),
    ]
}

fn heatmap(labels: &[&str], cells: &[(usize, usize, u64)], subtitle: &str) -> String {
    Heatmap {
        title: "Confusion matrix",
        subtitle,
        row_axis: "truth",
        column_axis: "prediction",
        rows: labels,
        columns: labels,
        cells,
    }
    .svg()
}

fn bars() -> Pictures {
    let mut dice = Dice(2);
    let mut values = |count: usize| (0..count).map(|_| dice.roll()).collect::<Vec<f64>>();
    let (precision, recall, f1, ap) = (values(8), values(8), values(8), values(60));
    let sixty = names(60);
    let three = [
        Series { name: "precision", values: &precision },
        Series { name: "recall", values: &recall },
        Series { name: "F1", values: &f1 },
    ];
    let mut sorted = ap.clone();
    sorted.sort_by(f64::total_cmp);
    let unit = Some((0.0, 1.0));
    let eight = names(8);
    let eight = borrowed(&eight);
    let many = Bars {
        title: "Average precision by class",
        subtitle: "the 60 lowest of 200 classes",
        axis: "AP at IoU 0.50:0.95",
        labels: &borrowed(&sixty),
        series: &[Series { name: "AP", values: &sorted }],
        range: unit,
        reference: Some(Reference { name: "mean 0.512", at: 0.512 }),
    };
    let few = Bars {
        title: "Average precision by object size",
        axis: "AP",
        labels: &["small", "medium", "large"],
        series: &[Series { name: "", values: &[0.213, 0.476, f64::NAN] }],
        range: unit,
        ..Bars::default()
    };
    let signed = Bars {
        title: "What each kind of error costs",
        subtitle: "change of mAP when it is put right",
        axis: "points of mAP",
        labels: &["classification", "localization", "both", "duplicate", "background", "missed"],
        series: &[Series { name: "", values: &[4.31, 12.4, 0.52, -0.2, -3.1, 7.75] }],
        ..Bars::default()
    };
    let title = "Precision, recall and F1";
    vec![
        ("bars-3-series", Bars { title, labels: &eight, series: &three, range: unit, ..Bars::default() }.svg()),
        ("bars-60", many.svg()),
        ("bars-few", few.svg()),
        ("bars-signed", signed.svg()),
        (
            "bars-unicode",
            Bars { title: "مرحبا: many scripts", labels: &UNICODE, series: &three, ..Bars::default() }.svg(),
        ),
        ("bars-empty", Bars { title: "Nothing", axis: "AP", ..Bars::default() }.svg()),
        (
            "bars-extreme",
            Bars {
                title: "Extreme",
                labels: &["huge", "minus huge", "tiny"],
                series: &[Series { name: "", values: &[1e300, -1e300, 1e-300] }],
                ..Bars::default()
            }
            .svg(),
        ),
    ]
}

fn scatters() -> Pictures {
    let mut dice = Dice(3);
    let mut pairs = |count: usize, size: f64| {
        let x: Vec<f64> = (0..count).map(|_| size * (50.0 + 15.0 * dice.normal())).collect();
        let y: Vec<f64> = x.iter().map(|x| x + size * 4.0 * dice.normal()).collect();
        (x, y)
    };
    let draw = |x: &[f64], y: &[f64], guide: Guide| {
        let (title, x_axis, y_axis) = ("Predicted against true", "true value", "predicted value");
        Scatter { title, subtitle: "price in €", x_axis, y_axis, x, y, guide }.svg()
    };
    let residuals = |(x, y): (Vec<f64>, Vec<f64>)| {
        let points = x.iter().zip(&y).map(|(x, y)| (*x, y - x));
        let (title, x_axis, y_axis) = ("Residuals", "true value", "predicted − true");
        Scatter { title, x_axis, y_axis, guide: Guide::Zero, ..Scatter::default() }.svg_of(points)
    };
    let diagonal = |(x, y): (Vec<f64>, Vec<f64>)| draw(&x, &y, Guide::Diagonal);
    vec![
        ("scatter-100", diagonal(pairs(100, 1.0))),
        ("scatter-2000", diagonal(pairs(2000, 1e8))),
        ("scatter-million", diagonal(pairs(1_000_000, 1.0))),
        ("scatter-residuals", residuals(pairs(300_000, 1e-4))),
        ("scatter-residuals-few", residuals(pairs(400, 100.0))),
        ("scatter-one", draw(&[3.0], &[3.0], Guide::Diagonal)),
        ("scatter-equal", draw(&[7.5; 5000], &[-2.0; 5000], Guide::None)),
        ("scatter-extreme", draw(&[1e-300, 1e300, -1e300, 0.0], &[-1.7e308, 1.7e308, 1e5, 0.0], Guide::None)),
        ("scatter-empty", draw(&[f64::NAN], &[1.0], Guide::Zero)),
    ]
}

fn curves() -> Pictures {
    let mut dice = Dice(4);
    let mut curve = |points: usize| {
        let bend = 1.0 + 9.0 * dice.roll();
        let at = |point: usize| point as f64 / (points - 1) as f64;
        (0..points).map(|p| (at(p), (1.0 - at(p).powf(bend)) * (0.9 + 0.1 * dice.roll()))).collect::<Vec<_>>()
    };
    let lines: Vec<_> = (0..200).map(|_| curve(101)).collect();
    let mean: Vec<_> = (0..101).map(|p| (lines[0][p].0, lines.iter().map(|l| l[p].1).sum::<f64>() / 200.0)).collect();
    let long = curve(1_000_000);
    let names = names(200);
    let draw = |count: usize, with_mean: bool| {
        let mean = Curve { name: "mean of all classes", points: &mean, thick: true };
        let plain = lines.iter().zip(&names).take(count).map(|(points, name)| Curve { name, points, thick: false });
        let curves: Vec<_> = plain.chain(with_mean.then_some(mean)).collect();
        pr(&curves)
    };
    let wave: Vec<_> = (0..500).map(|p| (f64::from(p) * 3.7, (f64::from(p) / 40.0).sin() * 1e-7)).collect();
    let automatic = Curves {
        title: "Automatic axes",
        x_axis: "step",
        y_axis: "change",
        curves: &[Curve { name: "", points: &wave, thick: false }],
        ..Curves::default()
    };
    vec![
        ("curves-3", draw(3, true)),
        ("curves-12", draw(12, false)),
        ("curves-200", draw(200, true)),
        ("curves-million", pr(&[Curve { name: "", points: &long, thick: true }])),
        ("curves-automatic", automatic.svg()),
        ("curves-unicode", pr(&UNICODE.map(|name| Curve { name, points: &lines[name.len()], thick: false }))),
        ("curves-empty", pr(&[])),
    ]
}

fn pr(curves: &[Curve<'_>]) -> String {
    Curves {
        title: "Precision by recall",
        subtitle: "at IoU 0.5",
        x_axis: "recall",
        y_axis: "precision",
        curves,
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
    }
    .svg()
}

fn histograms() -> Pictures {
    let mut dice = Dice(5);
    let values: Vec<_> = (0..20_000).map(|_| dice.roll().powf(0.4)).collect();
    let draw = |bins: usize, references: &[Reference<'_>]| {
        let range = (0.0, 1.0);
        let counts = Histogram::count(values.iter().copied(), range, bins);
        let (title, subtitle) = ("IoU of matched boxes", "of 20,000 predictions");
        Histogram { title, subtitle, x_axis: "IoU", y_axis: "boxes", range, counts: &counts, references }.svg()
    };
    let close = [
        Reference { name: "threshold 0.50", at: 0.5 },
        Reference { name: "median 0.52", at: 0.52 },
        Reference { name: "strict 0.95", at: 0.98 },
    ];
    let title = "Errors";
    vec![
        ("histogram-20", draw(20, &close[..1])),
        ("histogram-100", draw(100, &close)),
        ("histogram-1000", draw(1000, &[])),
        ("histogram-one-bin", Histogram { title, range: (-5e9, 5e9), counts: &[3], ..Histogram::default() }.svg()),
        (
            "histogram-large",
            Histogram { title, range: (-0.002, 0.003), counts: &[u64::MAX, 5, 1 << 63], ..Histogram::default() }.svg(),
        ),
        ("histogram-empty", Histogram { title, ..Histogram::default() }.svg()),
    ]
}
