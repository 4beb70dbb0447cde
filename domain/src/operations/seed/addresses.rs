//! Sample addresses and telephone numbers of the demo clients, in the country of their first order.
use crate::{
    accounts::users::{self, Profile},
    kernel::{db::Tx, error::Result, ids::UserId},
    orders::spvs::Country,
};

/// City, state, postal code, street without its number, and the beginning of telephone numbers.
fn sample_address(country: Country) -> [&'static str; 5] {
    match country {
        Country::Us => ["New York", "US-NY", "10013", "Hudson Street", "+1 555"],
        Country::Ae => ["Dubai", "AE-DU", "", "Al Maktoum Road", "+971 4 555"],
        Country::Jp => ["Tokyo", "JP-13", "150-0002", "Aoyama-dori", "+81 3 5550"],
        Country::Sg => ["Singapore", "", "068877", "Robinson Road", "+65 6555"],
        Country::Th => ["Bangkok", "TH-10", "10330", "Phloen Chit Road", "+66 2 555"],
    }
}

/// A telephone number. `number` has up to four digits and belongs to one person.
pub(super) fn phone(country: Country, number: usize) -> String {
    let [.., begin] = sample_address(country);
    format!("{begin} {number:04}")
}

/// Stores an address in this country in the profile of a client.
pub(super) async fn set_address(tx: &mut Tx, client: UserId, country: Country, number: usize) -> Result<()> {
    let [city, state, zip_code, street, _] = sample_address(country);
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
