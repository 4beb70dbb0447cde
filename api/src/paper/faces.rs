//! The fonts of a paper: ours, and for what they lack (a name in Japanese, Thai, Arabic) whichever font of the machine
//! has it. Without one the letter is an empty box.
use krilla::text::Font;
use skrifa::{FontRef, MetadataProvider, instance::LocationRef, prelude::Size};
use std::{
    cell::RefCell,
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
        FontRef::from_index(&bytes, index).ok()?;
        Some(Self { font: Font::new(bytes.clone().into(), index)?, bytes, index })
    }

    fn read(&self) -> FontRef<'_> {
        FontRef::from_index(&self.bytes, self.index).expect("read before")
    }

    fn has(&self, letter: char) -> bool {
        self.read().charmap().map(letter).is_some()
    }

    pub fn width(&self, text: &str, size: f32) -> f32 {
        let font = self.read();
        let (glyphs, metrics) = (font.charmap(), font.glyph_metrics(Size::new(size), LocationRef::default()));
        text.chars().filter_map(|c| metrics.advance_width(glyphs.map(c).unwrap_or_default())).sum()
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
    /// Letters that no font has.
    missing: RefCell<Vec<char>>,
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

    /// A text in pieces of one font each.
    pub fn pieces<'t>(&self, weight: Weight, text: &'t str) -> Vec<(Rc<Face>, &'t str)> {
        let mut pieces: Vec<(Rc<Face>, &'t str)> = Vec::new();
        let mut begin = 0;
        for (at, letter) in text.char_indices() {
            let face = self.face(weight, letter, pieces.last().map(|(face, _)| face));
            match pieces.last_mut() {
                Some((last, piece)) if Rc::ptr_eq(last, &face) => *piece = &text[begin..at + letter.len_utf8()],
                _ => {
                    begin = at;
                    pieces.push((face, &text[at..at + letter.len_utf8()]));
                }
            }
        }
        pieces
    }

    pub fn width(&self, weight: Weight, size: f32, text: &str) -> f32 {
        self.pieces(weight, text).iter().map(|(face, piece)| face.width(piece, size)).sum()
    }

    fn face(&self, weight: Weight, letter: char, last: Option<&Rc<Face>>) -> Rc<Face> {
        let ours = match weight {
            Weight::Plain => &self.plain,
            Weight::Strong => &self.strong,
        };
        // A space between two words of another script belongs to them.
        let last = last.filter(|last| letter.is_whitespace() && last.has(letter));
        if let Some(last) = last {
            return last.clone();
        }
        if ours.has(letter) || self.missing.borrow().contains(&letter) {
            return ours.clone();
        }
        if let Some(found) = self.others.borrow().iter().find(|face| face.has(letter)) {
            return found.clone();
        }
        match of_machine(letter).map(Rc::new) {
            Some(found) => {
                self.others.borrow_mut().push(found.clone());
                found
            }
            None => {
                self.missing.borrow_mut().push(letter);
                ours.clone()
            }
        }
    }
}

/// A font of the machine with this letter: upright and of usual weight where there is one.
fn of_machine(letter: char) -> Option<Face> {
    let mut known: Vec<_> = MACHINE.faces().collect();
    known.sort_by_key(|face| {
        let upright = face.style == fontdb::Style::Normal;
        (face.monospaced, !upright, face.weight.0.abs_diff(fontdb::Weight::NORMAL.0), face.post_script_name.clone())
    });
    known.iter().find_map(|face| {
        let has =
            |bytes: &[u8], index| FontRef::from_index(bytes, index).is_ok_and(|f| f.charmap().map(letter).is_some());
        let bytes =
            MACHINE.with_face_data(face.id, |bytes, index| has(bytes, index).then(|| (bytes.to_vec(), index)))??;
        Face::new(bytes.0, bytes.1)
    })
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
    }

    #[test]
    fn a_letter_that_nobody_has_is_a_box_of_ours() {
        let faces = Faces::new();
        let pieces = faces.pieces(Weight::Plain, "a\u{10fffd}b");
        assert_eq!(pieces.len(), 1);
        assert_eq!(*faces.missing.borrow(), ['\u{10fffd}']);
    }
}
