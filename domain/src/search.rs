//! Search by the beginnings of words, the same on both databases: each row's words are kept in one indexed table.
use crate::{
    access::{Action, Resource},
    clients, companies,
    ctx::Ctx,
    db::{Sql, Tx},
    documents,
    error::Result,
    page::PageQuery,
    requests, spvs,
};
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// At most so many words of a row or a question count.
const WORDS: usize = 40;

/// Rows of one statement that adds many.
const ROWS: usize = 2_000;

/// How many rows of each kind an answer holds.
const HITS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SearchKind)]
pub enum Kind {
    Client,
    Spv,
    Company,
    Document,
    Request,
}

/// A row that was found, as one line and a half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub id: Uuid,
    pub title: String,
    pub text: String,
}

/// Orders, clients, companies and documents by the beginnings of their words: the newest few of each that the actor's
/// lists show; requests too, for the staff.
///
/// # Errors
/// Unauthenticated.
pub async fn find(ctx: &Ctx, q: &str) -> Result<Vec<Hit>> {
    ctx.scope()?;
    if words(q).next().is_none() {
        return Ok(Vec::new());
    }
    let page = PageQuery { limit: Some(HITS), cursor: None };
    let q = Some(q.to_owned());
    let orders = spvs::list(ctx, &spvs::Filter { q: q.clone(), ..Default::default() }, &page).await?;
    let people = clients::list(ctx, &clients::Filter { q: q.clone(), ..Default::default() }, &page).await?;
    let firms = companies::list(ctx, q.as_deref(), false, &page).await?;
    let papers = documents::list(ctx, &documents::Filter { q: q.clone(), ..Default::default() }, &page).await?;
    let asked = if ctx.can(Action::View, Resource::Requests) {
        requests::list(ctx, &requests::Filter { q: q.clone(), ..Default::default() }, &page).await?.items
    } else {
        Vec::new()
    };
    let hit = |kind, id, title, text| Hit { kind, id, title, text };
    let orders = orders.items.into_iter().map(|row| hit(Kind::Spv, row.id.0, row.identifier(), row.client_name()));
    let people = people.items.into_iter().map(|row| hit(Kind::Client, row.id.0, row.name(), row.email));
    let firms = firms.items.into_iter().map(|row| hit(Kind::Company, row.id.0, row.name, row.business_name));
    let papers = papers.items.into_iter().map(|row| hit(Kind::Document, row.id.0, row.name.clone(), row.client_name()));
    let asked = asked.into_iter().map(|row| hit(Kind::Request, row.id.0, row.reference(), row.name));
    Ok(orders.chain(people).chain(firms).chain(papers).chain(asked).collect())
}

/// Replaces the words under which `subject` is found among rows of `kind`.
///
/// # Errors
/// What the database refuses.
pub async fn index(tx: &mut Tx, kind: &'static str, subject: Uuid, texts: &[&str]) -> Result<()> {
    tx.later("delete from search_terms where subject_id = $1").await?.bind(subject).run().await?;
    let words: Vec<String> =
        texts.iter().flat_map(|text| terms(text)).collect::<BTreeSet<_>>().into_iter().take(WORDS).collect();
    if words.is_empty() {
        return Ok(());
    }
    let rows: Vec<String> = (0..words.len()).map(|n| format!("($1, ${}, $2)", n + 3)).collect();
    let mut insert = tx
        .later(&format!(
            "insert into search_terms (kind, term, subject_id) values {} on conflict do nothing",
            rows.join(", ")
        ))
        .await?
        .bind(kind)
        .bind(subject);
    for word in words {
        insert = insert.bind(word);
    }
    insert.run().await?;
    Ok(())
}

/// Adds the words of many new subjects at once.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn index_new<const N: usize>(
    tx: &mut Tx,
    kind: &'static str,
    subjects: &[(Uuid, [String; N])],
) -> Result<()> {
    let rows: Vec<(Uuid, String)> = subjects
        .iter()
        .flat_map(|(id, texts)| {
            let words: BTreeSet<String> = texts.iter().flat_map(|text| terms(text)).collect();
            words.into_iter().take(WORDS).map(|word| (*id, word))
        })
        .collect();
    for some in rows.chunks(ROWS) {
        let values: Vec<String> = (0..some.len()).map(|n| format!("($1, ${}, ${})", 2 * n + 2, 2 * n + 3)).collect();
        let mut insert = tx
            .sql_built(format!("insert into search_terms (kind, term, subject_id) values {}", values.join(", ")))
            .bind(kind);
        for (id, word) in some {
            insert = insert.bind(word.clone()).bind(*id);
        }
        insert.run().await?;
    }
    Ok(())
}

/// The conditions that narrow `column` to rows matching every word of `q`, with placeholders from `$first` on,
/// and the values to bind to them in order.
pub fn matching(kind: &'static str, column: &str, q: &str, first: usize) -> (String, Vec<String>) {
    let mut sql = String::new();
    let mut values = Vec::new();
    for word in words(q).take(8) {
        let n = first + values.len();
        sql.push_str(&format!(
            " and {column} in (select subject_id from search_terms where kind = '{kind}' and term >= ${n} and term < ${})",
            n + 1
        ));
        values.push(word.clone());
        values.push(format!("{word}\u{10ffff}"));
    }
    (sql, values)
}

/// The words of a text and, for identifiers and addresses, the whole of each piece as well.
fn terms(text: &str) -> impl Iterator<Item = String> {
    let pieces: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let inner: Vec<String> = pieces.iter().flat_map(|piece| words(piece).collect::<Vec<_>>()).collect();
    pieces.into_iter().chain(inner).filter(|term| term.chars().count() <= 254)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let whole: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    // A piece with a sign inside (an address, an identifier) is looked for as it stands.
    whole.into_iter().flat_map(
        |piece| {
            if piece.chars().all(char::is_alphanumeric) { vec![piece] } else { split(&piece) }
        },
    )
}

fn split(piece: &str) -> Vec<String> {
    piece.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_whole_and_by_its_parts() {
        let found: Vec<String> = terms("Maya.Ortiz@Example.com").collect();
        assert_eq!(found, ["maya.ortiz@example.com", "maya", "ortiz", "example", "com"]);
    }

    #[test]
    fn a_question_of_only_signs_asks_for_nothing() {
        assert!(matching("client", "id", " -- ' ", 3).1.is_empty());
    }
}
