//! CSV lines that a spreadsheet reads as text: RFC 4180 with guards against formula injection.

/// Appends one line as RFC 4180 defines it, each cell guarded by [`escape_formulas`].
pub fn write_line(text: &mut String, cells: impl IntoIterator<Item = String>) {
    for (n, cell) in cells.into_iter().enumerate() {
        if n > 0 {
            text.push(',');
        }
        let cell = escape_formulas(&cell);
        if cell.contains([',', '"', '\r', '\n']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&cell);
        }
    }
    text.push_str("\r\n");
}

/// The characters that begin a formula in a spreadsheet, also in their full-width forms.
const FORMULA_CHARS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Escapes a cell of a format with typed cells, as XLSX has: an apostrophe before a leading formula character. Negative
/// numbers stay numbers, so that a column can be summed.
pub fn escape_formula(cell: String) -> String {
    let number = cell.strip_prefix('-').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    if cell.starts_with(FORMULA_CHARS) && !number { format!("'{cell}") } else { cell }
}

/// The characters at which a spreadsheet may split a cell, whatever is quoted: the separators of its locale (`;` in Spanish
/// and German, a tab) and line breaks.
const SEPARATORS: [char; 6] = [';', ',', '\t', '|', '\r', '\n'];

/// Escapes a CSV cell so that a spreadsheet evaluates no part of it, wherever it splits: an apostrophe before each of
/// [`FORMULA_CHARS`] that begins the cell or a part of it, also behind spaces, quotation marks and apostrophes.
/// [`unescape_formulas`] is the exact inverse.
pub fn escape_formulas(cell: &str) -> String {
    for_each_formula(cell, |kept, _| kept.push('\''))
}

/// Reverts [`escape_formulas`]; a cell that was not escaped stays as it is.
pub fn unescape_formulas(cell: &str) -> String {
    let plain = for_each_formula(cell, |kept, run| {
        if run.ends_with('\'') {
            kept.pop();
        }
    });
    if escape_formulas(&plain) == cell { plain } else { cell.to_owned() }
}

/// Copies the cell and calls `mark` before each character that would begin a formula, with the text between it and the
/// beginning of its part.
fn for_each_formula(cell: &str, mark: impl Fn(&mut String, &str)) -> String {
    let mut kept = String::with_capacity(cell.len() + 2);
    // The beginning of the part, as long as it has only spaces and quotation marks.
    let mut begins = Some(0);
    for (at, c) in cell.char_indices() {
        let breaks = SEPARATORS.contains(&c);
        // Some programs drop a separator at the beginning of the cell and evaluate the rest.
        let runs = FORMULA_CHARS.contains(&c) && (!breaks || matches!(c, '\t' | '\r' | '\n') && begins == Some(0));
        if let Some(start) = begins
            && runs
            && !is_number(&cell[at..])
        {
            mark(&mut kept, &cell[start..at]);
        }
        kept.push(c);
        begins = match c {
            _ if breaks => Some(at + c.len_utf8()),
            ' ' | '\u{a0}' | '"' | '\'' => begins,
            _ => None,
        };
    }
    kept
}

/// Whether a part is a negative number.
fn is_number(part: &str) -> bool {
    let end = |c: char| SEPARATORS.contains(&c) || matches!(c, ']' | '}');
    let number = part.split(end).next().unwrap_or(part);
    number.strip_prefix('-').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_quote_separators_and_escape_formulas() {
        let mut text = String::new();
        let cells = [
            "=1+1",
            "+1 555",
            "-2+1",
            "-2.50",
            "@sum",
            "\tx",
            "＝1",
            "a,b",
            "say \"hi\"",
            "two\nlines",
            "",
            "Zoë",
            "1250.00",
        ];
        write_line(&mut text, cells.map(str::to_owned));
        assert_eq!(
            text,
            "'=1+1,'+1 555,'-2+1,-2.50,'@sum,'\tx,'＝1,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,Zoë,1250.00\r\n"
        );
    }

    #[test]
    fn every_part_that_would_be_evaluated_is_escaped() {
        for (cell, guarded) in [
            ("x;=1+2;y", "x;'=1+2;y"),
            ("x; =1+2", "x; '=1+2"),
            ("x;\"=1+2\"", "x;\"'=1+2\""),
            ("x\t@sum", "x\t'@sum"),
            ("x|+1 555", "x|'+1 555"),
            ("x,-2+1", "x,'-2+1"),
            ("x\n=1\r\n＝1", "x\n'=1\r\n'＝1"),
            (";=1;=2", ";'=1;'=2"),
            ("x;\u{a0}=1", "x;\u{a0}'=1"),
            ("x;'=1", "x;''=1"),
            // Numbers, and characters within words, begin no formula.
            ("1;-2.50;3", "1;-2.50;3"),
            (r#"{"a":[1,-2]}"#, r#"{"a":[1,-2]}"#),
            ("a=b; c+d", "a=b; c+d"),
            ("maya@example.com;ana@example.com", "maya@example.com;ana@example.com"),
            ("-2.50", "-2.50"),
        ] {
            assert_eq!(escape_formulas(cell), guarded, "{cell:?}");
        }
    }

    #[test]
    fn unescaping_keeps_cells_that_were_not_escaped() {
        assert_eq!(unescape_formulas("'-2.50"), "'-2.50", "not written by us");
        assert_eq!(unescape_formulas("'=1+1"), "=1+1");
        assert_eq!(unescape_formulas("x;'=1+2"), "x;=1+2");
        // Written by a program that does not escape.
        assert_eq!(unescape_formulas("=1;'=2"), "=1;'=2");
    }

    proptest::proptest! {
        #[test]
        fn unescaping_inverts_escaping(cell in "[-=+@;,|\t\n\r '\"a1.＝]{0,12}") {
            let guarded = escape_formulas(&cell);
            proptest::prop_assert_eq!(unescape_formulas(&guarded), cell);
            for part in guarded.split(SEPARATORS) {
                let run = part.trim_start_matches([' ', '"', '\'']);
                let begin = &part[..part.len() - run.len()];
                let runs = run.starts_with(['=', '+', '-', '@', '＝']) && !is_number(run);
                proptest::prop_assert!(!runs || begin.ends_with('\''), "{}", guarded);
            }
        }
    }
}
