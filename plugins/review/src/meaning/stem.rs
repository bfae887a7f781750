//! The stem of an English word: endings taken off until forms of one word look the same. A stem need not be a word.

/// Endings with what stands for them, the longest first. What is left must have a vowel and so many letters.
const ENDINGS: [(&str, &str, usize); 34] = [
    ("ifications", "ifi", 1),
    ("ification", "ifi", 1),
    ("izations", "iz", 2),
    ("ization", "iz", 2),
    ("ational", "at", 2),
    ("fulness", "ful", 2),
    ("iveness", "iv", 2),
    ("nesses", "", 3),
    ("ations", "at", 2),
    ("ation", "at", 2),
    ("ments", "", 3),
    ("ities", "", 3),
    ("ingly", "", 3),
    ("ables", "", 3),
    ("ement", "", 3),
    ("ment", "", 3),
    ("ness", "", 3),
    ("tion", "t", 3),
    ("sion", "s", 3),
    ("able", "", 3),
    ("ible", "", 3),
    ("ally", "", 3),
    ("edly", "", 3),
    ("ings", "", 3),
    ("ing", "", 2),
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("ity", "", 3),
    ("ers", "", 3),
    ("ed", "", 2),
    ("er", "", 3),
    ("ly", "", 3),
    ("es", "", 3),
    ("e", "", 3),
];

/// The stem of a word in lower case.
pub(crate) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let mut stem = singular(word);
    for (ending, instead, least) in ENDINGS {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() >= least && has_vowel(rest)) {
            stem = format!("{rest}{instead}");
            break;
        }
    }
    undouble(&mut stem);
    if let Some(rest) = stem.strip_suffix('e').filter(|rest| rest.len() >= 3) {
        stem = rest.to_owned();
    }
    match stem.strip_suffix('y').filter(|rest| rest.len() >= 2) {
        Some(rest) => format!("{rest}i"),
        None => stem,
    }
}

fn singular(word: &str) -> String {
    let plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    let other = ["ies", "es", "ers", "ments", "ings", "ities", "ations", "ables", "izations", "ifications", "nesses"];
    let plain = plural && !other.iter().any(|ending| word.ends_with(ending));
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// `stopp` of `stopped` becomes `stop`; `call` and `miss` keep their letters.
fn undouble(stem: &mut String) {
    let mut last = stem.bytes().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && stem.len() > 3
        && !matches!(a, b'l' | b's' | b'z')
    {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["check", "checks", "checked", "checking"][..],
            &["validate", "validates", "validated", "validating", "validation", "validations"],
            &["retry", "retries", "retried"],
            &["handle", "handles", "handled", "handler", "handling"],
            &["stop", "stopped", "stopping"],
            &["allocate", "allocation", "allocations"],
        ] {
            assert!(
                forms.iter().all(|form| stem(form) == stem(forms[0])),
                "{:?}",
                forms.iter().map(|f| stem(f)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn short_words_and_other_scripts_stay() {
        for word in ["is", "bus", "über", "class", "null"] {
            assert_eq!(stem(word), word);
        }
    }
}
