//! The name that was probably meant by a mistyped one.
pub use domain::kernel::nearest::nearest;
