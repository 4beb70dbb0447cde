//! Names in arguments: unique beginnings, and what was probably meant.

use crate::support::{TestPortal, test_portals};

#[tokio::test]
async fn unique_beginnings_of_names_and_ids_are_enough() {
    for portal in test_portals().await {
        let made = portal.client("maya@example.com");
        let (id, spv) = (made["id"].as_str().unwrap(), made["spv_id"].as_str().unwrap());
        for name in ["maya@example.com", "maya", "MAYA@", &id[..8], &id[..4]] {
            assert_eq!(portal.json(&["client", "show", name])["id"], id, "{name}");
        }
        assert_eq!(portal.json(&["spv", "show", &spv[..6]])["id"], spv);
        assert_eq!(portal.json(&["company", "show", "harbor"])["name"], "Harbor Capital");
        assert_eq!(portal.json(&["spv", "list", "--company", "harb"]).as_array().unwrap().len(), 1);
        let mail = portal.json(&["mail", "list"])[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(portal.json(&["mail", "show", &mail[..8]])["id"], mail.as_str());
        portal.json(&["company", "create", "--name", "Harbor Ventures", "--business-name", "Harbor Ventures LLC"]);
        let several = portal.run(&["company", "show", "harbor"]);
        assert_eq!(several.code, 1);
        let said = "several of the companies begin with `harbor`: Harbor Capital, Harbor Ventures";
        assert!(several.err.contains(said), "{}", several.err);
        let short = portal.run(&["company", "show", "ha"]);
        assert!(short.code == 1 && short.err.contains("there is no company `ha`"), "{}", short.err);
        assert!(
            portal.run(&["client", "show", "maya"]).err.contains("maya is the client Maya Ortiz <maya@example.com>")
        );
        // The whole name of one is that one, though another begins with it.
        portal.json(&["company", "create", "--name", "Harbor", "--business-name", "Harbor LLC"]);
        assert_eq!(portal.json(&["company", "show", "Harbor"])["name"], "Harbor");
    }
}

#[tokio::test]
async fn people_are_found_by_name_and_jobs_by_prefix() {
    for portal in test_portals().await {
        let maya = portal.client("m.o@example.com");
        for name in ["Maya Ortiz", "maya ortiz", "Maya", "ortiz"] {
            assert_eq!(portal.json(&["client", "show", name])["id"], maya["id"], "{name}");
            assert_eq!(portal.json(&["user", "show", name])["email"], "m.o@example.com", "{name}");
        }
        for (first, email) in [("Ingrid", "i.s@example.com"), ("Ingrida", "j.s@example.com")] {
            let names = ["--first-name", first, "--last-name", "Solberg", "--email", email];
            portal.json(&[&["iso", "create", "--company", "Harbor Capital"], &names[..]].concat());
        }
        // A whole name is that person, though another's begins with it.
        assert_eq!(portal.json(&["iso", "show", "Ingrid Solberg"])["email"], "i.s@example.com");
        let several = portal.run(&["iso", "show", "Solberg"]);
        assert_eq!(several.code, 1);
        for words in ["several of the ISO partners are called `Solberg`", "Ingrid Solberg <i.s@example.com>", "j.s@"] {
            assert!(several.err.contains(words), "{}", several.err);
        }
        let job = portal.json(&["job", "list"])[0]["id"].as_str().unwrap().to_owned();
        for prefix in [&job[..], &job[..job.len() - 1], &job.to_lowercase()] {
            assert_eq!(portal.json(&["job", "show", prefix])["id"], job.as_str(), "{prefix}");
        }
        let none = portal.run(&["job", "show", "zzzz"]);
        assert!(none.err.contains("there is no job `zzzz`; `spvctl job list` shows all"), "{}", none.err);
        let several = portal.run(&["job", "show", &job[..2]]);
        assert!(several.err.contains("several of the jobs begin with"), "{}", several.err);
    }
}

#[tokio::test]
async fn unknown_names_are_answered_with_the_nearest() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let cases: [(&[&str], &str); 8] = [
            (
                &["spv", "list", "--company", "Habor Capitol"],
                "--company: there is no company `Habor Capitol`; did you mean `Harbor Capital`?",
            ),
            (
                &["client", "show", "mya@example.com"],
                "there is no client `mya@example.com`; did you mean `maya@example.com`?",
            ),
            (
                &["message", "notes", "mya@example.com"],
                "error: there is no client `mya@example.com`; did you mean `maya@example.com`?",
            ),
            (&["user", "show", "zzz"], "there is no account `zzz`; `spvctl user list` shows all"),
            (&["spv", "show", "NOPE"], "there is no order `NOPE`; `spvctl spv list` shows all"),
            (&["settings", "set", "brand_nam", "x"], "did you mean brand_name?"),
            (&["job", "run", "portal.cleanup"], "did you mean `portal.clean_up`?"),
            (&["spv", "list", "--status", "pendng"], "did you mean pending?"),
        ];
        for (args, words) in cases {
            let done = portal.run(args);
            assert!(done.code > 0 && done.err.contains(words), "{args:?}: {}", done.err);
        }
    }
}

#[tokio::test]
async fn settings_get_prints_the_value_alone() {
    let portal = TestPortal::sqlite().await;
    portal.run(&["settings", "set", "brand_name", "Northern Formations"]);
    assert_eq!(portal.run(&["settings", "get", "brand_name"]).out, "Northern Formations\n");
    assert_eq!(portal.json(&["settings", "get", "brand_name"])["value"], "Northern Formations");
    assert!(portal.run(&["settings", "get", "retention"]).out.contains("retention.activity_days"));
    let wrong = portal.run(&["settings", "get", "brand_nam"]);
    assert_eq!((wrong.code, wrong.err.contains("did you mean brand_name?")), (2, true), "{}", wrong.err);
}

#[tokio::test]
async fn update_verbs_keep_what_is_not_given() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let updated = portal.json(&["client", "update", "maya@example.com", "--phone", "+1 555 0100"]);
        assert_eq!((updated["phone"].as_str(), updated["name"].as_str()), (Some("+1 555 0100"), Some("Maya Ortiz")));
        let renamed = portal.json(&["user", "update", "maya@example.com", "--last-name", "Vega"]);
        assert_eq!(renamed["name"], "Maya Vega");
        assert_eq!(portal.json(&["spv", "list"])[0]["client"], "Maya Vega");
        let wrong = portal.run(&["user", "update", "maya@example.com", "--first-name", " "]);
        assert_eq!((wrong.code, wrong.err.contains("--first-name:")), (2, true), "{}", wrong.err);
        let moved = ["user", "update", "maya@example.com", "--email", "maya.vega@example.com"];
        let refused = portal.run(&moved);
        assert_eq!((refused.code, refused.err.contains("--yes")), (2, true), "{}", refused.err);
        let answered = portal.run(&[&moved[..], &["--yes"]].concat());
        assert!(answered.err.contains("spvctl user invite maya.vega@example.com"), "{}", answered.err);
        assert_eq!(portal.json(&["client", "show", "maya.vega@example.com"])["name"], "Maya Vega");
        portal.client("nils@example.com");
        let taken = portal.run(&["user", "update", "nils@example.com", "--email", "Maya.Vega@example.com", "--yes"]);
        assert_eq!(taken.code, 1, "{}", taken.err);
        let malformed = portal.run(&["user", "update", "nils@example.com", "--email", "nils", "--yes"]);
        assert_eq!((malformed.code, malformed.err.contains("--email:")), (2, true), "{}", malformed.err);
        let unknown = portal.run(&["client", "update", "maya.vega@example.com", "--company", "Nowhere"]);
        assert_eq!(unknown.code, 1, "{}", unknown.err);
    }
}

#[tokio::test]
async fn leads_tasks_messages_alerts_and_schedules_are_listed() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let iso = [
            "--first-name",
            "Ines",
            "--last-name",
            "Vega",
            "--email",
            "ines@example.com",
            "--company",
            "Harbor Capital",
        ];
        portal.json(&[&["iso", "create"], &iso[..]].concat());
        let lead = ["--first-name", "Noor", "--last-name", "Haddad", "--email", "noor@example.com"];
        portal.json(&[&["lead", "create", "--iso", "ines@example.com"], &lead[..]].concat());
        assert_eq!(portal.json(&["lead", "list"])[0]["email"], "noor@example.com");
        let missing = portal.run(&["lead", "create", "--iso", "ines@example.com"]);
        assert_eq!((missing.code, missing.err.contains("--first-name")), (2, true), "{}", missing.err);
        let eli = ["--first-name", "Eli", "--last-name", "Stone", "--email", "eli@example.com"];
        portal.json(&[&["user", "create", "--role", "employee"], &eli[..]].concat());
        for args in [&["task", "list", "eli"][..], &["message", "list"], &["alert", "list"]] {
            assert!(portal.json(args).is_array(), "{args:?}");
        }
        assert_eq!(portal.run(&["task", "list", "nobody"]).code, 1);
        let jobs = portal.json(&["schedule", "list"]);
        let backup = jobs.as_array().unwrap().iter().find(|row| row["job"] == "portal.nightly_backup").unwrap();
        assert_eq!((backup["cron"].as_str(), backup["next_at"].is_string()), (Some("0 10 2 * * *"), true));
    }
}
