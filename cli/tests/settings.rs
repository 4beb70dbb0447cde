//! `spvctl settings` and `spvctl config`: values in force, and refusals in words.

use crate::support::{TestPortal, spvctl, test_portals};

#[tokio::test]
async fn unset_settings_are_shown_with_the_default_in_force() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let shown = portal.run(&["settings", "show"]).out;
        for (name, value) in [
            ("billing.due_days", "14 (default)"),
            ("brand_name", "SPV Portal (default)"),
            ("require_mfa.super_admin", "true (default)"),
            ("security.staff_session_idle_hours", "12 (default)"),
            ("security.password_min_length", "8 (default)"),
        ] {
            let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {shown}"));
            assert!(line.ends_with(value), "{line}");
        }
        assert!(!shown.lines().any(|line| line.starts_with("version")), "{shown}");
        let set = portal.run(&["settings", "set", "billing.due_days", "30"]);
        assert_eq!(set.out.lines().count(), 2, "{}", set.out);
        assert!(set.out.contains("30") && !set.out.contains("default"), "{}", set.out);
        let rows = portal.json(&["settings", "show"]);
        let row = |name: &str| rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
        assert_eq!(row("billing.due_days")["value"], 30);
        assert_eq!(
            (row("brand_name")["value"].is_null(), row("brand_name")["default"].as_str()),
            (true, Some("SPV Portal"))
        );
        let unset = portal.run(&["settings", "set", "billing.due_days"]);
        assert!(unset.out.contains("14 (default)") && unset.err.contains("is unset"), "{}{}", unset.out, unset.err);
    }
}

#[tokio::test]
async fn refused_settings_say_what_was_given_and_what_is_accepted() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    for (name, value, words) in [
        ("default_currency", "XXY", "default_currency: `XXY` is not accepted; it must be a currency code, such as USD"),
        ("currencies", "USD,XXY", "it must be currency codes separated by commas"),
        ("billing.due_days", "soon", "billing.due_days: `soon` is not accepted; it must be a whole number"),
        ("require_mfa.client", "maybe", "require_mfa.client: `maybe` is not accepted; it must be true or false"),
        ("billing.tax_rounding", "never", "billing.tax_rounding: `never` is not accepted; it must be line or total"),
        ("pages", "x", "pages: `x` is not accepted; set its parts: pages.careers, pages.pricing, pages.privacy"),
        ("billing.due_days", "9999", "billing.due_days: `9999` is not accepted. "),
        ("default_time_zone", "Mars/Olympus", "default_time_zone: `Mars/Olympus` is not accepted. "),
    ] {
        let done = portal.run(&["settings", "set", name, value]);
        assert_eq!(done.code, 2, "{name}: {}", done.err);
        assert!(done.err.contains(words), "{name}: {}", done.err);
        for jargon in ["expected", "invalid type", "variant", "u64", "--default"] {
            assert!(!done.err.contains(jargon), "{name}: {}", done.err);
        }
    }
}

#[test]
fn refused_roles_are_answered_with_the_roles() {
    let done = spvctl(&["config"]).env("SPV_AUTH_REQUIRE_MFA", "admin").output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("client, iso, employee, company_admin, super_admin, or none"), "{said}");
}
