//! SPV orders and what hangs on one: steps, step templates, documents, document requests, invoices, commissions.

pub mod commissions;
pub mod document_requests;
pub mod documents;
pub mod invoices;
pub mod spvs;
pub mod steps;
pub mod templates;
