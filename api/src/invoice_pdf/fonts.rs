//! Fonts of invoice PDFs: the embedded ones, and system fonts for letters that they lack (Japanese, Thai, Arabic names).
//! Letters without any font are reported.
use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, Script},
};
use icu_segmenter::GraphemeClusterSegmenter;
use krilla::text::Font;
use rustybuzz::{UnicodeBuffer, ttf_parser};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    rc::Rc,
    sync::{Arc, LazyLock},
};

/// A font face, for drawing and measuring.
pub struct FontFace {
    bytes: Arc<Vec<u8>>,
    index: u32,
    pub font: Font,
}

impl FontFace {
    fn new(bytes: Vec<u8>, index: u32) -> Option<Self> {
        let bytes = Arc::new(bytes);
        rustybuzz::Face::from_slice(&bytes, index)?;
        Some(Self { font: Font::new(bytes.clone().into(), index)?, bytes, index })
    }

    fn read(&self) -> ttf_parser::Face<'_> {
        ttf_parser::Face::parse(&self.bytes, self.index).expect("read before")
    }

    fn has(&self, letter: char) -> bool {
        self.read().glyph_index(letter).is_some()
    }

    /// Width of the shaped text: ligatures and combining marks make it narrower than the sum of its letters.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let units = f32::from(self.read().units_per_em());
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            let font = self.read();
            // A letter that the font lacks is drawn as its first glyph, as in a longer text.
            let glyph = font.glyph_index(letter).unwrap_or_default();
            let advance = font.glyph_hor_advance(glyph);
            return f32::from(advance.unwrap_or_default()) * size / units;
        }
        let Some(font) = rustybuzz::Face::from_slice(&self.bytes, self.index) else { return 0.0 };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        let shaped = rustybuzz::shape(&font, &[], buffer);
        shaped.glyph_positions().iter().map(|glyph| glyph.x_advance as f32).sum::<f32>() * size / units
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Plain,
    Strong,
}

/// The fonts of one document. System fonts are freed with it: a CJK font has twenty megabytes.
pub struct FontSet {
    plain: Rc<FontFace>,
    strong: Rc<FontFace>,
    others: RefCell<Vec<Rc<FontFace>>>,
    missing: RefCell<BTreeSet<char>>,
}

/// System fonts, loaded on first use.
static SYSTEM_FONTS: LazyLock<fontdb::Database> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    fonts
});

impl FontSet {
    pub fn new() -> Self {
        let ours =
            |bytes: &[u8]| Rc::new(FontFace::new(bytes.to_vec(), 0).expect("the font that comes with us is one"));
        Self {
            plain: ours(include_bytes!("../../fonts/Inter-Regular.otf")),
            strong: ours(include_bytes!("../../fonts/Inter-SemiBold.otf")),
            others: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// Splits a text into runs of one font each; a grapheme cluster stays in one font.
    pub fn runs<'t>(&self, weight: Weight, text: &'t str) -> Vec<(Rc<FontFace>, &'t str)> {
        let mut runs: Vec<(Rc<FontFace>, &'t str)> = Vec::new();
        let (mut begin, mut at) = (0, 0);
        for end in GraphemeClusterSegmenter::new().segment_str(text).filter(|end| *end > 0) {
            let face = self.face(weight, &text[at..end], runs.last().map(|(face, _)| face));
            match runs.last_mut() {
                Some((last, run)) if Rc::ptr_eq(last, &face) => *run = &text[begin..end],
                _ => {
                    begin = at;
                    runs.push((face, &text[at..end]));
                }
            }
            at = end;
        }
        runs
    }

    pub fn width(&self, weight: Weight, size: f32, text: &str) -> f32 {
        self.runs(weight, text).iter().map(|(face, run)| face.width(run, size)).sum()
    }

    /// Letters so far without a font.
    pub fn missing(&self) -> BTreeSet<char> {
        self.missing.borrow().clone()
    }

    /// The font of a grapheme cluster.
    fn face(&self, weight: Weight, cluster: &str, last: Option<&Rc<FontFace>>) -> Rc<FontFace> {
        let ours = match weight {
            Weight::Plain => &self.plain,
            Weight::Strong => &self.strong,
        };
        let letters: Vec<char> = cluster.chars().filter(|letter| is_drawn(*letter)).collect();
        let has_all = |face: &FontFace| letters.iter().all(|letter| face.has(*letter));
        // White space keeps the font of the preceding run.
        if let Some(last) = last.filter(|last| letters.is_empty() && cluster.chars().all(|letter| last.has(letter))) {
            return last.clone();
        }
        if has_all(ours) || letters.iter().any(|letter| self.missing.borrow().contains(letter)) {
            return ours.clone();
        }
        if let Some(found) = self.others.borrow().iter().find(|face| has_all(face)) {
            return found.clone();
        }
        // If no font has the letter with its mark, one for the letter alone.
        let found = system_font(&letters).or_else(|| system_font(&letters[..1])).map(Rc::new);
        let face = found.clone().unwrap_or_else(|| ours.clone());
        self.others.borrow_mut().extend(found);
        self.missing.borrow_mut().extend(letters.into_iter().filter(|letter| !face.has(*letter)));
        face
    }
}

/// Whether the letter needs a glyph: white space, control and default-ignorable characters do not.
fn is_drawn(letter: char) -> bool {
    !letter.is_whitespace()
        && !letter.is_control()
        && !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
}

/// A system font with outlines for these letters, preferably upright and of normal weight. Colour emoji fonts have no
/// outlines to print.
fn system_font(letters: &[char]) -> Option<FontFace> {
    let mut known: Vec<_> = SYSTEM_FONTS.faces().collect();
    known.sort_by_cached_key(|face| {
        let upright = face.style == fontdb::Style::Normal;
        // Of the CJK fonts, the Japanese one.
        let other_cjk = face.post_script_name.contains("CJK") && !face.post_script_name.contains("CJKjp");
        let weight = face.weight.0.abs_diff(fontdb::Weight::NORMAL.0);
        (face.monospaced, !upright, weight, other_cjk, face.post_script_name.clone())
    });
    let draws = |bytes: &[u8], index| {
        ttf_parser::Face::parse(bytes, index).is_ok_and(|font| {
            let outlined =
                |letter| font.glyph_index(letter).is_some_and(|glyph| font.glyph_bounding_box(glyph).is_some());
            letters.iter().all(|letter| outlined(*letter))
        })
    };
    known.iter().find_map(|face| {
        let bytes = SYSTEM_FONTS
            .with_face_data(face.id, |bytes, index| draws(bytes, index).then(|| (bytes.to_vec(), index)))??;
        FontFace::new(bytes.0, bytes.1)
    })
}

/// Letters of the texts without a font on this machine.
pub fn missing_letters<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<char> {
    let fonts = FontSet::new();
    let letters: BTreeSet<char> = texts.into_iter().flat_map(str::chars).collect();
    for letter in letters {
        fonts.face(Weight::Plain, letter.encode_utf8(&mut [0; 4]), None);
    }
    fonts.missing()
}

/// Scripts without a font on this machine.
pub fn missing_scripts() -> Vec<&'static str> {
    let scripts = [
        ("Japanese", "東ァ"),
        ("Chinese", "国"),
        ("Korean", "한"),
        ("Thai", "ฟ"),
        ("Arabic", "ع"),
        ("Hebrew", "א"),
        ("Hindi", "ह"),
    ];
    let missing = missing_letters(scripts.map(|(_, letters)| letters));
    let is_missing = |letters: &str| letters.chars().any(|letter| missing.contains(&letter));
    scripts.into_iter().filter(|(_, letters)| is_missing(letters)).map(|(name, _)| name).collect()
}

/// The Debian and Ubuntu packages with fonts for these letters.
pub fn packages(letters: &BTreeSet<char>) -> String {
    let mut packages = BTreeSet::new();
    for letter in letters {
        packages.insert(match CodePointMapData::<Script>::new().get(*letter) {
            Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => "fonts-noto-cjk",
            Script::Common | Script::Inherited | Script::Unknown => "fonts-symbola",
            _ => "fonts-noto-core",
        });
    }
    packages.into_iter().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_letters_use_a_system_font() {
        let fonts = FontSet::new();
        // Hebrew, which the fonts that the tests need anyway have.
        let runs = fonts.runs(Weight::Strong, "Cohen כהן בעמ LLC");
        let texts: Vec<_> = runs.iter().map(|(_, text)| *text).collect();
        assert_eq!(texts, ["Cohen ", "כהן בעמ ", "LLC"]);
        assert!(runs[1].0.has('כ') && !runs[0].0.has('כ'));
        assert_eq!(fonts.others.borrow().len(), 1);
        assert!(fonts.width(Weight::Strong, 10.0, "כהן") > 10.0);
        assert!(fonts.missing().is_empty());
    }

    #[test]
    fn letters_without_a_font_are_reported_with_a_package() {
        let fonts = FontSet::new();
        assert_eq!(fonts.runs(Weight::Plain, "a\u{10fffd}b").len(), 1);
        assert_eq!(fonts.missing(), BTreeSet::from(['\u{10fffd}']));
        assert_eq!(missing_letters(["Maya", "Ortiz \u{10fffd}"]), fonts.missing());
        assert_eq!(packages(&BTreeSet::from(['東', 'ฟ'])), "fonts-noto-cjk fonts-noto-core");
    }

    #[test]
    fn marks_stay_with_their_letter_and_invisible_characters_need_no_glyph() {
        let fonts = FontSet::new();
        let text = "Jose\u{301}\u{200b} A\u{ad}B\u{feff}\u{200d}\t\u{3000}C\u{1}";
        assert_eq!(fonts.runs(Weight::Plain, text).iter().map(|(_, run)| *run).collect::<String>(), text);
        assert!(fonts.missing().is_empty(), "{:?}", fonts.missing());
    }
}
