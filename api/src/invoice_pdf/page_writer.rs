//! PDF pages: text and rules are placed first, on as many pages as needed, and drawn at the end.
use super::{
    epc_code::Code,
    fonts::{
        FontSet,
        Weight::{self, Plain},
    },
    line_breaking::wrap,
};
use domain::{Error, Result};
use krilla::{
    Document,
    color::rgb,
    geom::{PathBuilder, Point, Rect, Size, Transform},
    image::Image,
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
/// Baselines of the first and the last line of a page, and of the page number, in points.
const TOP: f32 = 72.0;
const BOTTOM: f32 = PAGE.1 - 72.0;
const FOOT: f32 = PAGE.1 - 40.0;
/// Room of the page number beside the foot, in points.
const NUMBER_ROOM: f32 = 60.0;
/// An image begins this far above the first baseline, in points.
const FIRST_ASCENT: f32 = 14.0;
pub const INK: [u8; 3] = [29, 34, 41];
pub const DIM: [u8; 3] = [95, 105, 117];
const RULE: [u8; 3] = [216, 220, 225];

/// Style of a text.
#[derive(Clone, Copy)]
pub struct Pen {
    pub weight: Weight,
    pub size: f32,
    pub color: [u8; 3],
}

pub const fn pen(weight: Weight, size: f32, color: [u8; 3]) -> Pen {
    Pen { weight, size, color }
}

/// Page and distance from its top in points.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Position {
    page: usize,
    y: f32,
}

impl Position {
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

enum Item {
    Text {
        pen: Pen,
        x: f32,
        y: f32,
        text: String,
    },
    Rule {
        y: f32,
    },
    Image {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        image: Image,
    },
    /// Dark squares of a QR code, by column and row.
    Code {
        x: f32,
        y: f32,
        module: f32,
        dark: Vec<(f32, f32)>,
    },
}

pub struct PageWriter<'a> {
    fonts: &'a FontSet,
    pages: Vec<Vec<Item>>,
    pub at: Position,
}

impl<'a> PageWriter<'a> {
    pub fn new(fonts: &'a FontSet) -> Self {
        Self { fonts, pages: vec![Vec::new()], at: Position { page: 0, y: TOP } }
    }

    /// Moves down, to the next page at the end of this one.
    pub fn down(&mut self, height: f32) {
        self.at.y += height;
        if self.at.y > BOTTOM {
            self.at = Position { page: self.at.page + 1, y: TOP };
        }
    }

    /// Begins the next page unless this one has `height` points left.
    pub fn keep(&mut self, height: f32) {
        if self.at.y + height > BOTTOM {
            self.at = Position { page: self.at.page + 1, y: TOP };
        }
    }

    fn place(&mut self, item: Item) {
        while self.pages.len() <= self.at.page {
            self.pages.push(Vec::new());
        }
        self.pages[self.at.page].push(item);
    }

    /// Places a text on one line from `x`.
    pub fn put(&mut self, pen: Pen, x: f32, text: &str) {
        let y = self.at.y;
        self.place(Item::Text { pen, x, y, text: text.to_owned() });
    }

    /// [`Self::put`] that ends at `x`.
    pub fn right(&mut self, pen: Pen, x: f32, text: &str) {
        self.put(pen, x - self.fonts.width(pen.weight, pen.size, text), text);
    }

    /// Places a text in a column from `x`, wrapped; the position is then its last line.
    pub fn block(&mut self, pen: Pen, x: f32, room: f32, text: &str) {
        self.each_line(pen, room, text, |writer, line| writer.put(pen, x, line));
    }

    /// [`Self::block`] whose lines end at `x`.
    pub fn right_block(&mut self, pen: Pen, x: f32, room: f32, text: &str) {
        self.each_line(pen, room, text, |writer, line| writer.right(pen, x, line));
    }

    fn each_line(&mut self, pen: Pen, room: f32, text: &str, put: impl Fn(&mut Self, &str)) {
        for (n, line) in wrap(self.fonts, pen.weight, pen.size, text, room).iter().enumerate() {
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

    /// Places an image with its upper left corner at `x`, as large as `room` allows in its proportions.
    pub fn image(&mut self, image: Image, x: f32, room: (f32, f32)) {
        let (width, height) = image.size();
        #[expect(clippy::cast_precision_loss, reason = "a logo has at most some thousand pixels")]
        let (width, height) = (width as f32, height as f32);
        let scale = (room.0 / width).min(room.1 / height);
        let y = self.at.y - FIRST_ASCENT;
        self.place(Item::Image { x, y, width: width * scale, height: height * scale, image });
    }

    /// Places a QR code with its upper right corner at `right`.
    pub fn code(&mut self, code: &Code, right: f32, size: f32) {
        #[expect(clippy::cast_precision_loss, reason = "a QR code has at most 177 modules a side")]
        let (width, place) = (code.width as f32, |n: usize| ((n % code.width) as f32, (n / code.width) as f32));
        let dark = code.dark.iter().enumerate().filter(|(_, dark)| **dark).map(|(n, _)| place(n)).collect();
        let y = self.at.y;
        self.place(Item::Code { x: right - size, y, module: size / width, dark });
    }

    /// Prints `name`, shortened to one line, at the foot of each page, and page numbers where there are several.
    pub fn foot(&mut self, name: &str) {
        let pen = pen(Plain, 8.0, DIM);
        let lines = wrap(self.fonts, pen.weight, pen.size, name, RIGHT - LEFT - NUMBER_ROOM);
        let line = match lines.as_slice() {
            [] => String::new(),
            [line] => line.clone(),
            [line, ..] => format!("{line}…"),
        };
        let count = self.pages.len();
        for page in 0..count {
            self.at = Position { page, y: FOOT };
            self.put(pen, LEFT, &line);
            if count > 1 {
                self.right(pen, RIGHT, &format!("{} / {count}", page + 1));
            }
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
            let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or_else(|| Error::internal("invalid page size"))?;
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            for item in items {
                match item {
                    Item::Text { pen, x, y, text } => self.write(&mut surface, *pen, (*x, *y), text),
                    Item::Rule { y } => rule(&mut surface, *y),
                    Item::Code { x, y, module, dark } => squares(&mut surface, (*x, *y), *module, dark),
                    Item::Image { x, y, width, height, image } => {
                        let Some(size) = Size::from_wh(*width, *height) else { continue };
                        surface.push_transform(&Transform::from_translate(*x, *y));
                        surface.draw_image(image.clone(), size);
                        surface.pop();
                    }
                }
            }
            surface.finish();
            page.finish();
        }
        document.finish().map_err(|e| Error::internal(format!("the PDF cannot be written: {e:?}")))
    }

    /// Draws one line in visual order (bidirectional text).
    fn write(&self, surface: &mut Surface<'_>, pen: Pen, (mut x, y): (f32, f32), text: &str) {
        surface.set_stroke(None);
        surface.set_fill(Some(Fill { paint: paint(pen.color), ..Fill::default() }));
        let bidi = BidiInfo::new(text, None);
        for paragraph in &bidi.paragraphs {
            let (levels, visual_runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
            for run in visual_runs {
                let is_rtl = levels[run.start].is_rtl();
                let mut runs = self.fonts.runs(pen.weight, &text[run]);
                if is_rtl {
                    runs.reverse();
                }
                let direction = if is_rtl { TextDirection::RightToLeft } else { TextDirection::LeftToRight };
                for (face, run) in runs {
                    let start = Point::from_xy(x, y);
                    surface.draw_text(start, face.font.clone(), pen.size, run, false, direction);
                    x += face.width(run, pen.size);
                }
            }
        }
    }

    /// The placed texts by page.
    #[cfg(test)]
    pub fn texts(&self) -> Vec<Vec<PlacedText>> {
        let text = |item: &Item| match item {
            Item::Text { pen, x, y, text } => {
                Some((text.clone(), *x, x + self.fonts.width(pen.weight, pen.size, text), *y))
            }
            Item::Rule { .. } | Item::Image { .. } | Item::Code { .. } => None,
        };
        self.pages.iter().map(|page| page.iter().filter_map(text).collect()).collect()
    }
}

/// A text, its left and right edge, and its distance from the top.
#[cfg(test)]
pub type PlacedText = (String, f32, f32, f32);

fn rule(surface: &mut Surface<'_>, y: f32) {
    let mut line = PathBuilder::new();
    line.move_to(LEFT, y);
    line.line_to(RIGHT, y);
    let Some(path) = line.finish() else { return };
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke { paint: paint(RULE), width: 0.75, ..Stroke::default() }));
    surface.draw_path(&path);
}

fn squares(surface: &mut Surface<'_>, (x, y): (f32, f32), module: f32, dark: &[(f32, f32)]) {
    let mut path = PathBuilder::new();
    for (column, row) in dark {
        let square = Rect::from_xywh(x + column * module, y + row * module, module, module);
        if let Some(square) = square {
            path.push_rect(square);
        }
    }
    let Some(path) = path.finish() else { return };
    surface.set_stroke(None);
    surface.set_fill(Some(Fill { paint: paint(INK), ..Fill::default() }));
    surface.draw_path(&path);
}

fn paint([red, green, blue]: [u8; 3]) -> Paint {
    rgb::Color::new(red, green, blue).into()
}
