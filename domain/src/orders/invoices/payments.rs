//! The payments of all invoices, as they are exported.
use super::{model::invoice_name, store};
use crate::{
    kernel::{
        ctx::Ctx,
        error::Result,
        ids::{InvoiceId, PaymentId, SpvId, UserId},
        money::Currency,
        page::{Page, PageQuery},
    },
    orders::spvs,
};
use chrono::{DateTime, NaiveDate, Utc};

crate::kernel::db::row! {
    /// A payment with the names around it. The amount is in minor units of `currency`.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct ListedPayment of p {
        pub id: PaymentId,
        pub invoice_id: InvoiceId,
        pub invoice_year: i64 = "v.year",
        pub invoice_number: i64 = "v.number",
        pub spv_id: SpvId = "v.spv_id",
        pub spv_custom_identifier: Option<String> = "case when s.client_id = v.client_id then s.custom_identifier end",
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        pub client_email: String = "c.email",
        pub currency: Currency = "v.currency",
        pub amount_minor: i64,
        pub received_date: NaiveDate,
        /// The payment method: [`super::PaymentMethod::NAME`].
        pub way: String,
        /// Visible to the staff only.
        pub note: Option<String>,
        pub recorded_by: String,
        pub created_at: DateTime<Utc>,
    }
}

impl ListedPayment {
    /// The number of its invoice.
    pub fn invoice(&self) -> String {
        invoice_name(self.invoice_year, self.invoice_number)
    }

    pub fn spv_identifier(&self) -> String {
        spvs::display_identifier(self.spv_id, self.spv_custom_identifier.as_deref())
    }

    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }
}

/// The filters of the list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
}

/// Payments of the invoices that the actor may see, the oldest first.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "invoices.payments.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<ListedPayment>> {
    let (scope, limit) = (ctx.scope()?, page.limit()?);
    let rows = store::list_payments(&mut ctx.db(), scope, filter, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |payment| (payment.received_date, payment.id)))
}
