//! A pull request's identity: its address, taken apart, and the file names that mean it.

/// The parts of a pull request's address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pull {
    pub(crate) url: String,
    pub(crate) owner: String,
    pub(crate) repo: String,
    pub(crate) number: String,
    key: Option<Key>,
}

/// What addresses are compared by, on whichever host: owner and repository in lower case, and the number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    owner: String,
    repo: String,
    number: String,
}

impl Pull {
    /// Takes an address apart. Only `https://github.com/OWNER/REPO/pull/NUMBER` has parts; any other has a key at most.
    pub(crate) fn of(url: &str) -> Self {
        let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map(|(_, path)| path);
        let found = path.and_then(parts);
        let lower = |[owner, repo, number]: [&str; 3]| Key {
            owner: owner.to_lowercase(),
            repo: repo.to_lowercase(),
            number: number.to_owned(),
        };
        let [owner, repo, number] = found.filter(|_| url.starts_with("https://github.com/")).unwrap_or_default();
        Self {
            url: url.to_owned(),
            owner: owner.to_owned(),
            repo: repo.to_owned(),
            number: number.to_owned(),
            key: found.map(lower),
        }
    }

    /// Whether the address looks like one of a pull request.
    pub(crate) fn is_address(&self) -> bool {
        self.key.is_some()
    }

    /// The name of its evaluation.
    pub(crate) fn evaluation_id(&self) -> String {
        format!("{}_{}", self.repo, self.number)
    }

    /// Whether a file name says that its comments are about this one: `comments_{repo}_{number}.txt`, or with the owner before it.
    /// Repository and owner in any case, as on the hosting site; the number exactly.
    pub(crate) fn is_named_by(&self, file: &str) -> bool {
        let (Some(key), Some((stem, number))) = (&self.key, stem_and_number(file)) else { return false };
        if number != key.number {
            return false;
        }
        let stem = stem.to_lowercase();
        stem == key.repo || stem.strip_prefix(&key.owner).and_then(|rest| rest.strip_prefix('_')) == Some(&key.repo)
    }

    /// Whether two addresses are of the same pull request, whatever their scheme, case and tail.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (&self.key, &other.key) {
            (Some(here), Some(there)) => here == there,
            _ => self.url == other.url,
        }
    }
}

/// Owner, repository and number.
fn parts(path: &str) -> Option<[&str; 3]> {
    let mut segments = path.split('/');
    let (owner, repo, kind, rest) = (segments.next()?, segments.next()?, segments.next()?, segments.next()?);
    let number = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
    let complete = kind == "pull" && !owner.is_empty() && !repo.is_empty() && !number.is_empty();
    complete.then_some([owner, repo, number])
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
        assert!(pull.is_at(&Pull::of("http://GitHub.com/Shop/Cart/pull/42/files")));
        assert!(!pull.is_at(&Pull::of("https://github.com/shop/cart/pull/4")));
    }
}
