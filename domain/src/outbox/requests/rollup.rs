//! What a request counts for in the rollups: one of its status.
use super::Status;
use crate::{
    kernel::{
        db::{Sql, Tx},
        error::Result,
    },
    platform::rollups::{self, Contributions, Facts},
};

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct RequestFacts {
    status: Status,
}

impl Facts for RequestFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        to.request(self.status.name());
    }
}

/// Updates the rollups for a request: new without the status before, deleted without the one after.
pub(super) fn count_change(tx: &mut Tx, before: Option<Status>, after: Option<Status>) {
    let facts = |status| RequestFacts { status };
    rollups::apply(tx, before.map(facts), after.map(facts));
}

/// The facts of all requests.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<RequestFacts>> {
    db.sql("select status from requests").all().await
}
