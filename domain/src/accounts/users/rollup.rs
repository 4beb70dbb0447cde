//! What an account counts for in the rollups.
use super::{Status, User};
use crate::{
    kernel::{
        access::Role,
        db::{Metric, Sql, Tx},
        error::Result,
        ids::IsoId,
    },
    platform::rollups::{self, Contributions, Counter, Facts},
};

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct UserFacts {
    pub role: Role,
    pub status: Status,
    pub iso_id: Option<IsoId>,
}

impl From<&User> for UserFacts {
    fn from(user: &User) -> Self {
        Self { role: user.role, status: user.status, iso_id: user.iso_id }
    }
}

impl Facts for UserFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        if self.status == Status::Archived {
            return;
        }
        to.counter(Counter::Users, 1);
        if self.role == Role::Client {
            to.counter(Counter::Clients, 1);
            if let (Status::Active | Status::Pending, Some(iso)) = (self.status, self.iso_id) {
                to.partner(iso, Metric::Clients);
            }
        }
    }
}

/// Updates the rollups for a new or a changed account.
pub(crate) fn count_change(tx: &mut Tx, before: Option<UserFacts>, after: UserFacts) {
    rollups::apply(tx, before, Some(after));
}

/// Updates the rollups for a removed account.
pub(crate) fn count_removal(tx: &mut Tx, before: UserFacts) {
    rollups::apply(tx, Some(before), None);
}

/// The facts of all accounts.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<UserFacts>> {
    db.sql("select role, status, iso_id from users").all().await
}
