//! What a version of a document counts for in the rollups: the size of its file.
use crate::{
    kernel::{
        db::{Sql, Tx},
        error::Result,
    },
    platform::rollups::{self, Contributions, Counter, Facts},
};

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct VersionFacts {
    pub bytes: i64,
    /// A restored version shares the file of the older one.
    pub restored: bool,
}

impl Facts for VersionFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        if !self.restored {
            to.counter(Counter::StorageBytes, self.bytes);
        }
    }
}

/// Updates the rollups for a new version.
pub(super) fn count_new(tx: &mut Tx, version: VersionFacts) {
    rollups::apply(tx, None, Some(version));
}

/// Updates the rollups for a removed version.
pub(super) fn count_removal(tx: &mut Tx, version: VersionFacts) {
    rollups::apply(tx, Some(version), None);
}

/// The facts of all versions.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<VersionFacts>> {
    db.sql("select bytes, restored_from is not null as restored from document_versions").all().await
}
