//! What the office says of itself.
use crate::{error::Result, extract::Anyone};
use axum::Json as Answer;
use domain::settings::{self, Pages, Representative};
use serde::Serialize;
use utoipa::ToSchema;

const BRAND: &str = "SPV Portal";

/// Null is unset, and then shown nowhere.
#[derive(Debug, Serialize, ToSchema)]
pub struct Settings {
    brand_name: String,
    /// Demo data, and the Seed Test Data button.
    demo: bool,
    support_email: Option<String>,
    support_phone: Option<String>,
    representative: Option<Representative>,
    /// The operator's own words for pages that are not linked while empty.
    pages: Pages,
    /// Other ways to sign in than a password; none are configured yet.
    sign_in_providers: Vec<String>,
}

/// The office's settings. No sign-in needed.
#[utoipa::path(get, path = "/settings", operation_id = "settings_get", tag = "settings", security(()),
    responses((status = 200, body = Settings)))]
pub async fn get(Anyone(ctx): Anyone) -> Result<Answer<Settings>> {
    let found = settings::get(&ctx).await?;
    Ok(Answer(Settings {
        brand_name: found.brand_name.unwrap_or_else(|| BRAND.to_owned()),
        demo: ctx.options.demo,
        support_email: found.support_email,
        support_phone: found.support_phone,
        representative: found.representative,
        pages: found.pages,
        sign_in_providers: Vec::new(),
    }))
}
