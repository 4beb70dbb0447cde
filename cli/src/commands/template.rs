//! `spvctl template …`
use crate::{
    exit::{Failure, Result},
    output::Record,
    portal::Portal,
};
use clap::{Args, Subcommand};
use domain::{error::FieldError, spvs::Country, templates};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the templates
    #[command(after_help = "Examples:\n  spvctl template list")]
    List,
    /// Show a country's steps
    #[command(after_help = "Examples:\n  spvctl template show UAE")]
    Show(Show),
}

#[derive(Debug, Args)]
pub struct Show {
    /// US, UAE, JP, SG or TH
    country: String,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let templates = templates::list(&portal.ctx).await?;
    match verb {
        Verb::List => {
            let records = templates.iter().map(|template| {
                Record::new()
                    .with("country", template.country.code())
                    .with("name", template.name.clone())
                    .with("steps", template.steps.len())
            });
            portal.out.list(records.collect(), "templates")
        }
        Verb::Show(args) => {
            let country: Country = args
                .country
                .parse()
                .map_err(|problem| domain::Error::Invalid(vec![FieldError { field: "country".to_owned(), problem }]))?;
            let template = templates
                .iter()
                .find(|template| template.country == country)
                .ok_or_else(|| Failure::Refused(format!("there is no template for {}", country.code())))?;
            let records = template.steps.iter().map(|step| {
                Record::new()
                    .with("step_order", step.step_order)
                    .with("step_name", step.step_name.clone())
                    .with("owner", step.owner.name())
                    .with("business_days", step.business_days)
            });
            portal.out.list(records.collect(), "steps")
        }
    }
}
