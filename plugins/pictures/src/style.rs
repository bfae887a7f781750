//! The style sheet in every picture: one palette for light and one for dark, and nothing told by colour alone.

use std::fmt::Write as _;

use crate::font::Font;

/// What a thing looks like: in CSS, and with its colours for light and for dark.
struct Rule {
    selector: &'static str,
    property: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn rule(selector: &'static str, property: &'static str, light: &'static str, dark: &'static str) -> Rule {
    Rule { selector, property, light, dark }
}

const PAPER: Rule = rule(".paper", "fill", "#ffffff", "#14171c");

const INKS: [Rule; 3] = [
    rule("text", "fill", "#1b1f24", "#e6e9ee"),
    rule(".subtitle,.tick,.axis-name,.quiet", "fill", "#57606a", "#a2abb6"),
    rule("text.ink", "fill", "#1b1f24", "#e6e9ee"),
];

/// Ink on faint, strong and full shades: light paper asks for the other ink later than dark paper does.
const ON_SHADES: [Rule; 3] = [
    rule("text.on-faint", "fill", "#1b1f24", "#e6e9ee"),
    rule("text.on-strong", "fill", "#1b1f24", "#14171c"),
    rule("text.on-full", "fill", "#ffffff", "#14171c"),
];

const SHAPES: [Rule; 9] = [
    PAPER,
    rule(".plate", "fill", "#f4f5f7", "#1c2027"),
    rule(".grid", "stroke", "#e3e6ea", "#2a3038"),
    rule(".axis", "stroke", "#8b949e", "#6b7480"),
    rule(".tenth", "stroke", "#c3cad3", "#454e5a"),
    rule(".mesh,.halo", "stroke", "#ffffff", "#14171c"),
    rule(".reference", "stroke", "#1b1f24", "#e6e9ee"),
    rule(".thick", "stroke", "#1b1f24", "#e6e9ee"),
    rule(".pale", "stroke", "#c3cad3", "#525c69"),
];

/// Colours of series, told apart by colour-blind people too; the first is also "right" and the second "wrong".
const SERIES: [(&str, &str); 6] = [
    ("#1f6fb8", "#5aa9f0"),
    ("#bd4519", "#f97b32"),
    ("#0aa366", "#2f8f5a"),
    ("#4a1d8a", "#d9ccff"),
    ("#c08200", "#f5dd4b"),
    ("#8c1d4f", "#c65f98"),
];

/// How strong the shades of a colour are, from the faintest that can be seen to the full colour.
const SHADES: [f64; 9] = [0.17, 0.22, 0.27, 0.33, 0.39, 0.46, 0.55, 0.78, 1.0];

/// How many shades there are.
pub(crate) const SHADE_COUNT: usize = SHADES.len();

/// How many series have a colour of their own.
pub(crate) const SERIES_COUNT: usize = SERIES.len();

/// The class of text on a shade.
pub(crate) fn ink_on(shade: usize) -> &'static str {
    ["on-faint", "on-strong", "on-full"][ink_index(shade)]
}

fn ink_index(shade: usize) -> usize {
    (shade + 3).saturating_sub(SHADE_COUNT).min(2)
}

/// The style sheet.
pub(crate) fn sheet() -> String {
    let mut css = String::with_capacity(4096);
    css.push_str(
        ".picture text{direction:ltr;font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif;\
         font-variant-numeric:tabular-nums}\
         .picture .title{font-weight:600}.picture .end{text-anchor:end}.picture .middle{text-anchor:middle}\
         .picture path:not(.filled){fill:none}.picture .grid,.picture .axis,.picture .tenth{shape-rendering:crispEdges}\
         .picture .reference{stroke-width:1.5;stroke-dasharray:5 4}.picture .thick{stroke-width:3;stroke-linejoin:round}\
         .picture .thin{stroke-width:1.5;stroke-linejoin:round}.picture .pale{stroke-width:1}\
         .picture .halo{stroke-width:4;stroke-linejoin:round;paint-order:stroke}\
         .picture .dashed{stroke-dasharray:6 3}.picture .mesh{stroke-width:1}.picture .cells path{shape-rendering:crispEdges}",
    );
    for font in Font::ALL {
        let _ = write!(css, ".picture .{}{{font-size:{}px}}", font.class(), font.size());
    }
    for (shade, opacity) in SHADES.iter().enumerate() {
        let _ = write!(css, ".picture .s{shade}{{opacity:{opacity}}}");
    }
    colours(&mut css, |rule| rule.light, |(light, _)| light);
    css.push_str("@media (prefers-color-scheme:dark){");
    colours(&mut css, |rule| rule.dark, |(_, dark)| dark);
    css.push('}');
    css
}

fn colours(css: &mut String, of_rule: fn(&Rule) -> &str, of_series: fn(&(&'static str, &'static str)) -> &'static str) {
    for rule in SHAPES.iter().chain(&INKS).chain(&ON_SHADES) {
        let selector = rule.selector.replace(',', ",.picture ");
        let _ = write!(css, ".picture {selector}{{{}:{}}}", rule.property, of_rule(rule));
    }
    for (at, series) in SERIES.iter().enumerate() {
        let colour = of_series(series);
        let _ = write!(css, ".picture .f{at}{{fill:{colour}}}.picture .l{at}{{stroke:{colour}}}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0)
    }

    fn blend(colour: [f64; 3], paper: [f64; 3], opacity: f64) -> [f64; 3] {
        std::array::from_fn(|at| colour[at] * opacity + paper[at] * (1.0 - opacity))
    }

    fn linear(colour: [f64; 3]) -> [f64; 3] {
        colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
    }

    fn times(matrix: [[f64; 3]; 3], colour: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2])
    }

    fn luminance(colour: [f64; 3]) -> f64 {
        times([[0.2126, 0.7152, 0.0722]; 3], linear(colour))[0]
    }

    /// CIELAB of linear sRGB: distances in it are differences that are seen.
    fn lab(colour: [f64; 3]) -> [f64; 3] {
        let to_xyz = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8729]];
        let [x, y, z] = times(to_xyz, colour.map(|part| part.clamp(0.0, 1.0)))
            .map(|part| if part > 0.008856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Full red, green and blue blindness, by the model of Machado, Oliveira and Fernandes (2009).
    const BLINDNESS: [[[f64; 3]; 3]; 3] = [
        [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
        [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
        [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
    ];

    /// The contrast of WCAG 2: 4.5 is asked of text, 3 of lines and bars.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn all_text_can_be_read() {
        for rule in &INKS {
            assert!(contrast(rgb(rule.light), rgb(PAPER.light)) >= 4.5, "{}", rule.selector);
            assert!(contrast(rgb(rule.dark), rgb(PAPER.dark)) >= 4.5, "{}", rule.selector);
        }
    }

    #[test]
    fn text_can_be_read_on_every_shade() {
        for (shade, opacity) in SHADES.iter().enumerate() {
            for (light, dark) in &SERIES[..2] {
                let ink = &ON_SHADES[ink_index(shade)];
                let on_light = contrast(rgb(ink.light), blend(rgb(light), rgb(PAPER.light), *opacity));
                let on_dark = contrast(rgb(ink.dark), blend(rgb(dark), rgb(PAPER.dark), *opacity));
                assert!(on_light >= 4.5 && on_dark >= 4.5, "shade {shade}: {on_light} {on_dark}");
            }
        }
    }

    #[test]
    fn series_stand_out_from_the_paper() {
        for (light, dark) in SERIES {
            assert!(contrast(rgb(light), rgb(PAPER.light)) >= 3.0, "{light}");
            assert!(contrast(rgb(dark), rgb(PAPER.dark)) >= 3.0, "{dark}");
        }
    }

    #[test]
    fn colour_blind_people_can_tell_series_apart() {
        for (of_theme, blindness) in [0, 1].into_iter().flat_map(|theme| BLINDNESS.map(|blindness| (theme, blindness)))
        {
            let seen = SERIES.map(|pair| lab(times(blindness, linear(rgb([pair.0, pair.1][of_theme])))));
            for (at, one) in seen.iter().enumerate() {
                for (other_at, other) in seen.iter().enumerate().skip(at + 1) {
                    let distance = (0..3).map(|part| (one[part] - other[part]).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 15.0, "series {at} and {other_at} of theme {of_theme}: {distance}");
                }
            }
        }
    }
}
