//! A lead and its stages.
use crate::kernel::{
    clock,
    ids::{CompanyId, IsoId, LeadId, SpvId, UserId},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

crate::kernel::text_enum! {
    /// How far a lead has come.
    #[schema(as = LeadStage)]
    pub enum Stage {
        New = "new",
        Contacted = "contacted",
        Qualified = "qualified",
        /// A client with an order; only a conversion leads here.
        Won = "won",
        Lost = "lost",
    }
}

impl Stage {
    /// Neither won nor lost.
    pub(crate) fn is_pending(self) -> bool {
        matches!(self, Self::New | Self::Contacted | Self::Qualified)
    }
}

crate::kernel::db::row! {
    /// The validated fields of a new lead.
    #[derive(Clone, Debug)]
    pub struct Fields {
        pub first_name: String,
        pub last_name: String,
        pub email: String,
        pub phone: Option<String>,
        pub organisation: Option<String>,
        pub note: Option<String>,
        pub next_step: Option<String>,
        pub next_step_date: Option<NaiveDate>,
    }
}

crate::kernel::db::row! {
    #[derive(Clone, Debug, PartialEq, Serialize, sqlx::FromRow)]
    pub struct Lead of l {
        pub id: LeadId,
        pub iso_id: IsoId,
        pub iso_first_name: String = "i.first_name",
        pub iso_last_name: String = "i.last_name",
        pub company_id: CompanyId,
        pub company_name: String = "k.name",
        pub first_name: String,
        pub last_name: String,
        pub email: String,
        pub phone: Option<String>,
        pub organisation: Option<String>,
        pub note: Option<String>,
        pub stage: Stage,
        pub next_step: Option<String>,
        pub next_step_date: Option<NaiveDate>,
        /// The last day on which no other partner can add the same person, by the clock of the partner's company.
        pub protected_until: NaiveDate,
        /// Where that clock stands.
        pub time_zone: String = "k.time_zone",
        pub client_id: Option<UserId>,
        pub spv_id: Option<SpvId>,
        pub converted_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

impl Lead {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }

    pub fn iso_name(&self) -> String {
        format!("{} {}", self.iso_first_name, self.iso_last_name)
    }

    /// Days after today for which it is still protected: 0 on the last, none once that is over.
    pub fn protected_days(&self, now: DateTime<Utc>) -> Option<i64> {
        let today = clock::day(now, &self.time_zone);
        Some((self.protected_until - today).num_days()).filter(|days| *days >= 0)
    }
}
