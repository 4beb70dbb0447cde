//! Step templates by country.
use crate::{
    error::Result,
    extract::{IfMatch, Json, Path, SignedIn},
    response::{ItemList, JsonBody, Versioned},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    orders::{
        spvs::Country,
        steps::Party,
        templates::{self, DocumentInput, Input, StepInput},
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Template {
    country: Country,
    name: String,
    steps: Vec<TemplateStep>,
    updated_at: DateTime<Utc>,
    /// Null for a built-in template.
    updated_by: Option<String>,
    version: i64,
    /// Actions allowed to the caller: `update`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateStep {
    step_order: i64,
    step_name: String,
    owner: Party,
    /// Due this many business days after the ordered date.
    business_days: i64,
    /// Completed automatically when the last required document is approved or waived.
    completes_with_documents: bool,
    /// Dependencies: numbers of the steps that must be completed first.
    depends_on: Vec<i64>,
    /// Documents requested from the client when an order is created.
    documents: Vec<TemplateDocument>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateDocument {
    name: String,
    instructions: Option<String>,
    /// Whether the step waits for it.
    required: bool,
}

impl Template {
    fn of(ctx: &Ctx, template: templates::Template) -> Self {
        let document = |document: templates::TemplateDocument| TemplateDocument {
            name: templates::shown(ctx, &document.name),
            instructions: document.instructions,
            required: document.required,
        };
        let steps = template.steps.into_iter().map(|step| TemplateStep {
            step_order: step.step_order,
            step_name: templates::shown(ctx, &step.step_name),
            owner: step.owner,
            business_days: step.business_days,
            completes_with_documents: step.completes_with_documents,
            depends_on: step.depends_on,
            documents: step.documents.into_iter().map(document).collect(),
        });
        Self {
            country: template.country,
            name: templates::shown(ctx, &template.name),
            steps: steps.collect(),
            updated_at: template.updated_at,
            updated_by: template.updated_by,
            version: template.version,
            can: templates::can(ctx),
        }
    }
}

fn row(ctx: &Ctx, template: templates::Template) -> Versioned<Template> {
    Versioned { version: template.version, view: Template::of(ctx, template) }
}

/// Step templates of new orders, by country.
#[utoipa::path(get, path = "/templates", operation_id = "template_list", tag = "templates",
    responses((status = 200, body = ItemList<Template>)))]
pub async fn list(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<Template>>> {
    let items = templates::list(&ctx).await?.into_iter().map(|template| Template::of(&ctx, template)).collect();
    Ok(JsonBody(ItemList { items }))
}

/// The template of one country: US, AE, JP, SG or TH.
#[utoipa::path(get, path = "/templates/{id}", operation_id = "template_get", tag = "templates",
    params(("id" = Country, Path)), responses((status = 200, body = Template)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(country): Path<Country>) -> Result<Versioned<Template>> {
    Ok(row(&ctx, templates::get(&ctx, country).await?))
}

/// A whole template, with its steps in order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateInput {
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    steps: Vec<TemplateStepInput>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateStepInput {
    #[serde(default)]
    #[schema(required)]
    step_name: String,
    /// staff, client, iso or authority.
    #[serde(default)]
    #[schema(required, value_type = Party)]
    owner: String,
    #[serde(default)]
    #[schema(required)]
    business_days: i64,
    #[serde(default)]
    completes_with_documents: bool,
    /// Dependencies: positions of other steps, from 1; cycles are rejected.
    #[serde(default)]
    depends_on: Vec<i64>,
    #[serde(default)]
    documents: Vec<TemplateDocumentInput>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateDocumentInput {
    #[serde(default)]
    #[schema(required)]
    name: String,
    instructions: Option<String>,
    #[serde(default)]
    required: bool,
}

/// Replaces a template. Existing orders keep their steps.
#[utoipa::path(put, path = "/templates/{id}", operation_id = "template_set", tag = "templates",
    params(("id" = Country, Path)), request_body = TemplateInput, responses((status = 200, body = Template)))]
pub async fn set(
    SignedIn(ctx): SignedIn,
    Path(country): Path<Country>,
    IfMatch(version): IfMatch,
    Json(input): Json<TemplateInput>,
) -> Result<Versioned<Template>> {
    let document = |document: TemplateDocumentInput| DocumentInput {
        name: document.name,
        instructions: document.instructions,
        required: document.required,
    };
    let step = |step: TemplateStepInput| StepInput {
        step_name: step.step_name,
        owner: step.owner,
        business_days: step.business_days,
        completes_with_documents: step.completes_with_documents,
        depends_on: step.depends_on,
        documents: step.documents.into_iter().map(document).collect(),
    };
    let input = Input { name: input.name, steps: input.steps.into_iter().map(step).collect() };
    Ok(row(&ctx, templates::set(&ctx, country, version, input).await?))
}
