//! Ids as types, so that a client's id cannot be passed where an order's is meant.
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                use utoipa::openapi::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}

        ::db::column_type! { Uuid: $name }
    )*};
}

ids! {
    /// A person who may sign in. A client's id in an order is this one (specification, section 3).
    UserId,
    CompanyId,
    IsoId,
    /// Version 4, never time-ordered: its first eight characters are the order number (identifiers, decision 7).
    SpvId,
    StepId,
    SessionId,
    LinkId,
    FlowId,
    InvoiceId,
    CreditNoteId,
    IdentityId,
    MailId,
    PaymentId,
    RequestId,
    ActivityId,
    ApprovalId,
    BlockId,
    HolidayId,
    ServiceId,
    ImpersonationId,
    AlertId,
    ScanId,
    BackupId,
    FactorId,
    ChallengeId,
    CommissionId,
    PayoutId,
    PayoutRunId,
    LeadId,
    ImportId,
    IsoNoteId,
    CallId,
    ReportScheduleId,
    MessageId,
    NotificationId,
    ThreadId,
    DocumentId,
    VersionId,
    UploadId,
    DocumentRequestId,
    SavedViewId,
}

/// The first and the last id that begin with these hexadecimal digits, `at_least` so many of them; hyphens are ignored.
pub fn range_of_prefix(digits: &str, at_least: usize) -> Option<(Uuid, Uuid)> {
    let digits: String = digits.chars().filter(|c| *c != '-').collect();
    if !(at_least..=32).contains(&digits.len()) || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    Some((format!("{digits:0<32}").parse().ok()?, format!("{digits:f<32}").parse().ok()?))
}
