//! Building blocks of every noun: ids, money, pagination, date ranges, validation, i18n, errors, database, search index,
//! object storage, antivirus, secrets, the access policy and the context of use cases.

pub mod access;
pub mod antivirus;
pub mod backup_copies;
pub mod backup_retention;
pub mod bank_account;
pub mod clock;
pub mod csv;
pub mod ctx;
mod currency;
pub mod date_range;
pub mod db;
pub mod email;
pub mod error;
pub mod geo;
pub mod health_check;
pub mod hex;
pub mod i18n;
pub mod idempotency;
pub mod ids;
pub(crate) mod local_date;
pub mod locale;
pub mod logo;
pub mod money;
pub mod nearest;
pub mod network;
pub mod order;
pub mod page;
pub mod phone;
pub mod schema;
pub mod search;
pub(crate) mod secret;
pub mod storage;
pub mod text;
pub(crate) mod text_enum;
pub mod validate;

pub(crate) use text_enum::text_enum;
