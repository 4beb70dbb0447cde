//! The formation work of each country, copied into an order when it is made; running orders keep their copy
//! (decisions 1 and 2).
mod store;

use crate::{ctx::Ctx, db::Tx, error::Result, spvs::Country, steps::Party};

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct TemplateStep {
    pub step_order: i64,
    pub step_name: String,
    pub owner: Party,
    /// Due so many business days after the ordered date.
    pub business_days: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub country: Country,
    pub name: String,
    pub steps: Vec<TemplateStep>,
}

/// Every template, in the countries' order. Anybody signed in.
///
/// # Errors
/// Unauthenticated for nobody.
pub async fn list(ctx: &Ctx) -> Result<Vec<Template>> {
    ctx.scope()?;
    let mut db = ctx.db();
    let mut templates = Vec::new();
    for country in Country::ALL {
        if let Some(name) = store::name(&mut db, country).await? {
            templates.push(Template { country, name, steps: store::steps(&mut db, country).await? });
        }
    }
    Ok(templates)
}

/// The steps an order for `country` begins with.
pub(crate) async fn steps_for(tx: &mut Tx, country: Country) -> Result<Vec<TemplateStep>> {
    store::steps(tx, country).await
}
