//! Language negotiation by `Accept-Language` (RFC 9110).
use axum::http::HeaderValue;
use domain::kernel::i18n::LANGUAGES;

/// The supported language with the greatest weight (`q`), the first of equal weights, English by default.
pub fn negotiate_language(header: Option<&HeaderValue>) -> &'static str {
    let text = header.and_then(|value| value.to_str().ok()).unwrap_or("");
    let ranges: Vec<(&str, u16)> = text.split(',').filter_map(range).collect();
    let mut best = (LANGUAGES[0], 0);
    for (name, weight) in &ranges {
        let named = match *name {
            // Any language that no other range names.
            "*" => LANGUAGES.into_iter().find(|ours| !ranges.iter().any(|(name, _)| matches_range(ours, name))),
            name => LANGUAGES
                .into_iter()
                .find(|ours| ours.eq_ignore_ascii_case(name))
                .or_else(|| LANGUAGES.into_iter().find(|ours| matches_range(ours, name))),
        };
        if let Some(named) = named
            && *weight > best.1
        {
            best = (named, *weight);
        }
    }
    best.0
}

/// A language range and its weight in thousandths; none if malformed.
fn range(part: &str) -> Option<(&str, u16)> {
    let mut pieces = part.split(';').map(str::trim);
    let name = pieces.next().filter(|name| !name.is_empty())?;
    let mut weight = 1_000;
    for parameter in pieces {
        let (key, value) = parameter.split_once('=')?;
        if key.trim().eq_ignore_ascii_case("q") {
            weight = thousandths(value.trim())?;
        }
    }
    Some((name, weight))
}

/// `0`, `1`, or either with up to three decimals.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part: u16 = format!("{decimals:0<3}").parse().ok()?;
    match (whole, part) {
        ("0", part) => Some(part),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

/// Whether a range (`es-MX`, `EN`) matches a supported language.
fn matches_range(ours: &str, name: &str) -> bool {
    let primary = |tag: &str| tag.split('-').next().unwrap_or("").to_ascii_lowercase();
    primary(ours) == primary(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greatest_weight_wins() {
        for (header, language) in [
            ("", "en-US"),
            ("es", "es"),
            ("es-MX,en;q=0.5", "es"),
            ("es;q=0.2, en;q=0.9", "en-US"),
            ("en;q=0.2, es;q=0.9", "es"),
            ("fr, de;q=0.9, es;q=0.1", "es"),
            ("fr,de", "en-US"),
            ("en-gb, es;q=0.9", "en-GB"),
            ("en-AU", "en-US"),
            ("en;q=0, es;q=0.1", "es"),
            ("es;q=0", "en-US"),
            ("ES-ar ; Q=0.8 , en ; q = 0.7", "es"),
            ("en;q=0.8,es;q=0.8", "en-US"),
            ("es;q=0.8,en;q=0.8", "es"),
            ("*", "en-US"),
            ("en;q=0.1, *;q=0.5", "es"),
            ("es;q=0.3, *;q=0.5", "en-US"),
            ("est, en;q=0.1", "en-US"),
            ("es;q=abc, en;q=0.1", "en-US"),
            ("es;q=1.001, en;q=0.1", "en-US"),
            ("es;q=0.1234, en;q=0.1", "en-US"),
            (",,;q=1,es", "es"),
        ] {
            let value = HeaderValue::from_static(header);
            assert_eq!(negotiate_language(Some(&value)), language, "{header}");
        }
        assert_eq!(negotiate_language(None), "en-US");
        assert_eq!(negotiate_language(Some(&HeaderValue::from_bytes(b"\xff").unwrap())), "en-US");
    }
}
