//! Translations of the names of shipped templates, their steps and documents (decision 2).
//!
//! Orders store the English name, which is its own translation key, so that each reader sees it in their language. An
//! office's own name has no translation. A typed translation of a shipped name is stored in English, so that an editor in
//! another language changes nothing by saving.
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::LazyLock};

type Translations = HashMap<String, String>;

static NAMES: LazyLock<HashMap<String, Translations>> =
    LazyLock::new(|| serde_json::from_str(include_str!("names.json")).expect("the names are JSON"));

/// From a translation to the English name.
static ENGLISH: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = NAMES.iter().flat_map(|(name, others)| others.values().map(|other| (other.as_str(), name.as_str())));
    pairs.collect()
});

/// Translates a name into a language.
pub fn translated(language: &str, name: &str) -> String {
    let short = language.split('-').next().unwrap_or(language);
    NAMES.get(name).and_then(|others| others.get(short)).map_or(name, String::as_str).to_owned()
}

/// The stored name of one that was typed in any language.
pub fn to_english(name: String) -> String {
    ENGLISH.get(name.as_str()).map_or(name, |english| (*english).to_owned())
}

/// A name with its translations, for search.
pub fn in_every_language(name: &str) -> Vec<&str> {
    let others = NAMES.get(name).into_iter().flat_map(|others| others.values().map(String::as_str));
    std::iter::once(name).chain(others).collect()
}

/// Translates names of steps and documents among the values of a message.
pub fn translate_values(language: &str, values: &mut Map<String, Value>) {
    for key in ["step_name", "name", "document"] {
        if let Some(Value::String(name)) = values.get_mut(key) {
            *name = translated(language, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::i18n::LANGUAGES;

    #[test]
    fn shipped_names_translate_and_are_stored_in_english() {
        for (name, others) in NAMES.iter() {
            for language in LANGUAGES.iter().filter(|language| !language.starts_with("en")) {
                assert!(others.contains_key(*language), "{name} has no name in {language}");
                assert_eq!(to_english(translated(language, name)), *name);
            }
            assert_eq!((translated("en-GB", name), to_english(name.clone())), (name.clone(), name.clone()));
        }
        let translations: usize = NAMES.values().map(HashMap::len).sum();
        assert_eq!(ENGLISH.len(), translations, "two names have the same translation");
    }

    #[test]
    fn own_names_are_not_translated() {
        assert_eq!(
            (translated("es", "Blessing of the boat"), to_english("Revisión".to_owned())),
            ("Blessing of the boat".to_owned(), "Revisión".to_owned())
        );
        assert_eq!(in_every_language("Passport"), ["Passport", "Pasaporte"]);
    }
}
