//! Export of accounts, without passwords and second factors.
use super::column::{Column, column, optional, time};
use crate::{
    accounts::users::{self, UserQuery, UserRow},
    kernel::{
        ctx::Ctx,
        error::Result,
        page::{Page, PageQuery},
    },
};

pub(super) const COLUMNS: &[Column<UserRow>] = &[
    column("id", |_, user| user.id.to_string()),
    column("first_name", |_, user| user.first_name.clone()),
    column("last_name", |_, user| user.last_name.clone()),
    column("email", |_, user| user.email.clone()),
    column("role", |_, user| user.role.name().to_owned()),
    column("status", |_, user| user.status.name().to_owned()),
    column("phone", |_, user| optional(&user.phone)),
    column("company_name", |_, user| optional(&user.company_name)),
    column("last_sign_in_at", |_, user| time(user.last_sign_in_at)),
    column("created_at", |_, user| user.created_at.to_rfc3339()),
];

pub(super) async fn list(ctx: &Ctx, query: &UserQuery, page: &PageQuery) -> Result<Page<UserRow>> {
    Ok(users::page(ctx, query, page).await?.page)
}
