//! The few sizes of text in a picture.

use std::borrow::Cow;

use crate::text;

/// A size of text, with the CSS class that sets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Font {
    /// The picture's title.
    Title,
    /// What stands below the title.
    Subtitle,
    /// Names of axes.
    Axis,
    /// Names of rows and series.
    Label,
    /// Numbers along axes and at the ends of bars.
    Tick,
    /// Labels of rows that are as close as rows may be.
    Small,
}

impl Font {
    pub(crate) const ALL: [Self; 6] = [Self::Title, Self::Subtitle, Self::Axis, Self::Label, Self::Tick, Self::Small];

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Subtitle => "subtitle",
            Self::Axis => "axis-name",
            Self::Label => "label",
            Self::Tick => "tick",
            Self::Small => "small",
        }
    }

    pub(crate) fn size(self) -> f64 {
        match self {
            Self::Title => 17.0,
            Self::Subtitle => 13.0,
            Self::Axis | Self::Label => 12.0,
            Self::Tick => 11.0,
            Self::Small => 10.0,
        }
    }

    /// The estimated width of clean text.
    pub(crate) fn width(self, clean: &str) -> f64 {
        text::ems(clean) * self.size()
    }

    /// The width of the widest text, at most `max`.
    pub(crate) fn widest<'t>(self, texts: impl IntoIterator<Item = &'t str>, max: f64) -> f64 {
        texts.into_iter().map(|text| self.width(&text::clean(text))).fold(0.0, f64::max).min(max)
    }

    /// Clean text as far as it fits.
    pub(crate) fn cut(self, clean: &str, width: f64) -> Cow<'_, str> {
        text::cut(clean, width / self.size())
    }

    /// How far below the middle of a line its baseline is.
    pub(crate) fn drop(self) -> f64 {
        self.size() * 0.35
    }
}
