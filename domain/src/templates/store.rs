//! SQL of templates.
use super::TemplateStep;
use crate::{db::Sql, error::Result, spvs::Country};

pub async fn name(db: &mut impl Sql, country: Country) -> Result<Option<String>> {
    Ok(db
        .sql("select name from templates where country = $1")
        .bind(country)
        .optional::<(String,)>()
        .await?
        .map(|(n,)| n))
}

pub async fn steps(db: &mut impl Sql, country: Country) -> Result<Vec<TemplateStep>> {
    db.sql(
        "select step_order, step_name, owner, business_days from template_steps where country = $1 order by step_order",
    )
    .bind(country)
    .all()
    .await
}
