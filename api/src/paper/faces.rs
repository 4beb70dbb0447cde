//! Fonts of an invoice PDF: ours, and for letters that they lack (a name in Japanese, Thai, Arabic) a font of the
//! machine. A letter that no font has is reported, so that no invoice is issued with an empty box in it.
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

/// A font and what it takes to measure a text in it.
pub struct Face {
    bytes: Arc<Vec<u8>>,
    index: u32,
    pub font: Font,
}

impl Face {
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

    /// As drawn: letters that join or combine are narrower than the sum of them.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let units = f32::from(self.read().units_per_em());
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            let font = self.read();
            let advance = font.glyph_index(letter).and_then(|glyph| font.glyph_hor_advance(glyph));
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

/// Which of our two fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Plain,
    Strong,
}

/// The fonts of one paper. What it takes from the machine goes with it: a font of the Far East has twenty megabytes.
pub struct Faces {
    plain: Rc<Face>,
    strong: Rc<Face>,
    others: RefCell<Vec<Rc<Face>>>,
    missing: RefCell<BTreeSet<char>>,
}

/// The fonts of this machine, by name; looked for when the first is needed.
static MACHINE: LazyLock<fontdb::Database> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    fonts
});

impl Faces {
    pub fn new() -> Self {
        let ours = |bytes: &[u8]| Rc::new(Face::new(bytes.to_vec(), 0).expect("the font that comes with us is one"));
        Self {
            plain: ours(include_bytes!("../../fonts/Inter-Regular.otf")),
            strong: ours(include_bytes!("../../fonts/Inter-SemiBold.otf")),
            others: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// A text in pieces of one font each. A letter with its marks stays in one font.
    pub fn pieces<'t>(&self, weight: Weight, text: &'t str) -> Vec<(Rc<Face>, &'t str)> {
        let mut pieces: Vec<(Rc<Face>, &'t str)> = Vec::new();
        let (mut begin, mut at) = (0, 0);
        for end in GraphemeClusterSegmenter::new().segment_str(text).filter(|end| *end > 0) {
            let face = self.face(weight, &text[at..end], pieces.last().map(|(face, _)| face));
            match pieces.last_mut() {
                Some((last, piece)) if Rc::ptr_eq(last, &face) => *piece = &text[begin..end],
                _ => {
                    begin = at;
                    pieces.push((face, &text[at..end]));
                }
            }
            at = end;
        }
        pieces
    }

    pub fn width(&self, weight: Weight, size: f32, text: &str) -> f32 {
        self.pieces(weight, text).iter().map(|(face, piece)| face.width(piece, size)).sum()
    }

    /// The letters so far that no font has.
    pub fn missing(&self) -> BTreeSet<char> {
        self.missing.borrow().clone()
    }

    /// The font of a grapheme cluster.
    fn face(&self, weight: Weight, cluster: &str, last: Option<&Rc<Face>>) -> Rc<Face> {
        let ours = match weight {
            Weight::Plain => &self.plain,
            Weight::Strong => &self.strong,
        };
        let letters: Vec<char> = cluster.chars().filter(|letter| is_drawn(*letter)).collect();
        let has_all = |face: &Face| letters.iter().all(|letter| face.has(*letter));
        // A space between two words of another script belongs to them.
        if let Some(last) = last.filter(|last| letters.is_empty() && cluster.chars().all(|letter| last.has(letter))) {
            return last.clone();
        }
        if has_all(ours) || letters.iter().any(|letter| self.missing.borrow().contains(letter)) {
            return ours.clone();
        }
        if let Some(found) = self.others.borrow().iter().find(|face| has_all(face)) {
            return found.clone();
        }
        // A mark that no font has beside its letter is looked for without it: the letter still has its font.
        let found = of_machine(&letters).or_else(|| of_machine(&letters[..1])).map(Rc::new);
        let face = found.clone().unwrap_or_else(|| ours.clone());
        self.others.borrow_mut().extend(found);
        self.missing.borrow_mut().extend(letters.into_iter().filter(|letter| !face.has(*letter)));
        face
    }
}

/// Whether a font must have it: white space and what only steers the others has no shape of its own.
fn is_drawn(letter: char) -> bool {
    !letter.is_whitespace()
        && !letter.is_control()
        && !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
}

/// A font of the machine that draws these letters: upright and of usual weight where there is one. Fonts of coloured
/// pictures are left out: they have no outlines to print.
fn of_machine(letters: &[char]) -> Option<Face> {
    let mut known: Vec<_> = MACHINE.faces().collect();
    known.sort_by_cached_key(|face| {
        let upright = face.style == fontdb::Style::Normal;
        // Of fonts with Chinese characters the Japanese one: the others are made for readers elsewhere.
        let elsewhere = face.post_script_name.contains("CJK") && !face.post_script_name.contains("CJKjp");
        let weight = face.weight.0.abs_diff(fontdb::Weight::NORMAL.0);
        (face.monospaced, !upright, weight, elsewhere, face.post_script_name.clone())
    });
    let draws = |bytes: &[u8], index| {
        ttf_parser::Face::parse(bytes, index).is_ok_and(|font| {
            let outlined =
                |letter| font.glyph_index(letter).is_some_and(|glyph| font.glyph_bounding_box(glyph).is_some());
            letters.iter().all(|letter| outlined(*letter))
        })
    };
    known.iter().find_map(|face| {
        let bytes =
            MACHINE.with_face_data(face.id, |bytes, index| draws(bytes, index).then(|| (bytes.to_vec(), index)))??;
        Face::new(bytes.0, bytes.1)
    })
}

/// The letters of the texts that no font here has.
pub fn missing_letters<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<char> {
    let faces = Faces::new();
    let letters: BTreeSet<char> = texts.into_iter().flat_map(str::chars).collect();
    for letter in letters {
        faces.face(Weight::Plain, letter.encode_utf8(&mut [0; 4]), None);
    }
    faces.missing()
}

/// Scripts of addresses for which no font is here.
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

/// The packages of Debian and Ubuntu whose fonts have such letters.
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
    fn a_letter_that_ours_lack_is_taken_from_the_machine() {
        let faces = Faces::new();
        // Hebrew, which the fonts that the tests need anyway have.
        let pieces = faces.pieces(Weight::Strong, "Cohen כהן בעמ LLC");
        let texts: Vec<_> = pieces.iter().map(|(_, text)| *text).collect();
        assert_eq!(texts, ["Cohen ", "כהן בעמ ", "LLC"]);
        assert!(pieces[1].0.has('כ') && !pieces[0].0.has('כ'));
        assert_eq!(faces.others.borrow().len(), 1);
        assert!(faces.width(Weight::Strong, 10.0, "כהן") > 10.0);
        assert!(faces.missing().is_empty());
    }

    #[test]
    fn a_letter_without_a_font_is_reported_with_the_package_that_has_it() {
        let faces = Faces::new();
        assert_eq!(faces.pieces(Weight::Plain, "a\u{10fffd}b").len(), 1);
        assert_eq!(faces.missing(), BTreeSet::from(['\u{10fffd}']));
        assert_eq!(missing_letters(["Maya", "Ortiz \u{10fffd}"]), faces.missing());
        assert_eq!(packages(&BTreeSet::from(['東', 'ฟ'])), "fonts-noto-cjk fonts-noto-core");
    }

    #[test]
    fn marks_stay_with_their_letter_and_invisible_characters_need_no_font() {
        let faces = Faces::new();
        let text = "Jose\u{301}\u{200b} A\u{ad}B\u{feff}\u{200d}\t\u{3000}C\u{1}";
        assert_eq!(faces.pieces(Weight::Plain, text).iter().map(|(_, piece)| *piece).collect::<String>(), text);
        assert!(faces.missing().is_empty(), "{:?}", faces.missing());
    }
}
