//! `spvctl template …`
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    kernel::error::FieldError,
    orders::{
        spvs::Country,
        templates::{self, DocumentInput, Input, StepInput, Template, TemplateDocument, TemplateStep},
    },
};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::{io::Write, path::PathBuf};

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
    /// Write templates as JSON, all of them or some countries'
    #[command(
        after_help = "Examples:\n  spvctl template export > templates.json\n  spvctl template export US UAE --out templates.json"
    )]
    Export(Export),
    /// Replace templates by those of a file, all or none; orders keep their steps
    #[command(
        after_help = "Examples:\n  spvctl template import templates.json\n  spvctl --data-dir /srv/one template export | spvctl --data-dir /srv/two template import -"
    )]
    Import(Import),
}

#[derive(Debug, Args)]
pub struct Export {
    /// US, UAE, JP, SG or TH; every one without it
    countries: Vec<String>,
    /// Output file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Import {
    /// As `template export` writes it, or - for the standard input
    file: String,
}

/// A template in an exported file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateFile {
    country: String,
    name: String,
    steps: Vec<StepLine>,
}

#[derive(Debug, Args)]
pub struct Set {
    /// US, UAE, JP, SG or TH
    country: String,
    /// Name of the vehicle
    #[arg(long)]
    name: Option<String>,
    /// A file with the steps, or - for the standard input
    #[arg(long, value_name = "FILE")]
    steps: Option<String>,
}

/// A step in output and files. Its number is its position.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepLine {
    /// Printed by `template show`; ignored on input.
    #[serde(rename = "step_order", default, skip_serializing)]
    _step_order: IgnoredAny,
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

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    match verb {
        Verb::List => {
            let templates = templates::list(ctx).await?;
            let records = templates.iter().map(|template| {
                Record::new()
                    .with("country", template.country.code())
                    .with("name", template.name.clone())
                    .with("steps", template.steps.len())
                    .hidden_in_table("version", template.version)
            });
            cli.out.list(records.collect(), "templates")
        }
        Verb::Show(args) => show(cli, &templates::get(ctx, country(&args.country)?).await?),
        Verb::Set(args) => {
            let old = templates::get(ctx, country(&args.country)?).await?;
            let steps = match args.steps {
                Some(file) => read_json::<Vec<StepLine>>(&file)?.into_iter().map(step_input).collect(),
                None => template_file(&old).steps.into_iter().map(step_input).collect(),
            };
            let input = Input { name: args.name.unwrap_or(old.name), steps };
            show(cli, &templates::set(ctx, old.country, Some(old.version), input).await?)
        }
        Verb::Export(args) => export(args, cli).await,
        Verb::Import(args) => import(args, cli).await,
    }
}

async fn export(args: Export, cli: &CliContext) -> Result {
    let wanted = args.countries.iter().map(|name| country(name)).collect::<Result<Vec<_>>>()?;
    let mut found = templates::list(&cli.ctx).await?;
    found.retain(|template| wanted.is_empty() || wanted.contains(&template.country));
    let files: Vec<TemplateFile> = found.iter().map(template_file).collect();
    let mut text = serde_json::to_string_pretty(&files)?;
    text.push('\n');
    let Some(path) = args.out else { return cli.out.raw(text.as_bytes()) };
    let written = std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| Failure::Refused(format!("--out: {} cannot be written: {e}", path.display())))?;
    info(&format!("{} templates in {}.", files.len(), path.display()));
    Ok(())
}

async fn import(args: Import, cli: &CliContext) -> Result {
    let mut inputs = Vec::new();
    for (n, TemplateFile { country: name, name: called, steps }) in
        read_json::<Vec<TemplateFile>>(&args.file)?.into_iter().enumerate()
    {
        let country = parse_country(&name, &format!("{n}.country"))?;
        inputs.push((country, Input { name: called, steps: steps.into_iter().map(step_input).collect() }));
    }
    let imported = templates::import(&cli.ctx, &inputs).await?;
    let records = imported.iter().map(|(template, other)| {
        Record::new()
            .with("country", template.country.code())
            .with("name", template.name.clone())
            .with("steps", template.steps.len())
            .with("changed", *other)
            .hidden_in_table("version", template.version)
    });
    cli.out.list(records.collect(), "templates")
}

fn country(name: &str) -> Result<Country> {
    parse_country(name, "country")
}

fn parse_country(name: &str, field: &str) -> Result<Country> {
    let read = name.parse();
    Ok(read.map_err(|problem| domain::Error::Invalid(vec![FieldError { field: field.to_owned(), problem }]))?)
}

fn read_json<T: DeserializeOwned>(file: &str) -> Result<T> {
    let refused = |e: &dyn std::fmt::Display| Failure::Refused(format!("{file}: {e}"));
    let text = if file == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    serde_json::from_str(&text.map_err(|e| refused(&e))?).map_err(|e| refused(&e))
}

fn step_input(line: StepLine) -> StepInput {
    let document = |line: DocumentLine| DocumentInput {
        name: line.name,
        instructions: line.instructions,
        required: line.required,
    };
    StepInput {
        step_name: line.step_name,
        owner: line.owner,
        business_days: line.business_days,
        completes_with_documents: line.completes_with_documents,
        depends_on: line.depends_on,
        documents: line.documents.into_iter().map(document).collect(),
    }
}

fn template_file(template: &Template) -> TemplateFile {
    let document = |document: &TemplateDocument| DocumentLine {
        name: document.name.clone(),
        instructions: document.instructions.clone(),
        required: document.required,
    };
    let line = |step: &TemplateStep| StepLine {
        _step_order: IgnoredAny,
        step_name: step.step_name.clone(),
        owner: step.owner.name().to_owned(),
        business_days: step.business_days,
        completes_with_documents: step.completes_with_documents,
        depends_on: step.depends_on.clone(),
        documents: step.documents.iter().map(document).collect(),
    };
    TemplateFile {
        country: template.country.code().to_owned(),
        name: template.name.clone(),
        steps: template.steps.iter().map(line).collect(),
    }
}

fn show(cli: &CliContext, template: &Template) -> Result {
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
            .hidden_in_table("completes_with_documents", step.completes_with_documents)
            .hidden_in_table("depends_on", step.depends_on.clone())
            .nested("documents", documents.collect())
    });
    cli.out.list(records.collect(), "steps")
}
