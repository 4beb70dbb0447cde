//! The name that was probably meant by a mistyped one.

/// Similarity (Jaro-Winkler, 0 to 1) from which on a name counts as mistyped rather than as another one.
const SIMILAR: f64 = 0.85;

/// The most similar of `names`, in any letter case, if there is a similar one.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let score = |name: &str| strsim::jaro_winkler(&typed, &name.to_lowercase());
    let scored = names.into_iter().map(|name| (score(name), name));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(score, _)| *score >= SIMILAR).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_finds_the_one_that_was_meant() {
        let names = ["listen", "log", "public_url", "database_url", "Harborline Capital"];
        assert_eq!(nearest("listn", names), Some("listen"));
        assert_eq!(nearest("databse_url", names), Some("database_url"));
        assert_eq!(nearest("harborline captal", names), Some("Harborline Capital"));
        assert_eq!(nearest("service_host", names), None);
        assert_eq!(nearest("port", names), None);
    }
}
