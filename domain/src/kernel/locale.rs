//! Date formats and time zones, as people choose them.

/// The default time zone of accounts and of the office.
pub(crate) const TIME_ZONE: &str = "America/New_York";

crate::kernel::text_enum! {
    /// The order in which a date is written.
    #[derive(Default)]
    pub enum DateFormat {
        /// The order of the language.
        #[default]
        Auto = "auto",
        /// 01/31/2026
        Mdy = "mdy",
        /// 31/01/2026
        Dmy = "dmy",
        /// 2026-01-31
        Ymd = "ymd",
    }
}

/// Whether this is the IANA name of a place, or `UTC`: `Europe/Madrid`, `America/Argentina/Salta`.
pub(crate) fn is_zone(text: &str) -> bool {
    (text == "UTC" || text.contains('/')) && text.parse::<chrono_tz::Tz>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_iana_names_of_places() {
        for good in ["UTC", "America/New_York", "America/Argentina/Salta", "Etc/GMT+5", "Asia/Dubai"] {
            assert!(is_zone(good), "{good}");
        }
        for wrong in [
            "",
            "EST",
            "+02:00",
            "Europe/",
            "/Madrid",
            "Europe/Mad rid",
            "Europe/<b>",
            "Europe/Atlantis",
            "../../etc/passwd",
        ] {
            assert!(!is_zone(wrong), "{wrong}");
        }
    }
}
