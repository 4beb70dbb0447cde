//! The formation work of each country.
use crate::{answer::Items, error::Result, extract::SignedIn};
use axum::Json as Answer;
use domain::{spvs::Country, steps::Party, templates};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Template {
    country: Country,
    name: String,
    steps: Vec<TemplateStep>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateStep {
    step_order: i64,
    step_name: String,
    owner: Party,
    /// Due so many business days after the ordered date.
    business_days: i64,
}

impl From<templates::Template> for Template {
    fn from(template: templates::Template) -> Self {
        let steps = template.steps.into_iter().map(|step| TemplateStep {
            step_order: step.step_order,
            step_name: step.step_name,
            owner: step.owner,
            business_days: step.business_days,
        });
        Self { country: template.country, name: template.name, steps: steps.collect() }
    }
}

/// The steps an order begins with, by country.
#[utoipa::path(get, path = "/templates", operation_id = "template_list", tag = "templates",
    responses((status = 200, body = Items<Template>)))]
pub async fn list(SignedIn(ctx): SignedIn) -> Result<Answer<Items<Template>>> {
    let items = templates::list(&ctx).await?.into_iter().map(Template::from).collect();
    Ok(Answer(Items { items }))
}
