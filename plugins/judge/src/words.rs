//! Words that say yes or no, in English and in Chinese, where a judge answers with a sentence instead of JSON.
//!
//! Strict on purpose: a word that stands for itself in its clause ("…: yes", "so no") is a verdict, a word inside of a
//! clause ("there is no doubt") is none; what contradicts itself or is doubtful is nothing.

const YES: &[&str] = &["yes", "yep", "yeah", "yup", "y", "true", "是", "是的", "对", "对的"];
const NO: &[&str] = &["no", "nope", "nah", "n", "false", "不", "否", "不是", "不是的", "不对"];

/// Words beside a verdict that leave it one.
const FILLERS: &[&str] = &[
    "a",
    "absolutely",
    "and",
    "answer",
    "answers",
    "both",
    "clearly",
    "conclusion",
    "definitely",
    "final",
    "hence",
    "is",
    "it",
    "my",
    "or",
    "overall",
    "result",
    "so",
    "the",
    "therefore",
    "thus",
    "verdict",
    "答案",
    "结论",
];
/// Words that say: this is the answer.
const MARKS: &[&str] = &["answer", "conclusion", "final", "verdict", "答案", "答案是", "结论", "结论是"];
/// What a sentence goes on with behind a verdict without a comma.
const SUBJECTS: &[&str] =
    &["because", "comment", "comments", "i", "it", "one", "since", "the", "these", "they", "this", "those", "we"];

const ALIKE: &[&str] = &["same", "similar", "equivalent", "identical"];
const UNLIKE: &[&str] =
    &["different", "differ", "differs", "dissimilar", "distinct", "inequivalent", "nonequivalent", "unrelated"];
/// What may be alike for that to be a verdict: the same concern is one, the same file is none.
const CONCERNS: &[&str] = &[
    "bug",
    "comment",
    "comments",
    "concern",
    "concerns",
    "defect",
    "feedback",
    "finding",
    "issue",
    "issues",
    "matter",
    "matters",
    "meaning",
    "point",
    "points",
    "problem",
    "problems",
    "remark",
    "suggestion",
    "thing",
    "things",
];
const NEGATIONS: &[&str] = &[
    "aren't", "cannot", "can't", "didn't", "doesn't", "don't", "hardly", "isn't", "neither", "never", "no", "nor",
    "not", "without",
];
const DOUBTS: &[&str] = &[
    "almost",
    "could",
    "if",
    "may",
    "maybe",
    "might",
    "nearly",
    "partially",
    "partly",
    "perhaps",
    "possibly",
    "probably",
    "roughly",
    "somewhat",
    "unclear",
    "unless",
    "unsure",
    "whether",
    "would",
];

const CHINESE_ALIKE: &[&str] = &["相同", "同样", "一致", "一样", "等价", "相似", "同一", "同一个"];
const CHINESE_CONCERNS: &[&str] = &["问题", "关注点", "意思", "含义", "内容", "缺陷", "观点"];
const CHINESE_DOUBTS: &[&str] = &["是否", "是不是", "可能", "也许", "无法", "不确定", "如果", "部分"];
const CHINESE_NEGATIONS: &[char] = &['不', '没', '非', '未', '无', '否'];

/// Whether a text says yes (true), no (false), or neither.
pub(crate) fn read(text: &str) -> Option<bool> {
    let clauses = clauses(text);
    if clauses.iter().any(Clause::contradicts) {
        return None;
    }
    let plain: Vec<usize> = (0..clauses.len()).filter(|i| clauses[*i].verdict(*i == 0).is_some()).collect();
    if plain.is_empty() {
        let doubtful = clauses.iter().any(Clause::doubts);
        return agreed(clauses.iter().filter_map(Clause::stance)).filter(|_| !doubtful);
    }
    let marked: Vec<usize> = plain.iter().copied().filter(|i| is_marked(&clauses, *i)).collect();
    let counted = if marked.is_empty() { plain } else { marked };
    if counted.iter().any(|i| belies_itself(&clauses, *i)) {
        return None;
    }
    agreed(counted.iter().filter_map(|i| clauses[*i].verdict(*i == 0)))
}

/// A piece of a sentence between two marks of punctuation.
struct Clause {
    words: Vec<String>,
    /// The mark behind it.
    end: char,
    /// The sentence it belongs to, counted.
    sentence: usize,
}

fn clauses(text: &str) -> Vec<Clause> {
    let text = text.to_lowercase().replace('’', "'").replace(" - ", "—");
    let (mut found, mut start, mut sentence) = (Vec::new(), 0, 0);
    for (at, mark) in text.char_indices().filter(|(_, c)| ends_clause(*c)).chain([(text.len(), '\n')]) {
        let words = words(&text[start..at]);
        if !words.is_empty() {
            found.push(Clause { words, end: mark, sentence });
        }
        sentence += usize::from(matches!(mark, '.' | '!' | '?' | '\n' | '。' | '！' | '？'));
        start = text.len().min(at + mark.len_utf8());
    }
    found
}

fn ends_clause(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | ':' | ',' | '(' | ')' | '[' | ']' | '\n' | '—' | '–')
        || matches!(c, '，' | '。' | '！' | '？' | '；' | '：' | '、' | '（' | '）')
}

/// The words of a clause; a hyphen joins ("non-equivalent"), quotes and emphasis are no letters.
fn words(clause: &str) -> Vec<String> {
    let joined = |word: &str| word.replace('-', "").trim_matches('\'').to_owned();
    let pieces = clause.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-');
    pieces.map(joined).filter(|word| !word.is_empty()).collect()
}

impl Clause {
    /// The verdict that the clause consists of, or that a sentence begins with.
    fn verdict(&self, leads: bool) -> Option<bool> {
        if self.end == '?' {
            return None;
        }
        let alone = agreed(self.without_fillers().map(meaning)).flatten();
        let opening = || match self.words.as_slice() {
            [first, second, ..] if leads && SUBJECTS.contains(&second.as_str()) => meaning(first),
            _ => None,
        };
        alone.or_else(opening)
    }

    fn without_fillers(&self) -> impl Iterator<Item = &String> {
        self.words.iter().filter(|word| !FILLERS.contains(&word.as_str()))
    }

    /// Whether it is nothing but verdicts, and they are not all the same.
    fn contradicts(&self) -> bool {
        let told: Option<Vec<bool>> = self.without_fillers().map(meaning).collect();
        told.is_some_and(|told| told.contains(&true) && told.contains(&false))
    }

    fn doubts(&self) -> bool {
        let chinese = |word: &String| CHINESE_DOUBTS.iter().any(|doubt| word.contains(doubt));
        self.has(DOUBTS) || self.has(YES) || self.words.iter().any(chinese)
    }

    fn has(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }

    /// Whether the clause says in other words that the comments are alike ("not the same concern") or not.
    fn stance(&self) -> Option<bool> {
        if self.end == '?' || self.doubts() {
            return None;
        }
        self.words.last().and_then(|word| chinese_stance(word)).or_else(|| self.english_stance())
    }

    fn english_stance(&self) -> Option<bool> {
        let at = |list: &[&str]| self.words.iter().position(|word| list.contains(&word.as_str()));
        let (place, alike) = match (at(ALIKE), at(UNLIKE)) {
            (Some(place), None) => (place, true),
            (None, Some(place)) => (place, false),
            _ => return None,
        };
        let about_meaning = self.words.get(place + 1).is_none_or(|next| CONCERNS.contains(&next.as_str()));
        let negations = self.words[..place].iter().filter(|word| NEGATIONS.contains(&word.as_str())).count();
        match (about_meaning, alike, negations) {
            (true, true, 0) => Some(true),
            (true, true, 1) | (true, false, 0) => Some(false),
            _ => None,
        }
    }
}

fn chinese_stance(word: &str) -> Option<bool> {
    let noun = CHINESE_CONCERNS.iter().find_map(|noun| word.strip_suffix(noun)).unwrap_or(word);
    let word = noun.strip_suffix('的').unwrap_or(noun);
    if let Some(before) = word.strip_suffix("不同") {
        return (!before.contains(CHINESE_NEGATIONS)).then_some(false);
    }
    let before = CHINESE_ALIKE.iter().find_map(|alike| word.strip_suffix(alike))?;
    Some(!before.contains(CHINESE_NEGATIONS))
}

fn meaning(word: impl AsRef<str>) -> Option<bool> {
    let word = word.as_ref();
    match (YES.contains(&word), NO.contains(&word)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Whether a clause, or the label before it, says that this is the answer.
fn is_marked(clauses: &[Clause], i: usize) -> bool {
    clauses[i].has(MARKS)
        || i.checked_sub(1).is_some_and(|before| clauses[before].end == ':' && clauses[before].has(MARKS))
}

/// "Different: yes", "Do they differ? Yes" and "Yes, they are different" do not say what their verdict says.
fn belies_itself(clauses: &[Clause], i: usize) -> bool {
    let asked = i.checked_sub(1).map(|before| &clauses[before]);
    if asked.is_some_and(|asked| matches!(asked.end, ':' | '?' | '：' | '？') && asked.has(UNLIKE)) {
        return true;
    }
    let verdict = clauses[i].verdict(i == 0);
    let beside = clauses.iter().filter(|clause| clause.sentence == clauses[i].sentence);
    beside.filter_map(Clause::stance).any(|stance| Some(stance) != verdict)
}

/// What all say, if they say one thing.
fn agreed<T: PartialEq>(mut told: impl Iterator<Item = T>) -> Option<T> {
    let first = told.next()?;
    told.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(expected: Option<bool>, texts: &str) {
        for text in texts.split('|') {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_verdict_that_stands_for_itself_counts() {
        all(Some(true), "yes|Yes.| YES\n|**Yes**|`yes`|Y|yep|True|So yes|yes - both want a lock|Yes, the same point");
        all(Some(true), "Yes they ask for one thing|Both miss the bound: yes|I know it leaks, so yes|Yes! (no doubt)");
        all(
            Some(true),
            "There is no difference here: yes|Yes\n\nThey are not worded alike.|Yes. The wording is different.",
        );
        all(Some(true), "The wording is not the same. Final answer: yes|是|是的，都相同。|答案：是");
        all(Some(false), "no|No!|**NO**|\"no\"|n|false|nope|No, not the same.|Answer: no|The answer is \"no\".");
        all(
            Some(false),
            "no.\nyes would be too kind; they differ|No the first wants a test|不|否。|不是，第一条说的是锁。",
        );
        all(Some(false), "Is the file the same? Yes. Verdict: no");
    }

    #[test]
    fn other_words_count_where_they_are_clear() {
        all(Some(true), "Equivalent|Identical issue|They raise the same concern.|两条评论相同|指出了同一个问题");
        all(
            Some(false),
            "Not similar.|dissimilar|Non-equivalent|They aren't equivalent|These don't raise the same issue.",
        );
        all(Some(false), "The concerns are different|They are unrelated.|Same file, different concerns");
        all(Some(false), "不相同|两条评论不同。|不是相同的问题");
    }

    #[test]
    fn what_is_doubtful_or_contradicts_itself_says_nothing() {
        all(None, "|...|yes and no|no yes|Yes or no|I cannot say: yes and no|Yes. No.|Maybe yes|No difference|Nothing");
        all(None, "Perhaps the same|They are in the same file|somewhat similar|not different|I know|yesterday");
        all(None, "Yes, they are different|Different: yes|Do they differ? Yes|Are they the same?");
        all(None, "是否相同|没有不同|是的，两条评论不同。|可能相同|同一个文件");
    }
}
