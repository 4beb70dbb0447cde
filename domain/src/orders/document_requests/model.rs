//! A document request and its status transitions.
use crate::{
    kernel::{
        error::{Error, Problem, Result},
        ids::{DocumentId, DocumentRequestId, SpvId, StepId, UserId},
        validate::{self, Validator},
    },
    orders::{spvs, templates},
};
use chrono::{DateTime, NaiveDate, Utc};

crate::kernel::text_enum! {
    #[schema(as = DocumentRequestStatus)]
    pub enum Status {
        Requested = "requested",
        /// A document was uploaded and waits for a review.
        Submitted = "submitted",
        Approved = "approved",
        /// Sent back with a reason.
        NeedsRevision = "needs_revision",
        /// Not needed any more.
        Waived = "waived",
    }
}

impl Status {
    /// Approved or waived.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Approved | Self::Waived)
    }

    /// The status after an event.
    ///
    /// # Errors
    /// Conflict `request_status`.
    pub fn after(self, event: Event) -> Result<Self> {
        use Status::{Approved, NeedsRevision, Requested, Submitted, Waived};
        match (event, self) {
            (Event::Upload, Requested | Submitted | NeedsRevision) => Ok(Submitted),
            (Event::Approve, Submitted) => Ok(Approved),
            (Event::SendBack, Submitted) => Ok(NeedsRevision),
            (Event::Waive, Requested | Submitted | NeedsRevision) => Ok(Waived),
            _ => Err(Error::Conflict(Problem::new("request_status").with("status", self.name()))),
        }
    }
}

/// An event that changes the status of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Upload,
    Approve,
    SendBack,
    Waive,
}

impl Event {
    pub const ALL: [Self; 4] = [Self::Upload, Self::Approve, Self::SendBack, Self::Waive];
}

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct DocumentRequest {
    pub id: DocumentRequestId,
    pub spv_id: SpvId,
    pub client_id: UserId,
    pub step_id: Option<StepId>,
    pub name: String,
    /// Instructions for the client.
    pub instructions: Option<String>,
    /// Whether a step waits for it.
    pub required: bool,
    pub due_date: Option<NaiveDate>,
    pub status: Status,
    /// The reason for which it was sent back or waived.
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
    /// The uploaded document.
    pub document_id: Option<DocumentId>,
    /// The status of its order.
    pub spv_status: spvs::Status,
}

/// The form of a request. In a change a field left out stays, and an empty one is cleared.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: Option<String>,
    pub instructions: Option<String>,
    pub required: Option<bool>,
    pub due_date: Option<String>,
    /// The step that waits for it; `Some(None)` removes it.
    pub step_id: Option<Option<StepId>>,
}

impl DocumentRequest {
    /// The step that waits for it.
    pub fn awaited_by(&self) -> Option<StepId> {
        self.step_id.filter(|_| self.required && !self.status.is_settled())
    }

    /// Applies the form.
    ///
    /// # Errors
    /// Invalid per field.
    pub fn set(&mut self, input: &Input) -> Result<()> {
        let mut check = Validator::new();
        if input.name.is_some() || self.name.is_empty() {
            self.name = templates::names::to_english(check.single_line(
                "name",
                input.name.as_deref().unwrap_or(""),
                validate::LINE,
            ));
        }
        if input.instructions.is_some() {
            self.instructions = check.optional_text("instructions", input.instructions.as_deref());
        }
        if input.due_date.is_some() {
            self.due_date = check.optional("due_date", input.due_date.as_deref(), validate::date);
        }
        self.required = input.required.unwrap_or(self.required);
        self.step_id = input.step_id.unwrap_or(self.step_id);
        check.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_transitions_are_exactly_these() {
        let mut table = String::new();
        for status in Status::ALL {
            let transitions: Vec<String> = Event::ALL
                .into_iter()
                .filter_map(|event| Some(format!("{event:?} to {}", status.after(event).ok()?.name())))
                .collect();
            table.push_str(&format!("{}: {}\n", status.name(), transitions.join(", ")));
        }
        assert_eq!(
            table,
            "requested: Upload to submitted, Waive to waived\n\
             submitted: Upload to submitted, Approve to approved, SendBack to needs_revision, Waive to waived\n\
             approved: \n\
             needs_revision: Upload to submitted, Waive to waived\n\
             waived: \n"
        );
    }
}
