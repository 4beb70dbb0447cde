//! Flags, output, error messages and exit codes of the commands.

use crate::support::{CommandOutput, TestPortal, free_port, spvctl, test_portals, write};
use domain::kernel::{
    db::Sql,
    ids::{FactorId, UserId},
};
use serde_json::{Value, json};
use std::path::Path;

#[tokio::test]
async fn client_create_with_all_flags_does_not_prompt() {
    for portal in test_portals().await {
        let made = portal.client("maya@example.com");
        assert_eq!((made["name"].as_str(), made["status"].as_str()), (Some("Maya Ortiz"), Some("pending")));
        let shown = portal.json(&["spv", "show", made["identifier"].as_str().unwrap()]);
        assert_eq!(shown["status"], "active");
        assert_eq!(shown["steps"].as_array().unwrap().len(), 8);
        let mails = portal.json(&["mail", "list"]);
        let kinds: Vec<_> = mails.as_array().unwrap().iter().map(|mail| mail["kind"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"password_setup") && kinds.contains(&"spv_created"), "{kinds:?}");
    }
}

#[tokio::test]
async fn orders_take_price_and_filing_fee_from_the_price_list() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let amounts = ["--price", "1250.00", "--filing-fee", "90"];
        let add = |country: &str, name: &str| portal.json(&[&["service", "add", country, name][..], &amounts].concat());
        assert_eq!(add("US", "Delaware LLC")["filing_fee"], "90.00");
        let again = portal.run(&["service", "add", "US", "delaware llc", "--price", "1"]);
        assert!(again.code == 2 && again.err.contains("--name: Already in use"), "{}", again.err);
        let create = |more: &[&'static str]| {
            let order = ["spv", "create", "--client", "maya@example.com", "--purchase-amount", "50000", "--service"];
            portal.run(&[&order[..], more, &["--format", "json"]].concat())
        };
        let made = create(&["delaware llc"]);
        let made: Value = serde_json::from_str(&made.out).unwrap_or_else(|_| panic!("{}", made.err));
        assert_eq!((&made["price"], &made["filing_fee"]), (&json!("1250.00"), &json!("90.00")));
        let made = create(&["Delaware LLC", "--filing-fee", "110", "--custom-identifier", "D-2"]);
        let made: Value = serde_json::from_str(&made.out).unwrap_or_else(|_| panic!("{}", made.err));
        assert_eq!((&made["price"], &made["filing_fee"]), (&json!("1250.00"), &json!("110.00")));
        let unknown = create(&["Delaware LL"]);
        assert!(
            unknown.err.contains("there is no service `Delaware LL`; did you mean `Delaware LLC`?"),
            "{}",
            unknown.err
        );
        add("SG", "Delaware LLC");
        let several = portal.run(&["service", "update", "Delaware LLC", "--price", "1400"]);
        assert!(several.code == 1 && several.err.contains("give --country"), "{}", several.err);
        let changed = portal.json(&["service", "update", "Delaware LLC", "--country", "US", "--active", "false"]);
        assert_eq!((&changed["active"], &changed["price"]), (&json!(false), &json!("1250.00")));
        let asked = portal.run(&["service", "delete", "Delaware LLC", "--country", "SG"]);
        assert!(asked.code == 2 && asked.err.contains("Delete Delaware LLC (SG)"), "{}", asked.err);
        assert_eq!(portal.run(&["service", "delete", "Delaware LLC", "--country", "SG", "--yes"]).code, 0);
        assert_eq!(portal.json(&["service", "list"]).as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn missing_flags_are_named_without_a_terminal() {
    let portal = TestPortal::sqlite().await;
    let done = portal.run(&["client", "create", "--setup", "quick", "--first-name", "Maya", "--price", "1"]);
    assert_eq!(done.code, 2);
    assert_eq!(
        done.err,
        "error: missing --last-name, --email, --company; give it, or run the command on a terminal to be asked\n"
    );
    assert_eq!(portal.run(&["company", "create", "--name", "Harbor"]).code, 2);
    portal.client("maya@example.com");
    let order = portal.json(&["spv", "list"])[0]["id"].as_str().unwrap().to_owned();
    let hold = portal.run(&["spv", "hold", &order]);
    assert!(hold.code == 2 && hold.err.contains("--reason"), "{}", hold.err);
}

#[tokio::test]
async fn blank_flags_are_refused_by_name() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let commands: &[(&[&str], &[&str])] = &[
            (&["company", "create"], &["--name", "Beta", "--business-name", "Beta LLC"]),
            (
                &["iso", "create"],
                &[
                    "--first-name",
                    "Ines",
                    "--last-name",
                    "Vega",
                    "--email",
                    "ines@example.com",
                    "--company",
                    "Harbor Capital",
                ],
            ),
            (
                &["client", "create", "--setup", "full", "--company", "Harbor Capital", "--price", "1"],
                &["--first-name", "Ana", "--last-name", "Lima", "--email", "ana@example.com"],
            ),
            (&["spv", "create"], &["--client", "maya@example.com", "--purchase-amount", "1"]),
        ];
        for (command, flags) in commands {
            for blank in (1..flags.len()).step_by(2) {
                for nothing in ["", " \t "] {
                    let mut flags = flags.to_vec();
                    flags[blank] = nothing;
                    let done = portal.run(&[command, &flags[..]].concat());
                    let flag = flags[blank - 1];
                    assert_eq!((done.code, done.out.as_str()), (2, ""), "{command:?} {flag}: {}", done.err);
                    assert!(done.err.contains(&format!("{flag}: ")), "{command:?} {flag}: {}", done.err);
                }
            }
        }
    }
}

#[tokio::test]
async fn refusals_name_the_flag_and_set_the_exit_code() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let create = |more: &[&str]| {
            let base = [
                "client",
                "create",
                "--setup",
                "full",
                "--first-name",
                "Ana",
                "--last-name",
                "Lima",
                "--company",
                "Harbor Capital",
            ];
            let done = portal.run(&[&base[..], more].concat());
            (done.code, done.err)
        };
        let cases: &[(&[&str], i32, &str)] = &[
            (&["--email", "ana@example.com", "--price=-1"], 2, "--price:"),
            (&["--email", "ana@example.com", "--price", "1234567890123"], 2, "--price:"),
            (&["--email", "ana@example.com", "--price", "many"], 2, "--price:"),
            (&["--email", "nonsense", "--price", "1"], 2, "--email:"),
            (&["--email", "ana@example.com", "--price", "1", "--country", "Atlantis"], 2, "--country:"),
            (&["--email", "ana@example.com", "--price", "1", "--commission", "1"], 2, "--commission:"),
            (
                &["--email", "ana@example.com", "--price", "1", "--commission", "1", "--iso", "nobody@example.com"],
                1,
                "--iso: there is no ISO partner",
            ),
            (&["--email", "MAYA@Example.com", "--price", "1"], 1, "Add an order to that client instead."),
            (&["--email", "ana@example.com", "--price", "1", "--setup", "slow"], 2, ""),
        ];
        for (flags, code, words) in cases {
            let (found, said) = create(flags);
            assert_eq!(found, *code, "{flags:?}: {said}");
            assert!(said.contains(words), "{flags:?}: {said}");
            assert!(!said.contains("select ") && !said.contains("panicked"), "{said}");
        }
        assert_eq!(portal.run(&["client", "show", "nobody@example.com"]).code, 1);
        assert_eq!(portal.run(&["spv", "start", "SPV-nothing"]).code, 1);
        assert_eq!(portal.run(&["mail", "show", "not-an-id"]).code, 1);
        assert_eq!(portal.run(&["spv", "list", "--limit", "501"]).code, 2);
        assert_eq!(portal.run(&["spv", "list", "--cursor", "nonsense"]).code, 2);
    }
}

#[tokio::test]
async fn partner_is_corrected_by_flags() {
    for portal in test_portals().await {
        for company in ["Beta", "Gamma"] {
            portal.json(&["company", "create", "--name", company, "--business-name", "Beta LLC"]);
        }
        let person = ["--first-name", "Inse", "--last-name", "Vega", "--email", "ines@example.com"];
        portal.json(&[&["iso", "create", "--company", "Beta", "--phone", "+1 555 0142"][..], &person].concat());
        let target = ["iso", "update", "ines@example.com"];
        let row = portal.json(&[&target[..], &["--first-name", "Ines", "--company", "Gamma"]].concat());
        assert_eq!((row["name"].as_str(), row["company"].as_str()), (Some("Ines Vega"), Some("Gamma")));
        assert_eq!(row["phone"], "+1 555 0142", "a flag left out keeps the value");
        assert!(portal.json(&[&target[..], &["--phone", ""]].concat())["phone"].is_null());
        let refused = portal.run(&[&target[..], &["--phone", "unknown"]].concat());
        assert_eq!((refused.code, refused.err.contains("--phone")), (2, true), "{}", refused.err);
        let client = ["--first-name", "Maya", "--last-name", "Ortiz", "--email", "maya@example.com", "--price", "10"];
        let of = ["client", "create", "--setup", "quick", "--company", "Gamma", "--iso", "ines@example.com"];
        portal.json(&[&of[..], &client, &["--commission", "1", "--country", "US"]].concat());
        let refused = portal.run(&[&target[..], &["--company", "Beta"]].concat());
        assert_eq!((refused.code, refused.err.contains("clients (1) and orders (1)")), (1, true), "{}", refused.err);
    }
}

#[tokio::test]
async fn invalid_order_fields_are_refused_by_flag() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        portal.json(&["company", "create", "--name", "Beta", "--business-name", "Beta LLC"]);
        for (first, email, company) in
            [("Ines", "ines@example.com", "Harbor Capital"), ("Igor", "igor@example.com", "Beta")]
        {
            let name = ["--first-name", first, "--last-name", "Vega"];
            portal.json(&[&["iso", "create", "--email", email, "--company", company][..], &name].concat());
        }
        let create = |more: &[&str]| {
            let base = ["spv", "create", "--client", "maya@example.com", "--purchase-amount", "1"];
            portal.run(&[&base[..], more].concat())
        };
        assert_eq!(create(&["--custom-identifier", "Fund-1"]).code, 0);
        let cases: &[(&[&str], &str)] = &[
            (
                &["--iso", "ines@example.com", "--iso-commission-percentage", "101"],
                "--iso-commission-percentage: Must be at most 100 percent.",
            ),
            (
                &["--iso", "ines@example.com", "--iso-commission-percentage", "-1"],
                "--iso-commission-percentage: Must be zero or more.",
            ),
            (&["--iso-commission-percentage", "2"], "--iso-commission-percentage: Requires an ISO"),
            (&["--price=-1"], "--price: Must be zero or more."),
            (&["--price", "1234567890123"], "--price: Is too large."),
            (&["--iso", "igor@example.com"], "--iso: Does not belong to the chosen company."),
            (&["--company", "Beta"], "--client: Does not belong to the chosen company."),
            (&["--custom-identifier", "fund-1"], "--custom-identifier: Already in use."),
            (&["--custom-identifier", "Fund\u{1b}[31m\u{7}"], "--custom-identifier: Contains invalid characters"),
            (&["--country", "Atlantis"], "--country: Choose one of: "),
            (&["--currency", "XYZ"], "--currency: "),
            (&["--ordered-date", "31.12.2026"], "--ordered-date: Enter a date"),
        ];
        for (flags, words) in cases {
            let done = create(flags);
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{flags:?}: {}", done.err);
            assert!(done.err.starts_with(&format!("error: {words}")), "{flags:?}: {}", done.err);
        }
        let unknown = create(&["--company", "Red \u{1b}[31mHarbor\u{7}"]);
        assert_eq!(
            (unknown.code, unknown.err.as_str()),
            (1, "error: --company: there is no company `Red Harbor`; `spvctl company list` shows all\n")
        );
        let rung = portal.run(&["company", "create", "--name", "Bell\u{7}", "--business-name", "Bell LLC"]);
        assert_eq!((rung.code, rung.err.contains("--name: Contains invalid characters")), (2, true), "{}", rung.err);
        let malformed = portal.run(&["mail", "show", "not-an-id"]);
        assert!(malformed.err.contains("there is no email `not-an-id`"), "{}", malformed.err);
        assert_eq!(portal.json(&["spv", "list"]).as_array().unwrap().len(), 2, "nothing refused was kept");
    }
}

#[tokio::test]
async fn unreachable_database_error_hides_the_password() {
    let dir = tempfile::tempdir().unwrap();
    for url in [
        format!("postgres://spv:tell-nobody@127.0.0.1:{}/portal", free_port()),
        format!("sqlite:{}", dir.path().join("nowhere/spv.db").display()),
    ] {
        let mut command = spvctl(&["spv", "list"]);
        let done = CommandOutput::from(
            command.env("SPV_DATA_DIR", dir.path()).env("SPV_DATABASE_URL", &url).output().unwrap(),
        );
        assert_eq!(done.code, 3, "{}", done.err);
        assert!(done.err.contains("error: database_url: the database cannot be reached: "), "{}", done.err);
        assert!(!done.err.contains("pool timed out"), "{}", done.err);
        assert!(!done.err.contains("tell-nobody") && !done.err.contains("panicked"), "{}", done.err);
    }
}

#[tokio::test]
async fn missing_database_and_refused_password_come_with_a_remedy() {
    let Some(portal) = TestPortal::postgres().await else { return };
    let mut url = url::Url::parse(&portal.world.url).unwrap();
    let run = |url: &str| -> CommandOutput {
        portal.command(&["spv", "list"]).env("SPV_DATABASE_URL", url).output().unwrap().into()
    };
    url.set_path("/no_such_portal");
    let missing = run(url.as_str());
    assert_eq!(missing.code, 3, "{}", missing.err);
    assert!(
        missing.err.contains("\"no_such_portal\" does not exist") && missing.err.contains("createdb"),
        "{}",
        missing.err
    );
    url.set_username("nobody_at_all").unwrap();
    let unknown = run(url.as_str());
    assert_eq!(unknown.code, 3, "{}", unknown.err);
    assert!(!unknown.err.contains("on our side"), "{}", unknown.err);
}

#[cfg(unix)]
#[test]
fn files_of_another_user_are_refused_by_path() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let migrated = spvctl(&["migrate"]).env("SPV_DATA_DIR", dir.path()).output().unwrap();
    assert!(migrated.status.success());
    // The program is copied, as the folder it was built in may be another user's.
    let program = tempfile::tempdir().unwrap();
    let spvctl = program.path().join("spvctl");
    std::fs::copy(env!("CARGO_BIN_EXE_spvctl"), &spvctl).unwrap();
    mode(program.path(), 0o755);
    let run = || -> CommandOutput {
        let mut command = std::process::Command::new(&spvctl);
        command.args(["spv", "list"]).env_clear().env("SPV_DATA_DIR", dir.path()).uid(NOBODY).gid(NOBODY);
        command.current_dir(program.path()).output().unwrap().into()
    };
    for (folder, file) in [(0o700, 0o600), (0o755, 0o666), (0o777, 0o644)] {
        mode(&dir.path().join("spv.db"), file);
        mode(dir.path(), folder);
        let refused = run();
        assert_eq!(refused.code, 3, "{folder:o} {file:o}: {}", refused.err);
        let said = format!("database_url: {}", dir.path().display());
        assert!(refused.err.contains(&said) && refused.err.contains("by user 65534"), "{folder:o}: {}", refused.err);
    }
}

#[test]
fn mistyped_settings_are_refused_with_the_nearest_name() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str], name: &str| -> CommandOutput {
        spvctl(args).current_dir(dir.path()).env(name, "127.0.0.1:9131").output().unwrap().into()
    };
    for args in [&["config"][..], &["serve"], &["client", "list"]] {
        let done = run(args, "SPV_LISTN");
        assert_eq!(done.code, 2, "{args:?}: {}", done.err);
        assert!(done.err.contains("SPV_LISTN: no such setting; did you mean SPV_LISTEN?"), "{args:?}: {}", done.err);
    }
    assert_eq!(run(&["config"], "SPV_SERVICE_HOST").code, 0);
    write(&dir.path().join("portal.toml"), "listn = \"127.0.0.1:9131\"\n");
    let file = run(&["config", "--config", "portal.toml"], "HOME");
    assert_eq!((file.code, file.err.contains("did you mean listen?")), (2, true), "{}", file.err);
}

#[tokio::test]
async fn order_lifecycle_from_creation_to_close() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let made = portal.json(&[
            "spv",
            "create",
            "--client",
            "maya@example.com",
            "--purchase-amount",
            "250000",
            "--custom-identifier",
            "SPV-2026-001",
        ]);
        assert_eq!((made["status"].as_str(), made["amount"].as_str()), (Some("pending"), Some("250000.00")));
        assert_eq!(portal.json(&["spv", "start", "SPV-2026-001"])["status"], "processing");
        assert_eq!(portal.run(&["spv", "start", "SPV-2026-001"]).code, 1, "an order is started once");
        assert_eq!(portal.json(&["spv", "hold", "SPV-2026-001", "--reason", "Bank"])["status"], "on_hold");
        assert_eq!(portal.run(&["step", "set", "SPV-2026-001", "1", "--status", "completed"]).code, 1);
        assert_eq!(portal.json(&["spv", "resume", "SPV-2026-001"])["status"], "processing");
        assert_eq!(portal.run(&["step", "set", "SPV-2026-001", "1", "--status", "blocked"]).code, 2);
        for step in 1..=8 {
            portal.json(&["step", "set", "SPV-2026-001", &step.to_string(), "--status", "completed"]);
        }
        assert_eq!(portal.json(&["spv", "show", "SPV-2026-001"])["status"], "closed");
        assert_eq!(portal.json(&["spv", "reopen", "SPV-2026-001", "--reason", "Wrong"])["status"], "processing");
        assert_eq!(portal.run(&["company", "delete", "Harbor Capital", "--yes"]).code, 1, "it has clients and orders");
        assert_eq!(
            portal.run(&["company", "delete", "Harbor Capital"]).code,
            2,
            "there is no terminal for a confirmation"
        );
    }
}

#[tokio::test]
async fn template_dependencies_apply_to_new_orders() {
    let portal = TestPortal::sqlite().await;
    let mut steps = portal.json(&["template", "show", "US"]);
    assert_eq!(steps[1]["depends_on"], serde_json::json!([]));
    steps[1]["depends_on"] = serde_json::json!([1]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("us.json");
    write(&file, &steps.to_string());
    assert_eq!(portal.json(&["template", "set", "US", "--steps", file.to_str().unwrap()]), steps);
    assert_eq!(portal.json(&["template", "set", "US", "--name", "LLC"]), steps, "a new name leaves the steps");
    let made = portal.client("maya@example.com");
    let order = portal.json(&["spv", "show", made["identifier"].as_str().unwrap()]);
    assert_eq!(order["steps"][1]["depends_on"], serde_json::json!([order["steps"][0]["id"]]));
}

#[tokio::test]
async fn templates_export_and_import() {
    for portal in test_portals().await {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let all: serde_json::Value = serde_json::from_str(&portal.run(&["template", "export"]).out).unwrap();
        assert_eq!(all.as_array().unwrap().len(), 5);
        let file = path("us.json");
        let written = portal.run(&["template", "export", "US", "UAE", "--out", &file]);
        assert_eq!((written.code, written.out.as_str()), (0, ""), "{}", written.err);
        assert_eq!(portal.run(&["template", "export", "--out", &file]).code, 1, "nothing is written over");
        assert_eq!(portal.run(&["template", "export", "Atlantis"]).code, 2);
        let mut two: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(two.as_array().unwrap().len(), 2);

        let kept = portal.json(&["template", "import", &file]);
        assert!(kept.as_array().unwrap().iter().all(|template| template["changed"] == false), "{kept}");
        two[0]["steps"][1]["depends_on"] = serde_json::json!([1]);
        two[0]["steps"][0]["documents"] = serde_json::json!([{ "name": "Passport", "required": true }]);
        write(Path::new(&file), &two.to_string());
        let changed = portal.json(&["template", "import", &file]);
        let how = |n: usize| (changed[n]["country"].as_str().unwrap().to_owned(), changed[n]["changed"].clone());
        assert_eq!([how(0), how(1)], [("AE".to_owned(), false.into()), ("US".to_owned(), true.into())]);
        let mut import = portal.command(&["template", "import", "-", "--format", "json"]);
        import.stdin(std::fs::File::open(&file).unwrap());
        let again: CommandOutput = import.output().unwrap().into();
        assert!(again.code == 0 && !again.out.contains("true"), "{}{}", again.out, again.err);

        two[0]["steps"][0]["owner"] = "nobody".into();
        write(Path::new(&file), &two.to_string());
        let refused = portal.run(&["template", "import", &file]);
        assert_eq!(refused.code, 2);
        assert!(refused.err.starts_with("error: US.steps.0.owner: "), "{}", refused.err);
        two[0]["steps"][0]["owner"] = "staff".into();
        two[0]["steps"][1]["dependson"] = serde_json::json!([1]);
        write(Path::new(&file), &two.to_string());
        let mistyped = portal.run(&["template", "import", &file]);
        assert!(mistyped.code == 1 && mistyped.err.contains("unknown field `dependson`"), "{}", mistyped.err);
        write(Path::new(&file), "[{\"country\": \"US\"}]");
        let half = portal.run(&["template", "import", &file]);
        assert!(half.code == 1 && half.err.contains("missing field"), "{}", half.err);
        let shown = portal.json(&["template", "show", "US"]);
        assert_eq!(shown[0]["documents"][0]["name"], "Passport");
    }
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man1");
    let done: CommandOutput = spvctl(&["man", to.to_str().unwrap()]).output().unwrap().into();
    assert_eq!(done.code, 0, "{}", done.err);
    for name in ["spvctl", "spvctl-client", "spvctl-client-create", "spvctl-backup-restore"] {
        let page = std::fs::read_to_string(to.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains(".SH EXAMPLES\n.nf\n"), "{name}: {page}");
    }
    let page = std::fs::read_to_string(to.join("spvctl-client-create.1")).unwrap();
    assert!(page.contains(".SH SYNOPSIS\n.nf\nspvctl client create [OPTIONS]\n.fi"), "{page}");
    assert!(page.contains("\n    \\-\\-email maya@example.com"), "examples are not filled: {page}");
    let file = folder.path().join("file");
    write(&file, "");
    let refused: CommandOutput = spvctl(&["man", file.to_str().unwrap()]).output().unwrap().into();
    assert!(refused.code == 1 && refused.err.contains("cannot be written"), "{}", refused.err);
}

#[tokio::test]
async fn a_request_can_be_withdrawn_once() {
    for portal in test_portals().await {
        let made = portal.json(&[
            "request",
            "create",
            "--kind",
            "call",
            "--name",
            "Maya Ortiz",
            "--email",
            "maya@example.com",
            "--message",
            "Wants to talk about Japan",
        ]);
        let reference = made["reference"].as_str().expect("a reference");
        assert_eq!(portal.json(&["request", "withdraw", reference])["status"], "withdrawn");
        let again = portal.run(&["request", "withdraw", reference, "--yes"]);
        assert_eq!(again.code, 1, "{}", again.err);
        assert_eq!(portal.run(&["request", "withdraw", "REQ-00000000"]).code, 1);
    }
}

#[tokio::test]
async fn data_goes_to_stdout_and_messages_to_stderr() {
    let portal = TestPortal::sqlite().await;
    let empty = portal.run(&["client", "list"]);
    assert_eq!((empty.out.as_str(), empty.err.as_str()), ("", "No clients.\n"));
    assert_eq!(portal.json(&["client", "list"]), serde_json::json!([]));
    let empty = portal.run(&["client", "list", "--format", "csv"]);
    assert_eq!((empty.out.as_str(), empty.err.as_str()), ("", "No clients.\n"));
    let empty = portal.run(&["client", "list", "--format", "csv", "--fields", "id,email"]);
    assert_eq!(empty.out, "id,email\n");
    let named = ["--name", "=1+1", "--business-name", "Söhne & <b>Co</b>", "--phone", "+1 555 0100"];
    portal.run(&[&["company", "create"], &named[..]].concat());
    let csv = portal.run(&["company", "list", "--format", "csv"]);
    assert!(csv.out.starts_with("id,name,business_name,"), "{}", csv.out);
    assert!(csv.out.contains(",'=1+1,Söhne & <b>Co</b>,"), "{}", csv.out);
    assert!(csv.out.contains(",'+1 555 0100,"), "{}", csv.out);
    assert_eq!(portal.json(&["company", "list"])[0]["phone"], "+1 555 0100");
}

#[tokio::test]
async fn closed_stdout_is_not_an_error() {
    let portal = TestPortal::sqlite().await;
    let mut child = portal.command(&["openapi"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn openapi_output_matches_the_committed_file() {
    let output = spvctl(&["openapi"]).output().unwrap();
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/openapi.json")).unwrap();
    assert!(String::from_utf8(output.stdout).unwrap() == committed, "run `spvctl openapi > web/openapi.json`");
}

#[tokio::test]
async fn invalid_configuration_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = dir.path().join("portal.toml");
    write(&file, "listen = 'nowhere'\n");
    let output = spvctl(&["serve", "--config", file.to_str().unwrap()])
        .env("SPV_DATA_DIR", &data)
        .env("SPV_WORKER_CONCURRENCY", "0")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("listen: `nowhere` from the configuration file"), "{said}");
    assert!(
        said.contains("worker_concurrency: `0` from SPV_WORKER_CONCURRENCY is not allowed; it must be 1 to 256"),
        "{said}"
    );
    assert!(!data.exists());
}

#[tokio::test]
async fn config_hides_secrets() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_SMTP_URL", "smtp://spv:tell-nobody@mail.example.com");
    let done = portal.run(&["config"]);
    assert_eq!(done.code, 0);
    assert!(done.out.contains("SPV_SMTP_URL") && !done.out.contains("tell-nobody"), "{}", done.out);
}

#[tokio::test]
async fn seed_works_with_and_without_worker_and_is_idempotent() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_DEMO", true);
    assert_eq!(portal.run(&["seed"]).code, 0);
    let before = portal.json(&["spv", "list"]);
    let worker = portal.start(&["worker"]);
    assert_eq!(portal.run(&["seed"]).code, 0);
    drop(worker);
    assert_eq!(portal.json(&["spv", "list"]), before);
    assert_eq!(portal.run(&["activity", "verify"]).code, 0);
    assert_eq!(portal.failed_checks(), [""; 0]);
}

#[tokio::test]
async fn doctor_fails_where_no_super_admin_can_sign_in() {
    let portal = TestPortal::sqlite().await;
    let state = || {
        let done = portal.run(&["doctor", "--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&done.out).unwrap();
        let found = found["items"].as_array().unwrap().iter().find(|check| check["check"] == "super_admins").cloned();
        found.map(|check| check["state"].as_str().unwrap().to_owned())
    };
    assert_eq!(state().as_deref(), Some("failed"));
    let ada = ["--first-name", "Ada", "--last-name", "Admin", "--email", "ada@example.com", "--yes"];
    let made = portal.run(&[&["user", "create", "--role", "super_admin"], &ada[..]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(state().as_deref(), Some("note"), "invited");
    for verb in ["archive", "suspend"] {
        let refused = portal.run(&["user", verb, "ada@example.com", "--yes"]);
        assert_eq!((refused.code, refused.err.contains("the last super admin")), (1, true), "{}", refused.err);
    }
}

#[tokio::test]
async fn doctor_reports_characters_without_a_font() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let fonts = || {
            let done = portal.run(&["doctor"]);
            let line = done.out.lines().find(|line| line.contains("fonts")).unwrap().to_owned();
            (done.code, line)
        };
        // A note where this machine has no fonts of some scripts.
        let (_, line) = fonts();
        assert!(!line.contains("failed"), "{line}");
        let named = ["--first-name", "Nora", "--last-name", "Lund \u{10fffd}", "--email", "nora@example.com"];
        let rest = ["--company", "Harbor Capital", "--price", "1250.00"];
        portal.json(&[&["client", "create", "--setup", "quick"][..], &named[..], &rest[..]].concat());
        let (code, line) = fonts();
        assert!(code == 1 && line.contains("failed") && line.contains("U+10FFFD"), "{line}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn doctor_names_a_mail_folder_that_cannot_be_written() {
    let portal = TestPortal::sqlite().await;
    assert_eq!(portal.run(&["migrate"]).code, 0);
    let _ = std::fs::remove_dir_all(portal.dir.join("mail"));
    // A file in its place, as the tests run as root.
    std::fs::write(portal.dir.join("mail"), "").unwrap();
    let done = portal.run(&["doctor", "--format", "json"]);
    let findings: Value = serde_json::from_str(&done.out).unwrap();
    let mail = findings["items"].as_array().unwrap().iter().find(|row| row["check"] == "mail").unwrap().to_string();
    assert!(mail.contains("cannot be written to files") && mail.contains("write to that folder"), "{mail}");
}

#[tokio::test]
async fn unreachable_copies_are_said_in_one_line() {
    let portal = TestPortal::sqlite().await;
    assert_eq!(portal.run(&["migrate"]).code, 0);
    let mut list = portal.command(&["backup", "list", "--copies"]);
    list.env("SPV_BACKUP_COPY_URL", "s3://copies?endpoint=http://127.0.0.1:9");
    list.env("SPV_BACKUP_COPY_ACCESS_KEY_ID", "id").env("SPV_BACKUP_COPY_SECRET_ACCESS_KEY", "s3cret");
    let done = CommandOutput::from(list.output().unwrap());
    assert!(done.err.contains("s3://copies: Connection refused") && done.err.len() < 200, "{}", done.err);
}

#[cfg(unix)]
#[tokio::test]
async fn doctor_reports_a_data_folder_readable_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let portal = TestPortal::sqlite().await;
    assert_eq!(portal.run(&["migrate"]).code, 0);
    let line = |home: &Path| {
        let done = CommandOutput::from(portal.command(&["doctor"]).env("HOME", home).output().unwrap());
        done.out.lines().find(|line| line.contains("data_folder")).unwrap().to_owned()
    };
    let set = |mode| std::fs::set_permissions(&portal.dir, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = || std::fs::metadata(&portal.dir).unwrap().permissions().mode() & 0o777;
    let elsewhere = portal.world.dir.path.as_path();
    let made = line(elsewhere);
    assert!(made.contains("ok") && mode() == 0o700, "the portal made it itself: {made}");
    for open in [0o755, 0o750] {
        // A home directory is shared with other programs, so its mode is not changed.
        set(open);
        let noted = line(&portal.dir);
        assert!(noted.contains("note") && noted.contains("chmod 700 "), "{noted}");
        assert_eq!(mode(), open);
        let closed = line(elsewhere);
        assert!(closed.contains("ok") && mode() == 0o700, "{closed}");
    }
}

#[tokio::test]
async fn activity_verify_names_the_tampered_entry() {
    for portal in test_portals().await {
        let world = &portal.world;
        for name in ["Anchor", "Meridian", "Summit"] {
            world.company(name).await;
        }
        domain::platform::activity::sequence_all(&world.operator()).await.unwrap();
        let whole = portal.run(&["activity", "verify"]);
        assert_eq!(whole.code, 0, "{}", whole.err);
        // One character of one name.
        world.without_triggers("update activity set subject_label = 'Meridiam' where seq = 2").await;
        let broken = portal.run(&["activity", "verify"]);
        assert_eq!(broken.code, 1, "{}", broken.err);
        assert!(broken.err.contains("Entry 2 of the activity log was altered."), "{}", broken.err);
    }
}

#[tokio::test]
async fn user_create_makes_the_first_super_admin() {
    let portal = TestPortal::sqlite().await;
    let user = portal.json(&[
        "user",
        "create",
        "--role",
        "super_admin",
        "--first-name",
        "Ada",
        "--last-name",
        "Admin",
        "--email",
        "ada@example.com",
    ]);
    assert_eq!((user["role"].as_str(), user["status"].as_str()), (Some("super_admin"), Some("pending")));
    assert_eq!(portal.json(&["mail", "list"])[0]["kind"], "password_setup");
}

#[tokio::test]
async fn keys_rotate_and_second_factors_reset() {
    let portal = TestPortal::sqlite().await;
    let first = portal.json(&["key", "list"]);
    assert_eq!((first[0]["use"].as_str(), first[0]["algorithm"].as_str()), (Some("signs"), Some("ES256")));
    let after = portal.json(&["key", "rotate"]);
    assert_eq!((after[1]["kid"].as_str(), after[1]["use"].as_str()), (first[0]["kid"].as_str(), Some("accepted")));
    assert_ne!(after[0]["kid"], first[0]["kid"]);
    assert_eq!(portal.json(&["key", "list"]), after);

    portal.client("maya@example.com");
    let done = portal.run(&["user", "reset-mfa", "maya@example.com", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.starts_with("0 authenticator apps removed."), "{}", done.err);
    assert_eq!(portal.run(&["user", "reset-mfa", "nobody@example.com"]).code, 1);
}

#[tokio::test]
async fn passkeys_are_listed_and_removed() {
    for portal in test_portals().await {
        let maya = portal.client("maya@example.com")["id"].as_str().unwrap().parse().unwrap();
        assert_eq!(portal.json(&["user", "passkeys", "maya@example.com"]), json!([]));
        let mut tx = portal.world.db.begin().await.unwrap();
        let now = portal.world.clock.now();
        tx.sql(
            "insert into passkeys (id, user_id, friendly_name, credential_id, device_kind, second_factor, created_at, \
             updated_at) values ($1, $2, 'Bitwarden', 'AQID', 'synced', false, $3, $3)",
        )
        .bind(FactorId(portal.world.random.uuid()))
        .bind(UserId(maya))
        .bind(now)
        .run()
        .await
        .unwrap();
        tx.commit().await.unwrap();
        let listed = portal.json(&["user", "passkeys", "maya@example.com", "list"]);
        assert_eq!((&listed[0]["name"], &listed[0]["device_kind"]), (&json!("Bitwarden"), &json!("synced")));

        let remove = |name: &'static str| ["user", "passkeys", "maya@example.com", "remove", name];
        let unknown = portal.run(&remove("Phone"));
        assert!(unknown.code == 1 && unknown.err.contains("there is no passkey `Phone`"), "{}", unknown.err);
        let asked = portal.run(&remove("Bitwarden"));
        assert!(asked.code == 2 && asked.err.contains("Remove the passkey Bitwarden of Maya Ortiz"), "{}", asked.err);
        let done = portal.run(&[&remove("Bitwarden")[..], &["--yes"]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        assert_eq!(portal.json(&["user", "passkeys", "maya@example.com"]), json!([]));
        let mails = portal.json(&["mail", "list"]);
        assert!(mails.as_array().unwrap().iter().any(|mail| mail["kind"] == "security_notice"), "{mails}");
    }
}

#[tokio::test]
async fn document_put_list_and_get() {
    for portal in test_portals().await {
        let made = portal.client("maya@example.com");
        let spv = made["identifier"].as_str().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(path("deed.pdf"), vec![b'%'; 700_000]).unwrap();
        std::fs::write(path("empty.pdf"), b"").unwrap();
        let kept = portal.json(&["document", "put", &path("deed.pdf"), "--spv", spv]);
        assert_eq!(
            (kept["order"].as_str(), kept["bytes"].as_u64(), kept["version"].as_u64()),
            (Some(spv), Some(700_000), Some(1))
        );
        let id = kept["id"].as_str().unwrap();
        std::fs::write(path("deed.pdf"), b"%PDF-1.4 signed").unwrap();
        let second = portal.json(&["document", "put", &path("deed.pdf"), "--document", id]);
        assert_eq!((second["version"].as_u64(), second["media_type"].as_str()), (Some(2), Some("application/pdf")));
        assert_eq!(portal.json(&["document", "list", "--q", "deed"]).as_array().unwrap().len(), 1);
        assert_eq!(portal.json(&["document", "list", "--review", "submitted"]).as_array().unwrap().len(), 0);
        let unknown = portal.run(&["document", "list", "--review", "reviewed"]);
        assert!(unknown.code == 2 && unknown.err.contains("needs_revision"), "{}", unknown.err);
        let done = portal.run(&["document", "get", id, "--number", "1", "--out", &path("first.pdf")]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert_eq!(std::fs::read(path("first.pdf")).unwrap().len(), 700_000);
        assert_eq!(portal.run(&["document", "get", id, "--out", "-"]).out, "%PDF-1.4 signed");
        let again = portal.run(&["document", "get", id, "--out", &path("first.pdf")]);
        assert_eq!((again.code, again.err.contains("first.pdf exists; replace it with --force")), (1, true));
        let replaced = portal.run(&["document", "get", id, "--out", &path("first.pdf"), "--force"]);
        assert_eq!((replaced.code, std::fs::read(path("first.pdf")).unwrap()), (0, b"%PDF-1.4 signed".to_vec()));
        let refused = portal.run(&["document", "put", &path("empty.pdf"), "--spv", spv]);
        assert_eq!((refused.code, refused.err.as_str()), (2, "error: --file: This file is empty.\n"));
        assert_eq!(portal.run(&["document", "get", id, "--number", "9"]).code, 1);
    }
}

#[tokio::test]
async fn export_writes_all_rows_as_csv_and_json_lines() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    portal.run(&["company", "create", "--name", "=1+1", "--business-name", "Söhne, \"Co\""]);
    portal.run(&["company", "archive", "=1+1", "--yes"]);
    let csv = portal.run(&["export", "companies"]);
    assert_eq!(csv.code, 0, "{}", csv.err);
    let lines: Vec<_> = csv.out.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("id,name,business_name,"), "{lines:?}");
    assert!(lines[2].contains(",'=1+1,\"Söhne, \"\"Co\"\"\","), "archived ones, too, and harmless: {lines:?}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spvs.jsonl").to_str().unwrap().to_owned();
    let done = portal.run(&["export", "spvs", "--format", "json", "--out", &file]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    assert!(done.err.starts_with("1 row in "), "{}", done.err);
    let row: serde_json::Value = serde_json::from_str(std::fs::read_to_string(&file).unwrap().trim()).unwrap();
    assert_eq!((&row["client_email"], &row["steps_total"]), (&"maya@example.com".into(), &8.into()));
    assert!(row["closed_at"].is_null());
    // Excel needs a byte-order mark in a file; a pipe has none.
    let csv = format!("{file}.csv");
    assert_eq!(portal.run(&["export", "spvs", "--out", &csv]).code, 0);
    let bytes = std::fs::read(&csv).unwrap();
    assert!(bytes.starts_with("\u{feff}id,".as_bytes()));
    assert_eq!(portal.run(&["export", "spvs"]).out.as_bytes(), &bytes[3..]);
    let again = portal.run(&["export", "spvs", "--out", &file]);
    assert_eq!((again.code, again.err.contains("exists; replace it with --force")), (1, true), "{}", again.err);
    assert_eq!(portal.run(&["export", "spvs", "--format", "json", "--out", &file, "--force"]).code, 0);
    assert!(portal.run(&["export", "spvs", "--bom"]).out.starts_with("\u{feff}id,"));
    for table in [
        "clients",
        "isos",
        "requests",
        "invoices",
        "payments",
        "services",
        "documents",
        "steps",
        "messages",
        "leads",
        "calls",
        "users",
        "activity",
    ] {
        let done = portal.run(&["export", table, "--format", "json"]);
        assert_eq!(done.code, 0, "{table}: {}", done.err);
        for line in done.out.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
    assert_eq!(portal.run(&["export", "passwords"]).code, 2);
    assert!(!portal.run(&["export", "users"]).out.contains("password"));
}
