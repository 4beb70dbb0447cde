//! Onboarding: new clients with their first order, converted leads, and every later order (decisions 1, 19 and 20).
mod client;
mod lead;
mod order;

pub use crate::orders::spvs::NewOrder;
pub use client::{ClientInput, CreatedClient, Setup, create_client};
pub use lead::{ConversionTerms, convert_lead};
pub(crate) use order::{Inactive, Parties, check_parties, insert_with_identifier, map_duplicate, validate_order};
pub use order::{OrderInput, create_order, insert_order};
