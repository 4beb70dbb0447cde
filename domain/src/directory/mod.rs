//! The people and companies that the office works with: clients, companies, ISO partners, leads, calls and notes.

pub mod calls;
pub mod clients;
pub mod companies;
pub mod iso_notes;
pub mod isos;
pub mod leads;
