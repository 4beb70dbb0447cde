//! Countries and states of ISO 3166 for postal addresses, and the countries in which vehicles are formed ([`Country`]).
use crate::kernel::{error::Problem, text::unique_key};

/// A state, province, region: whatever a country is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// ISO 3166-2: `US-CA`.
    pub code: &'static str,
    pub name: &'static str,
}

/// Every country's alpha-2 code.
pub fn countries() -> &'static [&'static str] {
    rust_iso3166::ALL_ALPHA2
}

/// The states of a country by name; none for one that has none, or that does not exist.
pub fn states(country: &str) -> Vec<State> {
    let found = rust_iso3166::from_alpha2(country).and_then(|country| {
        country.subdivisions().map(|all| all.iter().map(|one| State { code: one.code, name: one.name }).collect())
    });
    let mut states: Vec<State> = found.unwrap_or_default();
    states.sort_by_key(|state| state.name.to_lowercase());
    states
}

/// A country's name as written in an address; an unknown code itself.
pub(crate) fn country_name(code: &str) -> &str {
    rust_iso3166::from_alpha2(code).map_or(code, |country| country.name)
}

/// A state as it is written in an address.
pub(crate) fn state_name(code: &str) -> &str {
    rust_iso3166::iso3166_2::from_code(code).map_or(code, |state| state.name)
}

/// # Errors
/// `unknown_place` for a code that no country has.
pub(crate) fn country(text: &str) -> Result<String, Problem> {
    let known = rust_iso3166::from_alpha2(text).map(|country| country.alpha2.to_owned());
    known.ok_or_else(|| Problem::new("unknown_place"))
}

/// # Errors
/// `unknown_place` for a code that is none of the country's.
pub(crate) fn state(country: &str, text: &str) -> Result<String, Problem> {
    let known = rust_iso3166::iso3166_2::from_code(text).filter(|state| state.country_code == country);
    known.map(|state| state.code.to_owned()).ok_or_else(|| Problem::new("unknown_place"))
}

crate::kernel::text_enum! {
    no FromStr;
    /// A country in which vehicles are formed, as ISO 3166 alpha-2 (countries of formation, decision 11).
    #[derive(Default, PartialOrd, Ord)]
    pub enum Country {
        #[default]
        Us = "US",
        Ae = "AE",
        Jp = "JP",
        Sg = "SG",
        Th = "TH",
    }
}

impl Country {
    pub fn code(self) -> &'static str {
        self.name()
    }
}

/// Also reads the names that the specification shows, `UAE` among them.
impl std::str::FromStr for Country {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Ok(match unique_key(text).as_str() {
            "us" | "usa" | "united states" => Self::Us,
            "ae" | "uae" | "united arab emirates" => Self::Ae,
            "jp" | "japan" => Self::Jp,
            "sg" | "singapore" => Self::Sg,
            "th" | "thailand" => Self::Th,
            _ => return Err(Problem::new("unknown").with("allowed", "US, UAE, JP, SG, TH")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_countries_and_states_are_there() {
        for code in ["US", "CA", "GB", "AE", "JP", "SG", "TH"] {
            assert_eq!(country(code), Ok(code.to_owned()));
        }
        let states = states("US");
        assert!(states.len() >= 51);
        for name in ["California", "New York", "Texas"] {
            let found = states.iter().find(|state| state.name == name).expect(name);
            assert_eq!(state("US", found.code), Ok(found.code.to_owned()));
        }
        assert!(!super::states("CA").is_empty() && !super::states("GB").is_empty());
        assert!(super::states("Nowhere").is_empty());
        assert_eq!((state_name("US-NY"), country_name("JP"), country_name("XX")), ("New York", "Japan", "XX"));
        assert!(country("UK").is_err() && state("CA", "US-CA").is_err());
    }
}
