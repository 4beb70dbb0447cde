//! User agent in words: "Chrome on Linux".
use crate::kernel::i18n;
use serde_json::{Map, Value};
use woothee::parser::Parser;

/// Browser and system of a user agent in a language; none for unknown ones.
pub fn name(language: &str, user_agent: Option<&str>) -> Option<String> {
    let found = Parser::new().parse(user_agent?)?;
    let known = |text: &str| (!text.is_empty() && text != "UNKNOWN").then(|| text.to_owned());
    let system = match found.os {
        "Mac OSX" => Some("macOS".to_owned()),
        "iPhone" | "iPad" | "iPod" | "Android" | "Linux" | "ChromeOS" => Some(found.os.to_owned()),
        os if os.starts_with("Windows") => Some("Windows".to_owned()),
        os => known(os),
    };
    let browser = match found.name {
        "Internet Explorer" => Some("Internet Explorer".to_owned()),
        name => known(name),
    };
    match (browser, system) {
        (Some(browser), Some(system)) => {
            let params = Map::from_iter([("browser".to_owned(), browser.into()), ("system".to_owned(), system.into())]);
            Some(i18n::text(language, "names", "device", &params))
        }
        (one, other) => one.or(other).map(Value::from).and_then(|text| text.as_str().map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_are_named_with_their_system() {
        for (agent, device) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                Some("Chrome on Linux"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
                Some("Firefox on Windows"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                Some("Safari on macOS"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                Some("Safari on iPhone"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                Some("Edge on Windows"),
            ),
            ("node", None),
            ("", None),
        ] {
            assert_eq!(name("en-US", Some(agent)).as_deref(), device, "{agent}");
        }
        assert_eq!(name("en-US", None), None);
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
        assert_eq!(name("es", Some(agent)).as_deref(), Some("Firefox en Linux"));
    }
}
