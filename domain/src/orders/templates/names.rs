//! Names of shipped templates, their steps and documents in every language of the portal (decision 2).
//!
//! Orders keep the English name, which is its own key: every reader sees it in their language, whenever the order was made.
//! A name that an office writes itself has no key and is shown as it was written; one that is the translation of a shipped
//! name is kept as that name, so that an editor in another language changes nothing by saving.
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

/// A name in a reader's language.
pub fn translated(language: &str, name: &str) -> String {
    let short = language.split('-').next().unwrap_or(language);
    NAMES.get(name).and_then(|others| others.get(short)).map_or(name, String::as_str).to_owned()
}

/// A name as it is kept, in whichever language it was typed.
pub fn kept(name: String) -> String {
    ENGLISH.get(name.as_str()).map_or(name, |english| (*english).to_owned())
}

/// A name and its translations: what it is found by.
pub fn in_every_language(name: &str) -> Vec<&str> {
    let others = NAMES.get(name).into_iter().flat_map(|others| others.values().map(String::as_str));
    std::iter::once(name).chain(others).collect()
}

/// The values of a sentence with their names of steps and documents translated.
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
    fn a_shipped_name_is_read_in_each_language_and_kept_in_english() {
        for (name, others) in NAMES.iter() {
            for language in LANGUAGES.iter().filter(|language| !language.starts_with("en")) {
                assert!(others.contains_key(*language), "{name} has no name in {language}");
                assert_eq!(kept(translated(language, name)), *name);
            }
            assert_eq!((translated("en-GB", name), kept(name.clone())), (name.clone(), name.clone()));
        }
        let translations: usize = NAMES.values().map(HashMap::len).sum();
        assert_eq!(ENGLISH.len(), translations, "two names have the same translation");
    }

    #[test]
    fn an_offices_own_name_stays_as_it_was_written() {
        assert_eq!(
            (translated("es", "Blessing of the boat"), kept("Revisión".to_owned())),
            ("Blessing of the boat".to_owned(), "Revisión".to_owned())
        );
        assert_eq!(in_every_language("Passport"), ["Passport", "Pasaporte"]);
    }
}
