//! Tokenizer: folds a text and splits it into search terms, the same for rows and for queries.
//!
//! A word is letters and digits of a script that writes spaces; it is found by its beginning. A run is text of a script
//! without spaces (Japanese, Chinese, Thai); it is found by any part, so its pairs of characters are terms, too.
use crate::kernel::text::search_fold;
use icu_properties::{CodePointMapData, props::GeneralCategoryGroup};
use std::collections::BTreeSet;

/// Terms of one query; further ones are ignored.
const MAX_QUERY_TERMS: usize = 16;
/// Characters of one term; both databases limit the size of an index entry.
const MAX_TERM_CHARS: usize = 100;

/// A folded search term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Word(String),
    Run(String),
}

impl Term {
    /// The text that the words of a matching row contain. `exact`: a whole word or run, not a prefix.
    pub fn needle(&self, exact: bool) -> String {
        match (self, exact) {
            (Self::Word(text) | Self::Run(text), true) => format!(" {text} "),
            (Self::Word(text), false) => format!(" {text}"),
            (Self::Run(text), false) => text.clone(),
        }
    }

    /// The index tokens of a matching row, and whether each is a prefix.
    pub fn tokens(&self, exact: bool) -> Vec<(String, bool)> {
        match self {
            _ if exact => vec![(self.text().to_owned(), false)],
            Self::Word(text) => vec![(text.clone(), true)],
            Self::Run(text) if text.chars().count() == 1 => vec![(text.clone(), true)],
            Self::Run(text) => pairs(text).map(|pair| (pair, false)).collect(),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Run(text) => text,
        }
    }
}

/// The terms of a query; empty if it has no letters or digits.
pub(crate) fn query(text: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = split(&search_fold(text));
    terms.truncate(MAX_QUERY_TERMS);
    terms
}

/// The words of a row for the index: its keys (kind, company, ISO partner), then every term of its texts, between spaces.
pub(super) fn row<'t>(keys: &[String], texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let mut terms = BTreeSet::new();
    for text in texts {
        let folded = search_fold(text);
        terms.extend(folded.split_whitespace().filter_map(joined));
        for term in split(&folded) {
            match term {
                Term::Word(word) => {
                    terms.insert(word);
                }
                Term::Run(run) => {
                    terms.extend(pairs(&run));
                    // The last character begins no pair.
                    terms.extend(run.chars().last().map(String::from));
                    terms.insert(run);
                }
            }
        }
    }
    let words: Vec<&str> = keys.iter().chain(&terms).map(String::as_str).collect();
    (!terms.is_empty()).then(|| format!(" {} ", words.join(" ")))
}

/// A name with an apostrophe or a hyphen as many type it, without: `O'Brien` as `obrien`.
fn joined(piece: &str) -> Option<String> {
    let inner = |c: char| matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '-' | '\u{2010}');
    let is_name = piece.chars().all(|c| c.is_alphabetic() || inner(c)) && piece.contains(inner);
    let name: String = piece.chars().filter(|c| !inner(*c)).take(MAX_TERM_CHARS).collect();
    (is_name && !name.is_empty()).then_some(name)
}

fn split(folded: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut continues = false;
    for c in folded.chars() {
        if !is_letter(c) {
            continues = false;
            continue;
        }
        match (terms.last_mut().filter(|_| continues), is_unspaced(c)) {
            (Some(Term::Word(text)), false) | (Some(Term::Run(text)), true) => text.push(c),
            (_, true) => terms.push(Term::Run(c.to_string())),
            (_, false) => terms.push(Term::Word(c.to_string())),
        }
        continues = true;
    }
    for Term::Word(text) | Term::Run(text) in &mut terms {
        if let Some((at, _)) = text.char_indices().nth(MAX_TERM_CHARS) {
            text.truncate(at);
        }
    }
    terms
}

fn pairs(run: &str) -> impl Iterator<Item = String> {
    run.chars().zip(run.chars().skip(1)).map(|(one, next)| String::from_iter([one, next]))
}

/// Letters, digits, and the vowel and tone marks that stand on them.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || (!c.is_ascii() && GeneralCategoryGroup::Mark.contains(CodePointMapData::new().get(c)))
}

/// Scripts that write no spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        | 0x3005..=0x3007 | 0x3041..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0x1b000..=0x1b16f | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        row(&[], [text]).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    }

    fn matches(text: &str, q: &str) -> bool {
        let row = row(&[], [text]).unwrap_or_default();
        query(q).iter().all(|term| {
            let tokens = term.tokens(false);
            let has = |(token, prefix): &(String, bool)| {
                row.split(' ').any(|word| if *prefix { word.starts_with(token) } else { word == token })
            };
            row.contains(&term.needle(false)) && tokens.iter().all(has)
        })
    }

    #[test]
    fn emails_and_identifiers_match_by_their_parts() {
        assert_eq!(terms("Maya.Ortiz@Example.com"), ["com", "example", "maya", "ortiz"]);
        for q in ["maya.ortiz@example.com", "ORTIZ", "maya ex", "ortiz@exa"] {
            assert!(matches("Maya.Ortiz@Example.com", q), "{q}");
        }
        assert!(matches("SPV-ba62ac68", "spv-ba62") && matches("SPV-ba62ac68", "BA62AC68"));
        assert!(!matches("SPV-ba62ac68", "62ac68"));
    }

    #[test]
    fn case_accents_width_and_joiners_are_ignored() {
        for (text, q) in [
            ("Re\u{301}sume\u{301}.pdf", "Résumé"),
            ("Re\u{301}sume\u{301}.pdf", "Resume"),
            ("Zoë", "zoe"),
            ("Straße", "STRASSE"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Ｍｅｒｉｄｉａｎ", "meridian"),
            ("soft\u{ad}ware", "software"),
            ("O’Brien", "obrien"),
            ("O'Brien", "o'brien"),
            ("Al-Fahim", "alfahim"),
        ] {
            assert!(matches(text, q), "{text} by {q}");
        }
    }

    #[test]
    fn scripts_without_spaces_match_inside_a_text() {
        for (text, q) in [
            ("東京都千代田区", "千代田"),
            ("東京都千代田区", "区"),
            ("東京都千代田区", "都"),
            ("株式会社メリディアン", "メリディアン"),
            ("ﾒﾘﾃﾞｨｱﾝ", "メリディアン"),
            ("กรุงเทพมหานคร", "มหานคร"),
            ("iPhone用ケース", "用ケース"),
            ("iPhone用ケース", "iph"),
        ] {
            assert!(matches(text, q), "{text} by {q}");
        }
        // Both pairs are there, the run is not.
        assert!(!matches("東京 京都", "東京都"));
    }

    #[test]
    fn every_word_of_a_long_text_is_a_term() {
        let text: String = (0..200).map(|n| format!("word{n} ")).collect();
        assert_eq!(terms(&text).len(), 200);
    }

    #[test]
    fn punctuation_alone_has_no_terms() {
        assert!(query(" -- ' \u{200b}").is_empty());
        assert_eq!(row(&["=spv".to_owned()], ["--"]), None);
    }
}
