//! What lower folders know of an order: its status, display identifier and progress. Its state machine is in
//! `orders/spvs/model.rs`.
use crate::kernel::{
    error::{Error, Problem, Result},
    ids::SpvId,
};

crate::kernel::text_enum! {
    no FromStr;
    /// The status of an order (order status table, decision 3).
    #[schema(as = SpvStatus)]
    pub enum OrderStatus {
        Pending = "pending",
        Active = "active",
        Processing = "processing",
        OnHold = "on_hold",
        Closed = "closed",
        Cancelled = "cancelled",
    }
}

impl OrderStatus {
    /// Neither on hold, closed nor cancelled.
    pub fn is_worked_on(self) -> bool {
        matches!(self, Self::Pending | Self::Active | Self::Processing)
    }

    /// Neither closed nor cancelled.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Closed | Self::Cancelled)
    }
}

/// `completed` is read as an alias of closed (order status table, decision 3).
impl std::str::FromStr for OrderStatus {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::from_name(if text == "completed" { "closed" } else { text })
    }
}

/// The custom identifier of an order, else `SPV-` and its order number (identifiers, decision 7).
pub fn display_identifier(id: SpvId, custom: Option<&str>) -> String {
    custom.map_or_else(|| ["SPV-", &order_number(id)].concat(), str::to_owned)
}

/// The first eight characters of the id (identifiers, decision 7).
pub fn order_number(id: SpvId) -> String {
    id.0.hyphenated().encode_lower(&mut [0; 36])[..8].to_owned()
}

/// Completed of all steps as a whole percent; 0 without steps.
pub fn percent(completed: i64, total: i64) -> i64 {
    if total <= 0 { 0 } else { (200 * completed + total) / (2 * total) }
}

impl Error {
    /// Conflict `wrong_status`: the order's status does not allow the action.
    pub(crate) fn wrong_status(status: OrderStatus) -> Self {
        Self::Conflict(Problem::new("wrong_status").with("status", status.name()).with("context", status.name()))
    }
}
