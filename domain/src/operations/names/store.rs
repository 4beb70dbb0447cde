//! SQL of names.
use super::{Named, Noun};
use crate::kernel::{
    db::{Db, Sql},
    error::Result,
};
use uuid::Uuid;

/// The rows whose name begins with `typed`, or whose id is in `ids`.
pub async fn beginning_with(
    db: &mut Db,
    noun: Noun,
    typed: String,
    ids: Option<(Uuid, Uuid)>,
    limit: i64,
) -> Result<Vec<Named>> {
    let sql = format!(
        "select id, coalesce(name, '') as name from ({}) named \
         where lower(substr(coalesce(name, ''), 1, cast($1 as integer))) = $2 or (id >= $3 and id <= $4) \
         order by name, id limit {limit}",
        rows(noun)
    );
    let letters = i64::try_from(typed.chars().count()).unwrap_or(i64::MAX);
    let (first, last) = ids.unwrap_or((Uuid::max(), Uuid::nil()));
    db.sql_built(sql).bind(letters).bind(typed).bind(first).bind(last).all().await
}

/// A select of the rows with their names.
fn rows(noun: Noun) -> &'static str {
    match noun {
        Noun::Client => "select id, email as name from users where role = 'client'",
        Noun::Commission => "select id, cast(null as text) as name from commissions",
        Noun::Company => "select id, name from companies",
        Noun::Document => "select id, cast(null as text) as name from documents",
        Noun::Invoice => {
            "select id, cast(year as text) || '-' || case when number < 1000 then substr('000', length(cast(number as text))) \
             else '' end || cast(number as text) as name from invoices"
        }
        Noun::Iso => "select id, email as name from isos",
        Noun::Mail => "select id, cast(null as text) as name from mails",
        Noun::Request => "select id, cast(null as text) as name from requests",
        Noun::Spv => "select id, custom_identifier as name from spvs",
        Noun::User => "select id, email as name from users",
    }
}
