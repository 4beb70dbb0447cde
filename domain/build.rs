//! The migrations are compiled in: a new file must compile this crate again.
fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
