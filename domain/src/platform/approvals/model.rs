//! An act that waits for a second super admin, and what is carried out once it is approved.
use crate::{
    kernel::{
        error::{Error, Result},
        ids::{ApprovalId, UserId},
        money::Currency,
    },
    platform::settings::FourEyes,
};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How long an act waits.
pub const TTL: Duration = Duration::days(7);

crate::kernel::text_enum! {
    /// An act that four eyes holds up.
    #[schema(as = ApprovalAct)]
    pub enum Act {
        /// Record a payout run as paid.
        PayRun = "pay_run",
        /// Make an account a super admin.
        MakeSuperAdmin = "make_super_admin",
        /// Create a super admin.
        CreateSuperAdmin = "create_super_admin",
        /// Let a suspended or archived super admin in again.
        RestoreSuperAdmin = "restore_super_admin",
        /// Rotate the signing keys.
        RotateKeys = "rotate_keys",
        /// Change the setting itself.
        ChangeFourEyes = "change_four_eyes",
    }
}

crate::kernel::text_enum! {
    /// Where an approval stands.
    #[schema(as = ApprovalStatus)]
    pub enum Status {
        Pending = "pending",
        /// Approved and carried out.
        Approved = "approved",
        Declined = "declined",
        /// Taken back by the person who asked.
        Withdrawn = "withdrawn",
        Expired = "expired",
    }
}

crate::kernel::db::row! {
    /// A row of `approvals`.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Approval {
        pub id: ApprovalId,
        pub act: Act,
        pub target: String,
        /// Display name of the target.
        pub subject: String,
        #[sqlx(json)]
        pub payload: Map<String, Value>,
        pub status: Status,
        pub requested_by: UserId,
        pub requester: String,
        pub requested_at: DateTime<Utc>,
        pub expires_at: DateTime<Utc>,
        pub decided_by: Option<UserId>,
        pub decider: Option<String>,
        pub decided_at: Option<DateTime<Utc>>,
        pub reason: Option<String>,
        pub version: i64,
    }
}

impl Approval {
    /// What is to be carried out.
    ///
    /// # Errors
    /// Internal for a payload of another version of the portal.
    pub fn request(&self) -> Result<Request> {
        serde_json::from_value(Value::Object(self.payload.clone())).map_err(Error::internal)
    }

    /// Whether it can still be decided.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.status == Status::Pending && self.expires_at > now
    }
}

/// What is to be carried out, with the state that was seen when it was asked for. It holds no secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Request {
    PayRun { version: i64, paid_date: NaiveDate, totals: Vec<Total> },
    MakeSuperAdmin { version: i64 },
    RestoreSuperAdmin { version: i64 },
    CreateSuperAdmin(NewSuperAdmin),
    RotateKeys { kid: String },
    ChangeFourEyes { from: FourEyes, to: FourEyes },
}

impl Request {
    pub fn act(&self) -> Act {
        match self {
            Self::PayRun { .. } => Act::PayRun,
            Self::MakeSuperAdmin { .. } => Act::MakeSuperAdmin,
            Self::RestoreSuperAdmin { .. } => Act::RestoreSuperAdmin,
            Self::CreateSuperAdmin(_) => Act::CreateSuperAdmin,
            Self::RotateKeys { .. } => Act::RotateKeys,
            Self::ChangeFourEyes { .. } => Act::ChangeFourEyes,
        }
    }
}

/// What a payout run transfers in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    pub currency: Currency,
    pub amount_minor: i64,
}

/// An account to create, without a password: its owner sets one by the mailed link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewSuperAdmin {
    /// Chosen by a program of the auth protocol.
    pub id: Option<UserId>,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub language: String,
    pub language_chosen: bool,
    pub metadata: Map<String, Value>,
    pub app_metadata: Map<String, Value>,
}

impl NewSuperAdmin {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_names_its_act() {
        for request in [
            Request::PayRun { version: 1, paid_date: NaiveDate::MIN, totals: Vec::new() },
            Request::MakeSuperAdmin { version: 1 },
            Request::RestoreSuperAdmin { version: 1 },
            Request::CreateSuperAdmin(NewSuperAdmin::default()),
            Request::RotateKeys { kid: String::new() },
            Request::ChangeFourEyes { from: FourEyes::default(), to: FourEyes::default() },
        ] {
            let payload = serde_json::to_value(&request).expect("plain data");
            assert_eq!(payload["act"], request.act().name());
            assert_eq!(serde_json::from_value::<Request>(payload).expect("the same"), request);
        }
    }
}
