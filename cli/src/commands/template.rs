//! `spvctl template …`
use crate::{
    exit::{Failure, Result},
    output::Record,
    portal::Portal,
};
use clap::{Args, Subcommand};
use domain::{
    error::FieldError,
    spvs::Country,
    templates::{self, DocumentInput, Input, StepInput, Template, TemplateDocument, TemplateStep},
};
use serde::Deserialize;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the templates
    #[command(after_help = "Examples:\n  spvctl template list")]
    List,
    /// Show a country's steps
    #[command(after_help = "Examples:\n  spvctl template show UAE")]
    Show(Show),
    /// Replace a country's name or steps; orders that exist keep theirs
    #[command(
        after_help = "The steps are JSON as `template show --format json` prints them.\n\nExamples:\n  spvctl template set JP --name 'Godo kaisha'\n  spvctl template show JP --format json > jp.json && spvctl template set JP --steps jp.json"
    )]
    Set(Set),
}

#[derive(Debug, Args)]
pub struct Set {
    /// US, UAE, JP, SG or TH
    country: String,
    /// What the vehicle is called
    #[arg(long)]
    name: Option<String>,
    /// A file with the steps, or - for the standard input
    #[arg(long, value_name = "FILE")]
    steps: Option<String>,
}

/// A step as it is printed and read. Its number is its place.
#[derive(Debug, Deserialize)]
struct Line {
    step_name: String,
    owner: String,
    business_days: i64,
    #[serde(default)]
    completes_with_documents: bool,
    #[serde(default)]
    depends_on: Vec<i64>,
    #[serde(default)]
    documents: Vec<DocumentLine>,
}

#[derive(Debug, Deserialize)]
struct DocumentLine {
    name: String,
    instructions: Option<String>,
    #[serde(default)]
    required: bool,
}

#[derive(Debug, Args)]
pub struct Show {
    /// US, UAE, JP, SG or TH
    country: String,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let ctx = &portal.ctx;
    match verb {
        Verb::List => {
            let templates = templates::list(ctx).await?;
            let records = templates.iter().map(|template| {
                Record::new()
                    .with("country", template.country.code())
                    .with("name", template.name.clone())
                    .with("steps", template.steps.len())
                    .more("version", template.version)
            });
            portal.out.list(records.collect(), "templates")
        }
        Verb::Show(args) => show(portal, &templates::get(ctx, country(&args.country)?).await?),
        Verb::Set(args) => {
            let old = templates::get(ctx, country(&args.country)?).await?;
            let steps = match args.steps {
                Some(file) => read(&file)?,
                None => old.steps.iter().map(kept).collect(),
            };
            let input = Input { name: args.name.unwrap_or(old.name), steps };
            show(portal, &templates::set(ctx, old.country, Some(old.version), input).await?)
        }
    }
}

fn country(name: &str) -> Result<Country> {
    let read = name.parse();
    Ok(read.map_err(|problem| domain::Error::Invalid(vec![FieldError { field: "country".to_owned(), problem }]))?)
}

fn read(file: &str) -> Result<Vec<StepInput>> {
    let refused = |e: &dyn std::fmt::Display| Failure::Refused(format!("{file}: {e}"));
    let text = if file == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    let lines: Vec<Line> = serde_json::from_str(&text.map_err(|e| refused(&e))?).map_err(|e| refused(&e))?;
    let document = |line: DocumentLine| DocumentInput {
        name: line.name,
        instructions: line.instructions,
        required: line.required,
    };
    let step = |line: Line| StepInput {
        step_name: line.step_name,
        owner: line.owner,
        business_days: line.business_days,
        completes_with_documents: line.completes_with_documents,
        depends_on: line.depends_on,
        documents: line.documents.into_iter().map(document).collect(),
    };
    Ok(lines.into_iter().map(step).collect())
}

fn kept(step: &TemplateStep) -> StepInput {
    let document = |document: &TemplateDocument| DocumentInput {
        name: document.name.clone(),
        instructions: document.instructions.clone(),
        required: document.required,
    };
    StepInput {
        step_name: step.step_name.clone(),
        owner: step.owner.name().to_owned(),
        business_days: step.business_days,
        completes_with_documents: step.completes_with_documents,
        depends_on: step.depends_on.clone(),
        documents: step.documents.iter().map(document).collect(),
    }
}

fn show(portal: &Portal, template: &Template) -> Result {
    let records = template.steps.iter().map(|step| {
        let documents = step.documents.iter().map(|document| {
            Record::new()
                .with("name", document.name.clone())
                .with("instructions", document.instructions.clone())
                .with("required", document.required)
        });
        Record::new()
            .with("step_order", step.step_order)
            .with("step_name", step.step_name.clone())
            .with("owner", step.owner.name())
            .with("business_days", step.business_days)
            .more("completes_with_documents", step.completes_with_documents)
            .more("depends_on", step.depends_on.clone())
            .nested("documents", documents.collect())
    });
    portal.out.list(records.collect(), "steps")
}
