//! SPV orders: onboarding, corrections, steps and their templates, documents, document requests, invoices and commissions.

pub mod commissions;
pub mod corrections;
pub mod document_requests;
pub mod documents;
pub mod invoices;
pub mod onboarding;
pub mod services;
pub mod spvs;
pub mod steps;
pub mod templates;
