//! Order request of a client: country, purpose, proposed names and purchase amount.
use super::Request;
use crate::{
    directory::companies::Defaults,
    kernel::{
        error::{Error, Problem, Result},
        ids::{DocumentId, ServiceId},
        money::Currency,
        text::unique_key,
        validate::{LINE, Validator},
    },
    orders::{services::Service, spvs::Country},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of proposed names, in the order of preference.
const MAX_NAMES: usize = 3;

/// Maximum number of attached documents.
const MAX_DOCUMENTS: usize = 20;

/// The form as it was typed.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = OrderRequestForm)]
pub struct OrderForm {
    /// Default: US.
    pub country: Option<String>,
    /// A service of the price list in this country.
    pub service_id: Option<ServiceId>,
    /// The version of the service whose price the client saw; none: the present one.
    pub service_version: Option<i64>,
    /// What the vehicle is for.
    #[schema(required, value_type = String)]
    pub purpose: Option<String>,
    /// One to three, the favourite first.
    #[schema(required)]
    pub proposed_names: Vec<String>,
    /// What the vehicle is to buy.
    #[schema(required, value_type = String, example = "250000.00")]
    pub purchase_amount: Option<String>,
    pub currency: Option<String>,
    /// What goes with it: documents of yours.
    #[schema(required = false)]
    pub document_ids: Vec<DocumentId>,
}

/// A service of the price list, as it was when it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RequestedService {
    pub name: String,
    pub currency: Currency,
    /// Our fee.
    #[schema(example = "1250.00")]
    pub price: String,
    /// The fee of the authority.
    #[schema(example = "90.00")]
    pub filing_fee: String,
}

/// The order a client asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderRequest)]
pub struct OrderRequest {
    pub country: Country,
    /// The chosen service, as the price list had it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<RequestedService>,
    pub purpose: String,
    pub proposed_names: Vec<String>,
    #[schema(example = "250000.00")]
    pub purchase_amount: String,
    pub currency: Currency,
}

impl OrderRequest {
    /// Validates a form. An amount without a currency is in the default one.
    ///
    /// # Errors
    /// Invalid per field, under `order.…`.
    pub(super) fn read(defaults: &Defaults, form: &OrderForm, service: Option<Service>) -> Result<Self> {
        let mut check = Validator::new();
        let country = check.optional("order.country", form.country.as_deref(), str::parse).unwrap_or_default();
        let service = match (form.service_id, service) {
            (None, _) => None,
            (Some(_), Some(service)) if service.country == country => Some(RequestedService {
                price: service.currency.format(service.price_minor),
                filing_fee: service.currency.format(service.filing_fee_minor),
                name: service.name,
                currency: service.currency,
            }),
            (Some(_), _) => {
                check.reject("order.service_id", Problem::new("not_found"));
                None
            }
        };
        let purpose = check.text("order.purpose", form.purpose.as_deref().unwrap_or_default());
        let mut proposed_names: Vec<String> = Vec::new();
        for name in form.proposed_names.iter().filter(|name| !name.trim().is_empty()) {
            let name = check.single_line("order.proposed_names", name, LINE);
            let again = proposed_names.iter().any(|known| unique_key(known) == unique_key(&name));
            if again {
                check.reject("order.proposed_names", Problem::new("twice"));
            }
            proposed_names.push(name);
        }
        match proposed_names.len() {
            0 => check.reject("order.proposed_names", Problem::new("required")),
            1..=MAX_NAMES => {}
            _ => check.reject("order.proposed_names", Problem::new("too_many").with("max", MAX_NAMES)),
        }
        let currency = check
            .optional("order.currency", form.currency.as_deref(), |text| defaults.office.parse_currency(text))
            .unwrap_or(defaults.currency);
        let amount =
            check.required("order.purchase_amount", form.purchase_amount.as_deref(), |text| currency.parse(text));
        if form.document_ids.len() > MAX_DOCUMENTS {
            check.reject("order.document_ids", Problem::new("too_many").with("max", MAX_DOCUMENTS));
        }
        check.finish()?;
        let purchase_amount = currency.format(amount.unwrap_or_default());
        Ok(Self { country, service, purpose, proposed_names, purchase_amount, currency })
    }

    /// The `data` of the request.
    ///
    /// # Errors
    /// None: every order request serializes.
    pub(super) fn data(&self) -> Result<Map<String, Value>> {
        Ok(Map::from_iter([("order".to_owned(), serde_json::to_value(self).map_err(Error::internal)?)]))
    }
}

impl Request {
    /// The requested order, if the request is for one.
    pub fn order(&self) -> Option<OrderRequest> {
        self.data.get("order").and_then(|order| serde_json::from_value(order.clone()).ok())
    }
}
