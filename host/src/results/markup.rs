//! Foreign text in markup, HTML and XML alike: nothing in it is markup, and nothing in it turns the direction of text.

/// A text that a page or a document shows as it is, also between quotes.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // In an attribute a bare line end would become a blank.
            '\n' => safe.push_str("&#10;"),
            '\t' => safe.push_str("&#9;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                safe.push('\u{fffd}')
            }
            // XML has no way to write these down.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_text_again_in_xml(text in any::<String>()) {
            let document = format!("<a b=\"{0}\">{0}</a>", escaped(&text));
            let document = roxmltree::Document::parse(&document).unwrap();
            let root = document.root_element();
            prop_assert_eq!(root.children().filter(|child| child.is_element()).count(), 0);
            prop_assert_eq!(root.attribute("b"), Some(root.text().unwrap_or_default()));
            prop_assert_eq!(root.text().unwrap_or_default().chars().count(), text.chars().count());
        }
    }
}
