//! ISO partners.
use crate::{
    answer::{Answer, Made, Page, Row},
    error::Result,
    extract::{IfMatch, Json, New, Nothing, Path, Query, SignedIn, chosen, only_order},
    routes::companies::Depends,
    state::App,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    directory::isos::{self, Filter, Input},
    kernel::{
        ids::{CompanyId, IsoId, RequestId, UserId},
        page::PageQuery,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Serialize, ToSchema)]
pub struct Iso {
    id: IsoId,
    user_id: UserId,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    company_id: CompanyId,
    company_name: String,
    archived_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    version: i64,
    /// What the caller may do with it: `archive`, `restore`, `delete`.
    can: Vec<&'static str>,
}

impl Iso {
    fn of(ctx: &Ctx, row: isos::Iso) -> Self {
        Self {
            can: isos::can(ctx, &row),
            id: row.id,
            user_id: row.user_id,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            company_id: row.company_id,
            company_name: row.company_name,
            archived_at: row.archived_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

fn row(ctx: &Ctx, iso: isos::Iso) -> Row<Iso> {
    Row { version: iso.version, view: Iso::of(ctx, iso) }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct IsoDetail {
    #[serde(flatten)]
    iso: Iso,
    /// For the staff; null for others.
    depends: Option<Depends>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Beginnings of words of name or email.
    q: Option<String>,
    #[serde(default, deserialize_with = "chosen")]
    company_id: Option<CompanyId>,
    /// True shows archived ones instead.
    #[serde(default)]
    archived: bool,
    /// `first_name`: so far the only order.
    order: Option<String>,
    /// 1 to 500; 50 unless told.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// ISO partners you may see, by first name.
#[utoipa::path(get, path = "/isos", operation_id = "iso_list", tag = "isos", params(Wanted),
    responses((status = 200, body = Page<Iso>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(wanted): Query<Wanted>) -> Result<Answer<Page<Iso>>> {
    only_order(wanted.order.as_deref(), "first_name")?;
    let filter = Filter { q: wanted.q, company_id: wanted.company_id, archived: wanted.archived };
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor };
    let found = isos::list(&ctx, &filter, &page).await?;
    Ok(Answer(Page::of(found, |iso| Iso::of(&ctx, iso))))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewIso {
    #[serde(default)]
    #[schema(required)]
    first_name: String,
    #[serde(default)]
    #[schema(required)]
    last_name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    phone: Option<String>,
    #[serde(default, deserialize_with = "chosen")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    /// The application that this answers: it is approved with it.
    #[serde(default, deserialize_with = "chosen")]
    request_id: Option<RequestId>,
}

/// Makes an ISO partner with its account, and mails it a link to set a password.
#[utoipa::path(post, path = "/isos", operation_id = "iso_create", tag = "isos", request_body = NewIso,
    responses((status = 201, body = Iso)))]
pub async fn create(New { ctx, input, .. }: New<NewIso>) -> Result<Made<Iso>> {
    let input = Input {
        first_name: input.first_name,
        last_name: input.last_name,
        email: input.email,
        phone: input.phone,
        company_id: input.company_id,
        request_id: input.request_id,
    };
    let iso = isos::create(&ctx, input).await?;
    Ok(Made { location: format!("/rest/v1/isos/{}", iso.id), version: iso.version, view: Iso::of(&ctx, iso) })
}

/// One ISO partner, and what depends on it.
#[utoipa::path(get, path = "/isos/{id}", operation_id = "iso_get", tag = "isos", params(("id" = IsoId, Path)),
    responses((status = 200, body = IsoDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<IsoId>) -> Result<Row<IsoDetail>> {
    let iso = isos::get(&ctx, id).await?;
    let depends = isos::depends(&ctx, &iso).await?.map(Depends::from);
    Ok(Row { version: iso.version, view: IsoDetail { iso: Iso::of(&ctx, iso), depends } })
}

/// Deletes an ISO partner that nothing depends on; its account is archived.
#[utoipa::path(delete, path = "/isos/{id}", operation_id = "iso_delete", tag = "isos", params(("id" = IsoId, Path)),
    responses((status = 204)))]
pub async fn delete(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
) -> Result<StatusCode> {
    isos::delete(&ctx, id, version).await?;
    // Seldom: everybody is looked up once more.
    app.auth.verified.clear();
    Ok(StatusCode::NO_CONTENT)
}

/// Hides an ISO partner, who then cannot sign in.
#[utoipa::path(post, path = "/isos/{id}/archive", operation_id = "iso_archive", tag = "isos",
    params(("id" = IsoId, Path)), request_body = Nothing, responses((status = 200, body = Iso)))]
pub async fn archive(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(Nothing {}): Json<Nothing>,
) -> Result<Row<Iso>> {
    let iso = isos::archive(&ctx, id, version).await?;
    app.auth.verified.forget_user(iso.user_id);
    Ok(row(&ctx, iso))
}

/// Brings an archived ISO partner back.
#[utoipa::path(post, path = "/isos/{id}/restore", operation_id = "iso_restore", tag = "isos",
    params(("id" = IsoId, Path)), request_body = Nothing, responses((status = 200, body = Iso)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(Nothing {}): Json<Nothing>,
) -> Result<Row<Iso>> {
    Ok(row(&ctx, isos::restore(&ctx, id, version).await?))
}
