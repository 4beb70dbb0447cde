//! SQL of templates.
use super::{Template, TemplateDocument, TemplateStep};
use crate::{
    kernel::{
        db::{Json, Sql, Tx, insert},
        error::Result,
    },
    orders::spvs::Country,
};
use chrono::{DateTime, Utc};

#[derive(Debug, sqlx::FromRow)]
pub struct Head {
    pub name: String,
    pub updated_at: DateTime<Utc>,
    pub updated_by: Option<String>,
    pub version: i64,
}

pub async fn head(db: &mut impl Sql, country: Country) -> Result<Option<Head>> {
    db.sql("select name, updated_at, updated_by, version from templates where country = $1")
        .bind(country)
        .optional()
        .await
}

/// Locks the template until the transaction ends.
pub async fn lock(tx: &mut Tx, country: Country) -> Result<()> {
    tx.sql("update templates set version = version where country = $1").bind(country).run().await?;
    Ok(())
}

pub async fn steps(db: &mut impl Sql, country: Country) -> Result<Vec<TemplateStep>> {
    db.sql(
        "select step_order, step_name, owner, business_days, completes_with_documents, depends_on \
         from template_steps where country = $1 order by step_order",
    )
    .bind(country)
    .all()
    .await
}

/// The documents of the steps, each with its step's number.
pub async fn documents(db: &mut impl Sql, country: Country) -> Result<Vec<(i64, TemplateDocument)>> {
    let rows: Vec<(i64, String, Option<String>, bool)> = db
        .sql(
            "select step_order, name, instructions, required from template_documents where country = $1 \
             order by step_order, nth",
        )
        .bind(country)
        .all()
        .await?;
    let read = |(step, name, instructions, required)| (step, TemplateDocument { name, instructions, required });
    Ok(rows.into_iter().map(read).collect())
}

pub async fn save(tx: &mut Tx, template: &Template) -> Result<()> {
    tx.sql("update templates set name = $2, updated_at = $3, updated_by = $4, version = $5 where country = $1")
        .bind(template.country)
        .bind(template.name.clone())
        .bind(template.updated_at)
        .bind(template.updated_by.clone())
        .bind(template.version)
        .run()
        .await?;
    tx.sql("delete from template_documents where country = $1").bind(template.country).run().await?;
    tx.sql("delete from template_steps where country = $1").bind(template.country).run().await?;
    for step in &template.steps {
        insert!(tx, "template_steps", {
            country: template.country,
            step_order: step.step_order,
            step_name: step.step_name.clone(),
            owner: step.owner,
            business_days: step.business_days,
            completes_with_documents: step.completes_with_documents,
            depends_on: Json(step.depends_on.clone()),
        })
        .run()
        .await?;
        for (nth, document) in step.documents.iter().enumerate() {
            insert!(tx, "template_documents", {
                country: template.country,
                step_order: step.step_order,
                nth: nth as i64,
                name: document.name.clone(),
                instructions: document.instructions.clone(),
                required: document.required,
            })
            .run()
            .await?;
        }
    }
    Ok(())
}
