//! Line breaking: by UAX 14 (Thai and similar scripts by a model), and between grapheme clusters where a word is longer
//! than a line.
use super::fonts::{FontSet, Weight};
use icu_segmenter::{GraphemeClusterSegmenter, LineSegmenter, options::LineBreakOptions};

/// The lines of a text in a column of `room` points.
pub fn wrap(fonts: &FontSet, weight: Weight, size: f32, text: &str, room: f32) -> Vec<String> {
    let segmenter = LineSegmenter::new_auto(LineBreakOptions::default());
    let width = |text: &str| fonts.width(weight, size, text);
    let mut lines = Vec::new();
    for paragraph in text.replace("\r\n", "\n").split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let paragraph = normalize_spaces(paragraph);
        let mut line = Line::default();
        let mut at = 0;
        for end in segmenter.segment_str(&paragraph).filter(|end| *end > 0) {
            let word = &paragraph[at..end];
            at = end;
            let whole = width(word.trim_end());
            if line.width + whole > room && !line.text.is_empty() {
                lines.push(line.take());
            }
            if whole <= room {
                line.push(word, width(word));
                continue;
            }
            let mut from = 0;
            for to in GraphemeClusterSegmenter::new().segment_str(word).filter(|to| *to > 0) {
                let letter = width(&word[from..to]);
                if line.width + letter > room && !line.text.is_empty() {
                    lines.push(line.take());
                }
                line.push(&word[from..to], letter);
                from = to;
            }
        }
        lines.push(line.take());
    }
    lines
}

#[derive(Default)]
struct Line {
    text: String,
    width: f32,
}

impl Line {
    fn push(&mut self, text: &str, width: f32) {
        self.text.push_str(text);
        self.width += width;
    }

    /// Takes the line so far and begins the next.
    fn take(&mut self) -> String {
        self.width = 0.0;
        std::mem::take(&mut self.text).trim_end().to_owned()
    }
}

/// Replaces every white space but the no-break space by a space and removes control characters.
fn normalize_spaces(text: &str) -> String {
    let letter = |letter: char| match letter {
        '\u{a0}' => letter,
        _ if letter.is_whitespace() => ' ',
        _ => letter,
    };
    text.trim().chars().map(letter).filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: f32 = 200.0;

    fn wrapped(text: &str) -> Vec<String> {
        let fonts = FontSet::new();
        let lines = wrap(&fonts, Weight::Plain, 10.0, text, ROOM);
        for line in &lines {
            assert!(fonts.width(Weight::Plain, 10.0, line) <= ROOM + 0.5, "{line:?} is too wide");
        }
        lines
    }

    fn without_spaces(text: &str) -> String {
        text.chars().filter(|letter| !letter.is_whitespace()).collect()
    }

    #[test]
    fn lines_break_between_words() {
        let lines = wrapped("1 Long Street, Building of the Harbour Authority, Third Floor\nSpringfield");
        assert_eq!(lines.first().map(String::as_str), Some("1 Long Street, Building of the Harbour"));
        assert_eq!(lines.last().map(String::as_str), Some("Springfield"));
    }

    #[test]
    fn text_without_spaces_breaks_and_stays_complete() {
        for text in [
            "東京都千代田区丸の内一丁目九番一号グラントウキョウノースタワー四十二階株式会社国際特別目的会社設立支援",
            "บริษัทจัดตั้งนิติบุคคลเฉพาะกิจระหว่างประเทศจำกัดมหาชนถนนสุขุมวิทแขวงคลองเตยเหนือเขตวัฒนากรุงเทพมหานคร",
            "شركة تأسيس الشركات ذات الغرض الخاص الدولية المحدودة شارع الشيخ زايد دبي الإمارات العربية المتحدة",
            &"Donaudampfschifffahrtsgesellschaft".repeat(4),
            &"e\u{301}".repeat(120),
            &"👩‍👩‍👧‍👦".repeat(40),
            &"1,000 letters of an address / without-end ".repeat(24),
        ] {
            let lines = wrapped(text);
            assert!(lines.len() > 1, "{text}");
            assert_eq!(without_spaces(&lines.concat()), without_spaces(text));
            assert!(lines.iter().all(|line| !line.starts_with(['\u{301}', '\u{200d}', '。', '、'])), "{lines:?}");
        }
    }

    #[test]
    fn thai_breaks_between_words() {
        let lines = wrapped("บริษัทจัดตั้งนิติบุคคลเฉพาะกิจระหว่างประเทศจำกัดมหาชนถนนสุขุมวิท");
        let (words, cut) = (["บริษัท", "นิติบุคคล", "ระหว่าง", "ประเทศ", "ถนน", "สุขุมวิท"], lines.concat());
        for word in words {
            assert!(cut.contains(word) && lines.iter().any(|line| line.contains(word)), "{word} in {lines:?}");
        }
    }

    #[test]
    fn white_space_becomes_spaces() {
        assert_eq!(
            wrapped("Acme\tHoldings\u{3000}Ltd\u{2003}\u{7}\r\n\u{2028}Singapore"),
            ["Acme Holdings Ltd", "", "Singapore"]
        );
    }
}
