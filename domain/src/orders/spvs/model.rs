//! An order and its state machine (decisions 3, 7, 9 and 14).
use crate::{
    kernel::{
        db::timestamps,
        error::{Error, Result},
        geo::Country,
        ids::{CompanyId, IsoId, SpvId, UserId},
        money::{self, Currency},
        order::{OrderStatus as Status, display_identifier, order_number, percent},
    },
    platform::rollups::Dimensions,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

/// The length of an identifier and of a client's own reference, in characters.
pub(crate) const MAX_IDENTIFIER_LENGTH: usize = 64;

/// What happens to an order. Permissions: `access.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Start,
    FirstStepMoved,
    LastStepCompleted,
    Hold,
    Resume,
    Cancel,
    Reopen,
}

impl Event {
    pub const ALL: [Self; 7] = [
        Self::Start,
        Self::FirstStepMoved,
        Self::LastStepCompleted,
        Self::Hold,
        Self::Resume,
        Self::Cancel,
        Self::Reopen,
    ];
}

/// The fields of an order that its state machine moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub status: Status,
    /// What an order on hold goes back to.
    pub held_from: Option<Status>,
    /// What a cancelled order goes back to.
    pub cancelled_from: Option<Status>,
    pub has_steps: bool,
}

impl State {
    /// The one transition table of decision 3; anything else is refused.
    ///
    /// # Errors
    /// Conflict `wrong_status` naming the status; `no_steps` when an order without steps is started.
    pub fn after(self, event: Event) -> Result<Self> {
        self.next(event).ok_or_else(|| match (self.status, event) {
            (Status::Pending, Event::Start) => Error::conflict("no_steps"),
            _ => Error::wrong_status(self.status),
        })
    }

    /// [`Self::after`] without the reason for a refusal.
    pub fn next(self, event: Event) -> Option<Self> {
        use Event as E;
        use Status as S;
        let to = |status| Some(Self { status, ..self });
        match (self.status, event) {
            (S::Pending, E::Start) if self.has_steps => to(S::Processing),
            (S::Active, E::FirstStepMoved) => to(S::Processing),
            (S::Pending | S::Processing, E::FirstStepMoved) => Some(self),
            (S::Pending | S::Active | S::Processing, E::LastStepCompleted) if self.has_steps => to(S::Closed),
            (S::Pending | S::Active | S::Processing, E::Hold) => {
                Some(Self { status: S::OnHold, held_from: Some(self.status), ..self })
            }
            (S::OnHold, E::Resume) => {
                Some(Self { status: self.held_from.unwrap_or(S::Processing), held_from: None, ..self })
            }
            (S::Pending | S::Active | S::Processing | S::OnHold, E::Cancel) => {
                Some(Self { status: S::Cancelled, cancelled_from: Some(self.status), ..self })
            }
            (S::Closed, E::Reopen) => to(S::Processing),
            (S::Cancelled, E::Reopen) => {
                Some(Self { status: self.cancelled_from.unwrap_or(S::Pending), cancelled_from: None, ..self })
            }
            _ => None,
        }
    }
}

crate::kernel::db::row! {
    /// What the creation of an order sets.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub struct NewOrder {
        pub client_id: UserId,
        pub company_id: CompanyId,
        pub iso_id: Option<IsoId>,
        pub custom_identifier: Option<String>,
        pub vehicle_name: Option<String>,
        pub reference: Option<String>,
        pub country: Country,
        pub currency: Currency,
        pub price_minor: Option<i64>,
        /// The fee of the authority, which the office passes on.
        pub filing_fee_minor: Option<i64>,
        pub commission_minor: Option<i64>,
        pub purchase_amount_minor: Option<i64>,
        /// Ten-thousandths of a percent.
        pub iso_commission_percentage: Option<i64>,
        pub status: Status,
        pub ordered_date: NaiveDate,
        /// Issues an invoice over the price; off for load data, and where the invoice is issued later.
        #[sqlx(skip)]
        pub invoiced: bool = _,
        /// Its company, client and ISO may be archived or suspended: an order of an imported office.
        #[sqlx(skip)]
        pub historic: bool = _,
    }
}

impl NewOrder {
    /// A pending order in the US with nothing but what each must have; an invoice is issued once it has a price.
    pub fn new(client_id: UserId, company_id: CompanyId, currency: Currency, ordered_date: NaiveDate) -> Self {
        Self {
            client_id,
            company_id,
            iso_id: None,
            custom_identifier: None,
            vehicle_name: None,
            reference: None,
            country: Country::default(),
            currency,
            price_minor: None,
            filing_fee_minor: None,
            commission_minor: None,
            purchase_amount_minor: None,
            iso_commission_percentage: None,
            status: Status::Pending,
            ordered_date,
            invoiced: true,
            historic: false,
        }
    }

    /// Where its money is counted.
    pub(crate) fn dimensions(&self) -> Dimensions {
        Dimensions { company: self.company_id, iso: self.iso_id, country: self.country, currency: self.currency }
    }

    /// Our fee and the filing fee; None without a price.
    pub(crate) fn billable_minor(&self) -> Option<i64> {
        Some(self.price_minor? + self.filing_fee_minor.unwrap_or(0))
    }

    /// As [`agreed_commission_minor`].
    pub(crate) fn agreed_commission_minor(&self) -> Option<i64> {
        let amount = self.purchase_amount_minor.or(self.price_minor);
        agreed_commission_minor(self.commission_minor, amount, self.iso_commission_percentage)
    }

    /// The words by which the search finds it, beside those of its client.
    pub(crate) fn search_words(&self, id: SpvId) -> String {
        search_words(id, self.custom_identifier.as_deref(), [&self.vehicle_name, &self.reference])
    }
}

/// What the ISO earns: the fixed commission, else the percentage of the amount (decision 15).
fn agreed_commission_minor(fixed: Option<i64>, amount: Option<i64>, percentage: Option<i64>) -> Option<i64> {
    fixed.or_else(|| Some(money::share(amount?, percentage?)))
}

fn search_words(id: SpvId, custom_identifier: Option<&str>, texts: [&Option<String>; 2]) -> String {
    let (identifier, number) = (display_identifier(id, custom_identifier), order_number(id));
    let texts = texts.into_iter().filter_map(Option::as_deref);
    [&*identifier, &*number].into_iter().chain(texts).collect::<Vec<_>>().join(" ")
}

crate::kernel::db::row! {
    /// An order as lists and the order page show it, with the names around it.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Spv of s {
        pub id: SpvId,
        pub client_id: UserId,
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        pub client_email: String = "c.email",
        pub client_status: crate::accounts::users::Status = "c.status",
        pub company_id: CompanyId,
        pub company_name: String = "k.name",
        pub iso_id: Option<IsoId>,
        pub iso_first_name: Option<String> = "i.first_name",
        pub iso_last_name: Option<String> = "i.last_name",
        pub custom_identifier: Option<String>,
        /// The name of the company that the order forms.
        pub vehicle_name: Option<String>,
        /// The client's own reference, on invoices.
        pub reference: Option<String>,
        pub country: Country,
        pub currency: Currency,
        /// Our fee.
        pub price_minor: Option<i64>,
        /// The fee of the authority, which the office passes on; never without a price.
        pub filing_fee_minor: Option<i64>,
        /// A fixed commission; never beside a percentage (decision 15).
        pub commission_minor: Option<i64>,
        /// What the vehicle is to buy.
        pub purchase_amount_minor: Option<i64>,
        /// Ten-thousandths of a percent.
        pub iso_commission_percentage: Option<i64>,
        /// What the ISO earns, fixed when the order was made.
        pub iso_commission_minor: Option<i64>,
        pub status: Status,
        pub held_from: Option<Status>,
        pub cancelled_from: Option<Status>,
        pub status_reason: Option<String>,
        pub ordered_date: NaiveDate,
        #[serde(deserialize_with = "timestamps::deserialize_option")]
        pub closed_at: Option<DateTime<Utc>>,
        pub steps_total: i64,
        pub steps_completed: i64,
        pub steps_pending: i64,
        /// The first step that is not completed.
        pub current_step: Option<String>,
        #[serde(deserialize_with = "timestamps::deserialize")]
        pub created_at: DateTime<Utc>,
        #[serde(deserialize_with = "timestamps::deserialize")]
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

impl Spv {
    /// The custom identifier, else `SPV-` and the order number (decision 7).
    pub fn identifier(&self) -> String {
        display_identifier(self.id, self.custom_identifier.as_deref())
    }

    /// As [`NewOrder::search_words`].
    pub(crate) fn search_words(&self) -> String {
        search_words(self.id, self.custom_identifier.as_deref(), [&self.vehicle_name, &self.reference])
    }

    /// The first eight characters of the id.
    pub fn order_number(&self) -> String {
        order_number(self.id)
    }

    pub fn client_name(&self) -> String {
        [&self.client_first_name, " ", &self.client_last_name].concat()
    }

    pub fn iso_name(&self) -> Option<String> {
        Some([self.iso_first_name.as_ref()?, " ", self.iso_last_name.as_ref()?].concat())
    }

    /// What lists and the company's revenue show: the purchase amount, else the price (decision 14).
    pub fn amount_minor(&self) -> Option<i64> {
        self.purchase_amount_minor.or(self.price_minor)
    }

    /// What its invoices bill: our fee and the filing fee; None without a price.
    pub fn billable_minor(&self) -> Option<i64> {
        Some(self.price_minor? + self.filing_fee_minor.unwrap_or(0))
    }

    /// As [`agreed_commission_minor`].
    pub(crate) fn agreed_commission_minor(&self) -> Option<i64> {
        agreed_commission_minor(self.commission_minor, self.amount_minor(), self.iso_commission_percentage)
    }

    /// [`Self::amount_minor`] as sums take it: nothing once it is cancelled.
    pub(crate) fn counted_minor(&self) -> Option<i64> {
        if self.status == Status::Cancelled { Some(0) } else { self.amount_minor() }
    }

    /// Where its money is counted.
    pub(crate) fn dimensions(&self) -> Dimensions {
        Dimensions { company: self.company_id, iso: self.iso_id, country: self.country, currency: self.currency }
    }

    /// Completed of all steps as a whole percent; 0 without steps.
    pub fn percent(&self) -> i64 {
        percent(self.steps_completed, self.steps_total)
    }

    pub fn state(&self) -> State {
        State {
            status: self.status,
            held_from: self.held_from,
            cancelled_from: self.cancelled_from,
            has_steps: self.steps_total > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(status: Status) -> State {
        State {
            status,
            held_from: (status == Status::OnHold).then_some(Status::Active),
            cancelled_from: (status == Status::Cancelled).then_some(Status::OnHold),
            has_steps: true,
        }
    }

    /// Decision 3's table, written out: every status with every event.
    #[test]
    fn the_transition_table_is_the_printed_one() {
        let mut table = String::new();
        for status in Status::ALL {
            for event in Event::ALL {
                let result = match state(status).after(event) {
                    Ok(next) => next.status.name(),
                    Err(_) => "-",
                };
                table.push_str(&format!("{} {event:?}: {result}\n", status.name()));
            }
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn an_order_without_steps_neither_starts_nor_closes() {
        let empty = State { has_steps: false, ..state(Status::Pending) };
        assert!(matches!(empty.after(Event::Start), Err(Error::Conflict(p)) if p.code == "no_steps"));
        assert!(empty.after(Event::LastStepCompleted).is_err());
    }

    #[test]
    fn a_hold_remembers_where_it_came_from_even_through_a_cancellation() {
        for from in [Status::Pending, Status::Active, Status::Processing] {
            let held = state(from).after(Event::Hold).unwrap();
            assert_eq!(held.after(Event::Resume).unwrap().status, from);
            let back = held.after(Event::Cancel).unwrap().after(Event::Reopen).unwrap();
            assert_eq!(back, held, "a cancelled order goes back on hold");
            assert_eq!(back.after(Event::Resume).unwrap().status, from);
        }
    }

    #[test]
    fn completed_reads_as_closed_and_uae_as_ae() {
        assert_eq!("completed".parse::<Status>(), Ok(Status::Closed));
        assert_eq!("UAE".parse::<Country>(), Ok(Country::Ae));
        assert!("FR".parse::<Country>().is_err());
    }
}
