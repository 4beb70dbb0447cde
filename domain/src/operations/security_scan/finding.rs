//! Result of a check, and its sentences.
use crate::kernel::i18n;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

crate::kernel::text_enum! {
    #[schema(as = FindingState)]
    pub enum State {
        Ok = "ok",
        /// Works, but should be looked at.
        Note = "note",
        Failed = "failed",
    }
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the check: `encryption`, `queue`.
    pub check: String,
    pub state: State,
    /// Selects the sentences in the message catalog `checks`.
    pub code: String,
    pub params: Map<String, Value>,
}

/// The sentences of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// Name of the check.
    pub name: String,
    pub text: String,
    /// What to do; `None` if nothing is to be done.
    pub remedy: Option<String>,
}

impl Finding {
    pub fn new(check: &str, state: State, code: &str) -> Self {
        Self { check: check.to_owned(), state, code: code.to_owned(), params: Map::new() }
    }

    /// Adds the reason of a failure, which the sentence ends with a period.
    #[must_use]
    pub fn because(self, reason: impl AsRef<str>) -> Self {
        self.with("reason", reason.as_ref().trim_end_matches('.'))
    }

    /// Adds a parameter of the sentences.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// The sentences in a language. A finding that another version stored may have none: then the code stands for them.
    pub fn texts(&self, language: &str) -> Texts {
        let find = |kind: &str, name: &str| i18n::find(language, "checks", &format!("{kind}.{name}"), &self.params);
        Texts {
            name: find("check", &self.check).unwrap_or_else(|| self.check.clone()),
            text: find("found", &self.code).unwrap_or_else(|| self.code.clone()),
            remedy: if self.state == State::Ok { None } else { find("todo", &self.code) },
        }
    }
}
