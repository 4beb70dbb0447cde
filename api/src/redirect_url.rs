//! Redirect URLs: adds parameters to the query and the fragment.
use url::Url;

/// `to` with `query` appended to its query and, unless empty, `fragment` in place of its fragment.
pub fn with_params(to: &str, query: &[(&str, &str)], fragment: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse(to) else { return to.to_owned() };
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    if !fragment.is_empty() {
        let pairs = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fragment).finish();
        url.set_fragment(Some(&pairs));
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_added_and_existing_ones_kept() {
        assert_eq!(
            with_params("https://a.example/x?flow=1#old", &[("code", "c d")], &[]),
            "https://a.example/x?flow=1&code=c+d#old"
        );
        assert_eq!(with_params("https://a.example", &[], &[("error", "x")]), "https://a.example/#error=x");
    }
}
