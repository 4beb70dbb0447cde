//! Pages of a paper: text and rules are placed first, on as many pages as it takes, and drawn when all is placed.
use super::faces::{
    Faces,
    Weight::{self, Plain},
};
use super::lines::wrap;
use domain::{Error, Result};
use krilla::{
    Document,
    color::rgb,
    geom::{PathBuilder, Point},
    metadata::Metadata,
    page::PageSettings,
    paint::{Fill, Paint, Stroke},
    surface::Surface,
    text::TextDirection,
};
use unicode_bidi::BidiInfo;

/// A4 in points.
const PAGE: (f32, f32) = (595.28, 841.89);
pub const LEFT: f32 = 56.0;
pub const RIGHT: f32 = PAGE.0 - 56.0;
/// Baselines of the first and the last line of a page, and of its number.
const TOP: f32 = 72.0;
const BOTTOM: f32 = PAGE.1 - 72.0;
const FOOT: f32 = PAGE.1 - 40.0;
pub const INK: [u8; 3] = [29, 34, 41];
pub const DIM: [u8; 3] = [95, 105, 117];
const RULE: [u8; 3] = [216, 220, 225];

/// How a text is written.
#[derive(Clone, Copy)]
pub struct Pen {
    pub weight: Weight,
    pub size: f32,
    pub color: [u8; 3],
}

pub const fn pen(weight: Weight, size: f32, color: [u8; 3]) -> Pen {
    Pen { weight, size, color }
}

/// A place on the paper: page and distance from its top.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Place {
    page: usize,
    y: f32,
}

impl Place {
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

enum Item {
    Text { pen: Pen, x: f32, y: f32, text: String },
    Rule { y: f32 },
}

pub struct Sheet<'a> {
    faces: &'a Faces,
    pages: Vec<Vec<Item>>,
    pub at: Place,
}

impl<'a> Sheet<'a> {
    pub fn new(faces: &'a Faces) -> Self {
        Self { faces, pages: vec![Vec::new()], at: Place { page: 0, y: TOP } }
    }

    /// Goes down, to the next page where this one ends.
    pub fn down(&mut self, height: f32) {
        self.at.y += height;
        if self.at.y > BOTTOM {
            self.at = Place { page: self.at.page + 1, y: TOP };
        }
    }

    /// Begins the next page unless this one has room for so much more.
    pub fn keep(&mut self, height: f32) {
        if self.at.y + height > BOTTOM {
            self.at = Place { page: self.at.page + 1, y: TOP };
        }
    }

    fn place(&mut self, item: Item) {
        while self.pages.len() <= self.at.page {
            self.pages.push(Vec::new());
        }
        self.pages[self.at.page].push(item);
    }

    /// A text that has room on one line.
    pub fn put(&mut self, pen: Pen, x: f32, text: &str) {
        let y = self.at.y;
        self.place(Item::Text { pen, x, y, text: text.to_owned() });
    }

    /// [`Self::put`] that ends at `x`.
    pub fn right(&mut self, pen: Pen, x: f32, text: &str) {
        self.put(pen, x - self.faces.width(pen.weight, pen.size, text), text);
    }

    /// A text in a column from `x`, in as many lines as it takes; stands at its last one then.
    pub fn block(&mut self, pen: Pen, x: f32, room: f32, text: &str) {
        self.each_line(pen, room, text, |sheet, line| sheet.put(pen, x, line));
    }

    /// [`Self::block`] whose lines end at `x`.
    pub fn right_block(&mut self, pen: Pen, x: f32, room: f32, text: &str) {
        self.each_line(pen, room, text, |sheet, line| sheet.right(pen, x, line));
    }

    fn each_line(&mut self, pen: Pen, room: f32, text: &str, put: impl Fn(&mut Self, &str)) {
        for (n, line) in wrap(self.faces, pen.weight, pen.size, text, room).iter().enumerate() {
            if n > 0 {
                self.down((pen.size * 1.4).round());
            }
            put(self, line);
        }
    }

    pub fn rule(&mut self) {
        self.down(10.0);
        let y = self.at.y;
        self.place(Item::Rule { y });
    }

    /// Adds page numbers where there are several pages. `name` is printed beside each number.
    pub fn number_pages(&mut self, name: &str) {
        let count = self.pages.len();
        for page in (0..count).filter(|_| count > 1) {
            self.at = Place { page, y: FOOT };
            self.put(pen(Plain, 8.0, DIM), LEFT, name);
            self.right(pen(Plain, 8.0, DIM), RIGHT, &format!("{} / {count}", page + 1));
        }
    }

    /// The PDF file.
    ///
    /// # Errors
    /// Internal when it cannot be drawn.
    pub fn draw(self, metadata: Metadata) -> Result<Vec<u8>> {
        let mut document = Document::new();
        document.set_metadata(metadata);
        for items in &self.pages {
            let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or_else(|| Error::internal("no such page"))?;
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            for item in items {
                match item {
                    Item::Text { pen, x, y, text } => self.write(&mut surface, *pen, (*x, *y), text),
                    Item::Rule { y } => rule(&mut surface, *y),
                }
            }
            surface.finish();
            page.finish();
        }
        document.finish().map_err(|e| Error::internal(format!("the paper cannot be drawn: {e:?}")))
    }

    /// One line, in the order in which it is read from left to right.
    fn write(&self, surface: &mut Surface<'_>, pen: Pen, (mut x, y): (f32, f32), text: &str) {
        surface.set_stroke(None);
        surface.set_fill(Some(Fill { paint: paint(pen.color), ..Fill::default() }));
        let bidi = BidiInfo::new(text, None);
        for paragraph in &bidi.paragraphs {
            let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
            for run in runs {
                let is_rtl = levels[run.start].is_rtl();
                let mut pieces = self.faces.pieces(pen.weight, &text[run]);
                if is_rtl {
                    pieces.reverse();
                }
                let direction = if is_rtl { TextDirection::RightToLeft } else { TextDirection::LeftToRight };
                for (face, piece) in pieces {
                    let start = Point::from_xy(x, y);
                    surface.draw_text(start, face.font.clone(), pen.size, piece, false, direction);
                    x += face.width(piece, pen.size);
                }
            }
        }
    }

    /// Every text that was placed, by page.
    #[cfg(test)]
    pub fn texts(&self) -> Vec<Vec<Placed>> {
        let text = |item: &Item| match item {
            Item::Text { pen, x, y, text } => {
                Some((text.clone(), *x, x + self.faces.width(pen.weight, pen.size, text), *y))
            }
            Item::Rule { .. } => None,
        };
        self.pages.iter().map(|page| page.iter().filter_map(text).collect()).collect()
    }
}

/// A text, where it begins and ends, and its distance from the top.
#[cfg(test)]
pub type Placed = (String, f32, f32, f32);

fn rule(surface: &mut Surface<'_>, y: f32) {
    let mut line = PathBuilder::new();
    line.move_to(LEFT, y);
    line.line_to(RIGHT, y);
    let Some(path) = line.finish() else { return };
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke { paint: paint(RULE), width: 0.75, ..Stroke::default() }));
    surface.draw_path(&path);
}

fn paint([red, green, blue]: [u8; 3]) -> Paint {
    rgb::Color::new(red, green, blue).into()
}
