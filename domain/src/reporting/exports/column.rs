//! Columns of an exported table: each has a name, the cell of a row, and the actors who see it.
use crate::kernel::{access::Actor, ctx::Ctx, page::Page};
use chrono::{DateTime, NaiveDate, Utc};

pub(super) struct Column<R> {
    name: &'static str,
    cell: fn(&Ctx, &R) -> String,
    visible: fn(&Actor) -> bool,
}

/// A column for all who may see the list.
pub(super) const fn column<R>(name: &'static str, cell: fn(&Ctx, &R) -> String) -> Column<R> {
    Column { name, cell, visible: |_| true }
}

impl<R> Column<R> {
    /// Hidden from actors for whom `visible` is false.
    pub(super) const fn only(self, visible: fn(&Actor) -> bool) -> Self {
        Self { visible, ..self }
    }
}

/// Names of the columns that the actor may see.
pub(super) fn names<R>(ctx: &Ctx, columns: &[Column<R>]) -> Vec<&'static str> {
    visible(ctx, columns).map(|column| column.name).collect()
}

/// Cells of the columns that the actor may see.
pub(super) fn cells<R>(ctx: &Ctx, columns: &[Column<R>], rows: Page<R>) -> Page<Vec<String>> {
    let columns: Vec<&Column<R>> = visible(ctx, columns).collect();
    rows.map(|row| columns.iter().map(|column| (column.cell)(ctx, &row)).collect())
}

fn visible<'c, R>(ctx: &Ctx, columns: &'c [Column<R>]) -> impl Iterator<Item = &'c Column<R>> {
    columns.iter().filter(|column| (column.visible)(&ctx.actor))
}

pub(super) fn optional(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

pub(super) fn time(at: Option<DateTime<Utc>>) -> String {
    at.map(|at| at.to_rfc3339()).unwrap_or_default()
}

pub(super) fn date(day: Option<NaiveDate>) -> String {
    day.map(|day| day.to_string()).unwrap_or_default()
}
