//! Step templates: the formation work of each country, copied into each new order; existing orders keep their copy
//! (decisions 1 and 2).
pub mod names;
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, FieldError, Problem, Result},
        validate::{self, Validator},
    },
    orders::{
        spvs::Country,
        steps::{MAX_OFFSET_DAYS, Party, find_dependency_problem, owner},
    },
    platform::activity,
};
use chrono::{DateTime, Utc};
use serde_json::json;

const MAX_STEPS: usize = 50;
const MAX_DOCUMENTS_PER_STEP: usize = 20;

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct TemplateStep {
    pub step_order: i64,
    pub step_name: String,
    pub owner: Party,
    /// The due date in business days after the ordered date.
    pub business_days: i64,
    pub completes_with_documents: bool,
    /// Numbers of the steps that must be completed first.
    #[sqlx(json)]
    pub depends_on: Vec<i64>,
    /// The document requests of a new order.
    #[sqlx(skip)]
    pub documents: Vec<TemplateDocument>,
}

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct TemplateDocument {
    pub name: String,
    pub instructions: Option<String>,
    pub required: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub country: Country,
    pub name: String,
    pub steps: Vec<TemplateStep>,
    pub updated_at: DateTime<Utc>,
    /// None for a shipped template.
    pub updated_by: Option<String>,
    pub version: i64,
}

/// The form of a whole template, with its steps in order.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: String,
    pub steps: Vec<StepInput>,
}

#[derive(Clone, Debug, Default)]
pub struct StepInput {
    pub step_name: String,
    pub owner: String,
    pub business_days: i64,
    pub completes_with_documents: bool,
    /// Numbers of other steps of the input: the first one is 1.
    pub depends_on: Vec<i64>,
    pub documents: Vec<DocumentInput>,
}

#[derive(Clone, Debug, Default)]
pub struct DocumentInput {
    pub name: String,
    pub instructions: Option<String>,
    pub required: bool,
}

/// Every template, in the countries' order. Staff.
///
/// # Errors
/// Forbidden for others.
#[tracing::instrument(level = "debug", name = "templates.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<Template>> {
    ctx.may(Action::View, Resource::Template)?;
    let mut db = ctx.db();
    let mut templates = Vec::new();
    for country in Country::ALL {
        templates.extend(read(&mut db, country).await?);
    }
    Ok(templates)
}

/// The template of a country. Staff.
///
/// # Errors
/// Forbidden for others; NotFound.
#[tracing::instrument(level = "debug", name = "templates.get", skip_all)]
pub async fn get(ctx: &Ctx, country: Country) -> Result<Template> {
    ctx.may(Action::View, Resource::Template)?;
    read(&mut ctx.db(), country).await?.ok_or(Error::NotFound("template"))
}

async fn read(db: &mut impl Sql, country: Country) -> Result<Option<Template>> {
    let Some(head) = store::head(db, country).await? else { return Ok(None) };
    Ok(Some(Template {
        country,
        name: head.name,
        steps: steps_of(db, country).await?,
        updated_at: head.updated_at,
        updated_by: head.updated_by,
        version: head.version,
    }))
}

/// Replaces the template of a country. Existing orders keep their steps. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field, a step's as `steps.0.step_name`; stale when `version` is not the template's.
#[tracing::instrument(level = "debug", name = "templates.set", skip_all)]
pub async fn set(ctx: &Ctx, country: Country, version: Option<i64>, input: Input) -> Result<Template> {
    ctx.may(Action::Update, Resource::Template)?;
    let (name, steps) = &validate_input(&input)?;
    ctx.transaction(|tx| {
        async move {
            store::lock(tx, country).await?;
            let old = read(tx, country).await?.ok_or(Error::NotFound("template"))?;
            fresh(version, old.version, old.updated_by.as_deref().unwrap_or("root"), old.updated_at)?;
            replace(tx, ctx, old, name.clone(), steps.clone()).await
        }
        .scope_boxed()
    })
    .await
}

/// Replaces the templates of several countries, all or none. Returns each with whether it has changed; an equal template
/// is not saved. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field, a step's as `US.steps.0.step_name`, `duplicate` for a country that comes twice.
#[tracing::instrument(level = "debug", name = "templates.import", skip_all)]
pub async fn import(ctx: &Ctx, inputs: &[(Country, Input)]) -> Result<Vec<(Template, bool)>> {
    ctx.may(Action::Update, Resource::Template)?;
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    for (n, (country, input)) in inputs.iter().enumerate() {
        let code = country.code();
        if inputs[..n].iter().any(|(other, _)| other == country) {
            refused.push(FieldError { field: format!("{code}.country"), problem: Problem::new("duplicate") });
        }
        match validate_input(input) {
            Ok((name, steps)) => wanted.push((*country, name, steps)),
            Err(Error::Invalid(fields)) => refused.extend(
                fields.into_iter().map(|error| FieldError { field: format!("{code}.{}", error.field), ..error }),
            ),
            Err(e) => return Err(e),
        }
    }
    if !refused.is_empty() {
        return Err(Error::Invalid(refused));
    }
    // Locked in the order of countries, which avoids deadlocks.
    wanted.sort_by_key(|(country, ..)| country.code());
    let wanted = &wanted;
    ctx.transaction(|tx| {
        async move {
            let mut templates = Vec::new();
            for (country, name, steps) in wanted {
                store::lock(tx, *country).await?;
                let old = read(tx, *country).await?.ok_or(Error::NotFound("template"))?;
                let other = old.name != *name || old.steps != *steps;
                let new = if other { replace(tx, ctx, old, name.clone(), steps.clone()).await? } else { old };
                templates.push((new, other));
            }
            Ok(templates)
        }
        .scope_boxed()
    })
    .await
}

async fn replace(tx: &mut Tx, ctx: &Ctx, old: Template, name: String, steps: Vec<TemplateStep>) -> Result<Template> {
    let country = old.country;
    let new = Template {
        country,
        name,
        steps,
        updated_at: ctx.now(),
        updated_by: Some(ctx.actor_name()),
        version: old.version + 1,
    };
    store::save(tx, &new).await?;
    // The log keeps the former template as its history.
    let was = old.steps.iter().map(|step| {
        json!({ "step_name": step.step_name, "owner": step.owner.name(), "business_days": step.business_days,
            "completes_with_documents": step.completes_with_documents, "depends_on": step.depends_on,
            "documents": step.documents.iter().map(|document| json!({ "name": document.name,
                "instructions": document.instructions, "required": document.required })).collect::<Vec<_>>() })
    });
    let event = activity::Event::new("template.updated", "template", uuid::Uuid::nil(), new.name.clone())
        .with("country", country.code())
        .with("was", json!({ "name": old.name, "version": old.version, "steps": was.collect::<Vec<_>>() }));
    activity::append(tx, ctx, event).await?;
    Ok(new)
}

fn validate_input(input: &Input) -> Result<(String, Vec<TemplateStep>)> {
    let mut check = Validator::new();
    let name = names::to_english(check.single_line("name", &input.name, validate::LINE));
    match input.steps.len() {
        0 => check.reject("steps", Problem::new("required")),
        n if n > MAX_STEPS => check.reject("steps", Problem::new("too_many").with("max", MAX_STEPS)),
        _ => {}
    }
    let mut steps = Vec::new();
    for (n, step) in input.steps.iter().take(MAX_STEPS).enumerate() {
        let field = |name: &str| format!("steps.{n}.{name}");
        let step_name = names::to_english(check.single_line(&field("step_name"), &step.step_name, validate::LINE));
        let owner = check.read(&field("owner"), owner(&step.owner)).unwrap_or(Party::Staff);
        check.range(&field("business_days"), step.business_days, 0..=MAX_OFFSET_DAYS);
        if step.documents.len() > MAX_DOCUMENTS_PER_STEP {
            check.reject(&field("documents"), Problem::new("too_many").with("max", MAX_DOCUMENTS_PER_STEP));
        }
        let mut documents = Vec::new();
        for (d, document) in step.documents.iter().take(MAX_DOCUMENTS_PER_STEP).enumerate() {
            let field = |name: &str| format!("steps.{n}.documents.{d}.{name}");
            documents.push(TemplateDocument {
                name: names::to_english(check.single_line(&field("name"), &document.name, validate::LINE)),
                instructions: check.optional_text(&field("instructions"), document.instructions.as_deref()),
                required: document.required,
            });
        }
        steps.push(TemplateStep {
            step_order: n as i64 + 1,
            step_name,
            owner,
            business_days: step.business_days,
            completes_with_documents: step.completes_with_documents,
            depends_on: step.depends_on.clone(),
            documents,
        });
    }
    let needs: Vec<(i64, &[i64])> = steps.iter().map(|step| (step.step_order, step.depends_on.as_slice())).collect();
    for (n, step) in steps.iter().enumerate() {
        if let Some(problem) = find_dependency_problem(step.step_order, &needs) {
            check.reject(&format!("steps.{n}.depends_on"), Problem::new(problem));
        }
    }
    check.finish()?;
    Ok((name, steps))
}

/// The actions that the actor may take on templates: their buttons.
pub fn can(ctx: &Ctx) -> Vec<&'static str> {
    if ctx.can(Action::Update, Resource::Template) { vec!["update"] } else { Vec::new() }
}

/// The name of a step or a document in the actor's language.
pub fn shown(ctx: &Ctx, name: &str) -> String {
    names::translated(ctx.language(), name)
}

/// The steps of a new order for `country`.
pub(crate) async fn steps_for(tx: &mut Tx, country: Country) -> Result<Vec<TemplateStep>> {
    steps_of(tx, country).await
}

async fn steps_of(db: &mut impl Sql, country: Country) -> Result<Vec<TemplateStep>> {
    let mut steps = store::steps(db, country).await?;
    for (step_order, document) in store::documents(db, country).await? {
        if let Some(step) = steps.iter_mut().find(|step| step.step_order == step_order) {
            step.documents.push(document);
        }
    }
    Ok(steps)
}
