//! A pull request's identity: its address, taken apart, and the file names that mean it.

/// The parts of a pull request's address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) url: String,
    pub(crate) owner: String,
    pub(crate) repo: String,
    pub(crate) number: String,
}

impl Pull {
    /// Takes an address apart. Only `https://github.com/OWNER/REPO/pull/NUMBER` has parts; any other keeps none.
    pub(crate) fn of(url: &str) -> Self {
        let parts = url.strip_prefix("https://github.com/").and_then(parts).unwrap_or_default();
        Self { url: url.to_owned(), ..parts }
    }

    /// The name of its evaluation.
    pub(crate) fn evaluation_id(&self) -> String {
        format!("{}_{}", self.repo, self.number)
    }

    /// Whether a file name says that its comments are about this one: `comments_{repo}_{number}.txt`, or with the owner before it.
    /// Repository and owner in any case, as on the hosting site; the number exactly.
    pub(crate) fn is_named_by(&self, file: &str) -> bool {
        let parts = self.parts_anywhere();
        let Some((stem, number)) = stem_and_number(file) else { return false };
        let both = format!("{}_{}", parts.owner, parts.repo);
        let same = |name: &str| !name.is_empty() && name.to_lowercase() == stem.to_lowercase();
        number == parts.number && (same(&parts.repo) || same(&both))
    }

    /// Whether two addresses are of the same pull request, whatever their scheme, case and tail.
    pub(crate) fn is_at(&self, url: &str) -> bool {
        let (here, there) = (self.parts_anywhere(), Self::of(url).parts_anywhere());
        let lower = |pull: &Self| (pull.owner.to_lowercase(), pull.repo.to_lowercase(), pull.number.clone());
        if here.number.is_empty() { self.url == url } else { lower(&here) == lower(&there) }
    }

    /// The parts of an address on any host.
    fn parts_anywhere(&self) -> Self {
        let path = self.url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map(|(_, path)| path);
        path.and_then(parts).unwrap_or_default()
    }
}

fn parts(path: &str) -> Option<Pull> {
    let mut segments = path.split('/');
    let (owner, repo, kind, rest) = (segments.next()?, segments.next()?, segments.next()?, segments.next()?);
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let complete = kind == "pull" && !owner.is_empty() && !repo.is_empty() && !number.is_empty();
    complete.then(|| Pull { url: String::new(), owner: owner.to_owned(), repo: repo.to_owned(), number })
}

/// The repository and the number in `comments_{repo}_{number}.txt`.
fn stem_and_number(file: &str) -> Option<(&str, &str)> {
    let (stem, number) = file.strip_prefix("comments_")?.strip_suffix(".txt")?.rsplit_once('_')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((stem, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_parts_or_none() {
        let pull = Pull::of("https://github.com/shop/cart.js/pull/42/files");
        assert_eq!((pull.owner.as_str(), pull.repo.as_str(), pull.number.as_str()), ("shop", "cart.js", "42"));
        assert_eq!(pull.evaluation_id(), "cart.js_42");
        assert_eq!(Pull::of("http://github.com/shop/cart/pull/42").evaluation_id(), "_");
    }

    #[test]
    fn a_file_name_means_exactly_one_repository_and_number() {
        let pull = Pull::of("https://git.example/Shop/cart_js/pull/42");
        for name in ["comments_cart_js_42.txt", "comments_CART_JS_42.txt", "comments_Shop_cart_js_42.txt"] {
            assert!(pull.is_named_by(name), "{name}");
        }
        for name in [
            "comments_cart_js_4.txt",
            "comments_cart_js_421.txt",
            "comments_js_42.txt",
            "comments_Shop_42.txt",
            "comments_cart_js_42_v2.txt",
            "cart_js-42.txt",
            "comments__42.txt",
            "comments_.txt",
        ] {
            assert!(!pull.is_named_by(name), "{name}");
        }
    }

    #[test]
    fn addresses_are_compared_by_their_parts() {
        let pull = Pull::of("https://github.com/shop/cart/pull/42");
        assert!(pull.is_at("http://GitHub.com/Shop/Cart/pull/42/files"));
        assert!(!pull.is_at("https://github.com/shop/cart/pull/4"));
    }
}
