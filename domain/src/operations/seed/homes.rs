//! Where the clients of the demo office live: each in the country of the first order.
use crate::{
    accounts::users::{self, Profile},
    kernel::{db::Tx, error::Result, ids::UserId},
    orders::spvs::Country,
};

/// City, state, postal code, a street but for its number, and how telephone numbers begin.
fn place(country: Country) -> [&'static str; 5] {
    match country {
        Country::Us => ["New York", "US-NY", "10013", "Hudson Street", "+1 555"],
        Country::Ae => ["Dubai", "AE-DU", "", "Al Maktoum Road", "+971 4 555"],
        Country::Jp => ["Tokyo", "JP-13", "150-0002", "Aoyama-dori", "+81 3 5550"],
        Country::Sg => ["Singapore", "", "068877", "Robinson Road", "+65 6555"],
        Country::Th => ["Bangkok", "TH-10", "10330", "Phloen Chit Road", "+66 2 555"],
    }
}

/// `number` has up to four digits, and is one person's.
pub(super) fn phone(country: Country, number: usize) -> String {
    let [.., begin] = place(country);
    format!("{begin} {number:04}")
}

/// Lets a client live in a country.
pub(super) async fn settle(tx: &mut Tx, client: UserId, country: Country, number: usize) -> Result<()> {
    let [city, state, zip_code, street, _] = place(country);
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let profile = Profile {
        street_address: some(&format!("{number} {street}")),
        city: some(city),
        state: some(state),
        zip_code: some(zip_code),
        country: some(country.code()),
        ..users::profile_of(tx, client).await?
    };
    users::set_profile(tx, client, &profile).await
}
