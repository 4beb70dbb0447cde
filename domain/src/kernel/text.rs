//! Unicode normalisation of text: the form it is stored in, and the keys it is compared by (Unicode, decision 41).
//!
//! Text is stored in NFC. A unique column is compared by its [`unique_key`], a search by its [`search_fold`]; both are
//! computed here and never by the database, whose `lower()` knows only ASCII on SQLite and its locale on PostgreSQL.
use icu_casemap::CaseMapper;
use icu_normalizer::{
    ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed, properties::CanonicalCombiningClassMapBorrowed,
};
use icu_properties::{CodePointSetData, props::DefaultIgnorableCodePoint};

/// The canonical composed form (NFC), in which every text is stored.
pub fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// The key of uniqueness and comparison: compatibility forms (NFKC), letter case (full Unicode case folding), invisible
/// characters and runs of white space do not matter; accents do. The key of a key is the key.
pub fn unique_key(text: &str) -> String {
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let visible = |text: &str| text.chars().filter(|c| !is_ignorable(*c)).collect::<String>();
    let mut key = text.to_owned();
    // Folding can undo normalisation and the other way around, as the NFKC_Casefold definition says; two passes are enough.
    for _ in 0..2 {
        key = nfkc.normalize(&visible(&key)).into_owned();
        key = CaseMapper::new().fold_string(&key).into_owned();
    }
    let key = nfkc.normalize(&visible(&key)).into_owned();
    fold_spaces(&key)
}

/// The key of a search: the [`unique_key`] without accents. Vowel signs, tone marks and voicing marks of scripts where
/// they make another letter (Thai, Devanagari, kana) stay.
pub fn search_fold(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize(&unique_key(text)).into_owned();
    let mut bare = String::with_capacity(decomposed.len());
    for c in decomposed.chars().filter(|c| !is_accent(*c)) {
        match base_letters(c) {
            Some(letters) => bare.push_str(letters),
            None => bare.push(c),
        }
    }
    fold_spaces(&nfc(&bare))
}

/// Characters without a shape of their own: joiners, zero-width spaces, the byte order mark, soft hyphens, variation
/// selectors, Hangul fillers, direction marks.
pub fn is_ignorable(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// White space, and the Braille pattern that has no dots.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// Nothing to be seen: empty, spaces, ignorable characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| is_space(c) || is_ignorable(c))
}

/// One line as it is stored: NFC, trimmed, without ignorable characters except where they shape what stands around them:
/// joiners between letters of scripts that join or within emoji (Persian, Hindi, families), variation selectors.
pub fn line(text: &str) -> String {
    let text: Vec<char> = nfc(text).chars().collect();
    let mut kept = String::with_capacity(text.len());
    for (at, c) in text.iter().copied().enumerate() {
        let shapes = |c: Option<&char>| c.is_some_and(|c| *c >= '\u{530}' && !is_space(*c));
        let keep = match c {
            '\u{200c}' | '\u{200d}' => {
                shapes(kept.chars().next_back().as_ref()) && shapes(text[at + 1..].iter().find(|c| !is_ignorable(**c)))
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                kept.chars().next_back().is_some_and(|c| !is_space(c))
            }
            // Refused where it is checked, not taken out in silence: it turns the direction of a text around.
            c if is_bidi_control(c) => true,
            c => !is_ignorable(c) || is_tag(c),
        };
        if keep {
            kept.push(c);
        }
    }
    // A mark composes with the letter that an ignorable character kept it from.
    if is_blank(&kept) { String::new() } else { nfc(kept.trim_matches(is_space)) }
}

/// Marks that turn the direction of text around and so make one name look like another.
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Tags of regional flags (the flag of Scotland).
fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

fn fold_spaces(text: &str) -> String {
    text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Combining marks that are accents: those above, below and through letters, Hebrew points and Arabic vowel signs.
fn is_accent(c: char) -> bool {
    !c.is_ascii() && matches!(CanonicalCombiningClassMapBorrowed::new().get_u8(c), 1 | 10..=36 | 200..=240)
}

/// Letters with a stroke or joined letters, which Unicode does not take apart but people type without.
fn base_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ł' => "l",
        'ħ' => "h",
        'ı' => "i",
        'ŧ' => "t",
        _ => return None,
    })
}

/// Length of an excerpt in characters.
const MAX_EXCERPT_CHARS: usize = 140;

/// Beginning of a text, in one line.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn excerpt_is_one_line_cut_at_a_character() {
        assert_eq!(excerpt("Dear team,\n\n  thank you"), "Dear team, thank you");
        let long = excerpt(&"ñ ".repeat(200));
        assert_eq!((long.chars().count(), long.ends_with("ñ…")), (MAX_EXCERPT_CHARS, true));
    }

    #[test]
    fn text_is_stored_composed() {
        for (typed, stored) in [
            ("Zoe\u{308}", "Zoë"),
            ("A\u{30a}ngstro\u{308}m", "Ångström"),
            ("\u{212b}", "Å"),
            ("\u{2126}", "Ω"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            // NFC keeps what looks different: width and ligatures.
            ("ﬁ Ａ ｶﾞ", "ﬁ Ａ ｶﾞ"),
        ] {
            assert_eq!(nfc(typed), stored);
        }
    }

    #[test]
    fn unique_keys_ignore_case_width_form_and_what_cannot_be_seen() {
        for (one, other) in [
            ("Zoë", "ZOE\u{308}"),
            ("Société-1", "socie\u{301}te\u{301}-1"),
            ("Å", "\u{212b}"),
            ("Ω", "\u{2126}"),
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("ﬁnance", "FINANCE"),
            ("ＡＢＣ－１", "abc-1"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            ("ガラス", "ｶﾞﾗｽ"),
            ("ΣΟΦΟΣ", "σοφος"),
            ("İstanbul", "i\u{307}stanbul"),
            ("ЁЛКА", "ёлка"),
            ("Ǆ", "ǆ"),
            ("Նﬓ", "նմն"),
            ("Ada\u{200b}\u{200d}\u{feff}\u{ad}Lovelace", "adalovelace"),
            ("❤\u{fe0f}", "❤"),
            ("  Ada\u{a0}\u{3000} Lovelace ", "ada lovelace"),
            ("\u{3164}A\u{2800}", "a"),
            ("\u{1f88}", "\u{1f00}\u{3b9}"),
        ] {
            assert_eq!(unique_key(one), unique_key(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn unique_keys_keep_accents_and_letters_apart() {
        for (one, other) in [
            ("José", "Jose"),
            ("ı", "i"),
            ("İ", "I"),
            ("ø", "o"),
            ("が", "か"),
            ("ガ", "が"),
            ("ё", "е"),
            ("a b", "ab"),
        ] {
            assert_ne!(unique_key(one), unique_key(other), "{one:?} {other:?}");
        }
        assert_eq!(unique_key("I"), "i");
    }

    #[test]
    fn searches_ignore_accents_too() {
        for (text, typed) in [
            ("José Núñez", "jose nunez"),
            ("Zoe\u{308}", "ZOE"),
            ("Łukasz Ørsted", "lukasz orsted"),
            ("DİYARBAKIR", "diyarbakir"),
            ("Diyarbakır", "DIYARBAKIR"),
            ("Ἀθῆναι", "αθηναι"),
            ("Nguyễn Thị Đào", "nguyen thi dao"),
            ("Ёлкин Й", "елкин и"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّد", "محمد"),
            ("Æsir Œuvre", "aesir oeuvre"),
            ("Straße", "strasse"),
        ] {
            assert_eq!(search_fold(text), search_fold(typed), "{text}");
        }
        for (one, other) in [("がく", "かく"), ("บ้าน", "บาน"), ("हिंदी", "हंदी"), ("ญี่ปุ่น", "ญปน")]
        {
            assert_ne!(search_fold(one), search_fold(other), "{one}");
        }
    }

    #[test]
    fn a_line_keeps_joiners_only_where_they_shape_letters() {
        for (typed, stored) in [
            (" M\u{200b}a\u{feff}y\u{ad}a\u{200d} ", "Maya"),
            ("Ma\u{200c}ya", "Maya"),
            ("\u{feff}Ada", "Ada"),
            ("\u{200b}", ""),
            ("\u{2800}\u{3164} \u{200e}", ""),
            ("\u{2800}Ada\u{2800}", "Ada"),
            // Persian and Hindi words, a family, a heart, the flag of Scotland.
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("क्\u{200d}ष", "क्\u{200d}ष"),
            ("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            (
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            ),
            ("می\u{200c}", "می"),
            ("e\u{301}", "é"),
        ] {
            assert_eq!(line(typed), stored, "{typed:?}");
            assert_eq!(line(&line(typed)), line(typed));
        }
    }

    proptest! {
        #[test]
        fn keys_of_keys_are_the_same(text in "\\PC{0,12}|[\\u{300}-\\u{36f}aeiI\\u{130}\\u{df}\\u{3c2}\\u{345}\\u{200b}\\u{1f88}\\u{fb01} ]{0,12}") {
            let key = unique_key(&text);
            prop_assert_eq!(unique_key(&key), key.clone());
            prop_assert_eq!(unique_key(&nfc(&text)), key.clone());
            prop_assert_eq!(unique_key(&line(&text)), key);
            prop_assert_eq!(search_fold(&search_fold(&text)), search_fold(&text));
            prop_assert_eq!(line(&line(&text)), line(&text));
        }
    }
}
