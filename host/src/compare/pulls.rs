//! Pull requests of two reviews of the same references: what each side said and matched.

use std::collections::BTreeMap;

use super::cells::share;
use super::interval::Both;

/// One pull request on one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pull {
    /// Comments made.
    pub said: u64,
    /// References there are.
    pub wanted: u64,
    /// Comments that match by meaning.
    pub matches: u64,
    /// Comments that match by place.
    pub places: u64,
}

/// One review: its pull requests by address; one without any comment has no counts.
#[derive(Debug, Clone, Default)]
pub struct Reviewed {
    /// By address.
    pub pulls: BTreeMap<String, Option<Pull>>,
    /// All references, also those of silent pull requests.
    pub references: u64,
}

/// The pull requests of both sides.
#[derive(Debug)]
pub struct Pulls(Vec<[Pull; 2]>);

impl Pulls {
    /// Joins two reviews; fails where it is not known how many references a pull request has.
    pub fn of(sides: [&Reviewed; 2]) -> Result<Self, String> {
        let [a, b] = sides;
        if !a.pulls.keys().eq(b.pulls.keys()) {
            return Err("the results are about different pull requests".to_owned());
        }
        let mut joined = Vec::new();
        let mut silent = 0u64;
        for (a, b) in a.pulls.values().zip(b.pulls.values()) {
            let wanted = a.or(*b).map(|pull| pull.wanted);
            silent += u64::from(wanted.is_none());
            let quiet = Pull { wanted: wanted.unwrap_or_default(), ..Pull::default() };
            joined.push([a.unwrap_or(quiet), b.unwrap_or(quiet)]);
        }
        // What only one pull request can have is known; what several share is not.
        let missing = a.references.saturating_sub(joined.iter().map(|pair| pair[0].wanted).sum());
        match (silent, a.pulls.values().zip(b.pulls.values()).position(|pair| pair == (&None, &None))) {
            (0, _) => {}
            (1, Some(at)) => joined[at] = [Pull { wanted: missing, ..Pull::default() }; 2],
            _ => {
                return Err(format!(
                    "neither side comments on {silent} pull requests, and the results do not tell their references one by one"
                ));
            }
        }
        Ok(Self(joined))
    }

    /// One of each.
    pub fn counts(&self) -> Vec<u64> {
        vec![1; self.0.len()]
    }

    /// What a review is measured by, for both sides, with so many of each pull request.
    pub fn measure(&self, counts: &[u64]) -> Vec<Both> {
        let [a, b] = [0, 1].map(|side| {
            let sum = |one: fn(&Pull) -> u64| {
                self.0.iter().zip(counts).map(|(pair, count)| one(&pair[side]) * count).sum::<u64>()
            };
            let (said, wanted) = (sum(|pull| pull.said), sum(|pull| pull.wanted));
            let (matches, places) = (sum(|pull| pull.matches), sum(|pull| pull.places));
            [
                ("f1", share(2 * matches, said + wanted)),
                ("precision", share(matches, said)),
                ("recall", share(matches, wanted)),
                ("line_f1", share(2 * places, said + wanted)),
                ("line_precision", share(places, said)),
                ("line_recall", share(places, wanted)),
            ]
        });
        a.into_iter().zip(b).map(|((name, a), (_, b))| (name, a, b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(pulls: &[(&str, Option<[u64; 4]>)], references: u64) -> Reviewed {
        let pull = |[said, wanted, matches, places]: [u64; 4]| Pull { said, wanted, matches, places };
        Reviewed {
            pulls: pulls.iter().map(|(url, counts)| ((*url).to_owned(), counts.map(pull))).collect(),
            references,
        }
    }

    #[test]
    fn what_one_side_is_silent_about_the_other_tells() {
        let a = review(&[("x", Some([4, 5, 2, 3])), ("y", None), ("z", None)], 10);
        let b = review(&[("x", Some([2, 5, 2, 2])), ("y", Some([1, 3, 1, 1])), ("z", None)], 10);
        let pulls = Pulls::of([&a, &b]).unwrap();
        let measured = pulls.measure(&pulls.counts());
        assert_eq!((measured[2].1, measured[2].2), (0.2, 0.3));
        assert_eq!((measured[1].1, measured[1].2), (0.5, 1.0));
    }

    #[test]
    fn what_nobody_tells_is_not_made_up() {
        let a = review(&[("x", Some([4, 5, 2, 3])), ("y", None), ("z", None)], 10);
        assert!(Pulls::of([&a, &a]).unwrap_err().contains("2 pull requests"));
        assert!(Pulls::of([&a, &review(&[("x", None)], 5)]).unwrap_err().contains("different"));
    }
}
