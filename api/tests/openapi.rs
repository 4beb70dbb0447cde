//! The committed OpenAPI document.
use std::{collections::BTreeSet, fs};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/openapi.json");

#[test]
fn committed_openapi_document_is_current() {
    let fresh = api::openapi();
    let committed = fs::read_to_string(COMMITTED).unwrap_or_default();
    assert!(
        committed == fresh,
        "web/openapi.json is stale: run `cargo run -p cli -- openapi > web/openapi.json`, then `npm run openapi` in web/"
    );
}

#[test]
fn operations_have_unique_ids_and_error_responses() {
    let document: serde_json::Value = serde_json::from_str(api::openapi()).unwrap();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no id"));
            assert!(name.split('_').count() >= 2 && names.insert(name.to_owned()), "{name}");
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name} says what it does");
            let answers = operation["responses"].as_object().unwrap();
            for status in ["503", "default"] {
                let refusal = format!("#/components/responses/Refused_{status}");
                assert_eq!(answers[status]["$ref"], refusal.as_str(), "{name}");
                let body = &document.pointer(refusal.trim_start_matches('#')).unwrap()["content"]["application/json"];
                assert_eq!(body["schema"]["$ref"], "#/components/schemas/ErrorBody", "{name} {status}");
            }
            assert!(answers.keys().any(|status| status.starts_with('2')), "{name} has a good answer");
        }
    }
}
