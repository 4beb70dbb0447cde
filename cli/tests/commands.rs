//! The commands as a person or a script uses them: flags, answers, refusals, exit codes.

use crate::support::{Done, Office, free_port, offices, spvctl, write};
use std::path::Path;

#[tokio::test]
async fn with_flags_a_client_is_made_and_nothing_is_asked() {
    for office in offices().await {
        let made = office.client("maya@example.com");
        assert_eq!((made["name"].as_str(), made["status"].as_str()), (Some("Maya Ortiz"), Some("pending")));
        let shown = office.json(&["spv", "show", made["identifier"].as_str().unwrap()]);
        assert_eq!(shown["status"], "active");
        assert_eq!(shown["steps"].as_array().unwrap().len(), 8);
        let mails = office.json(&["mail", "list"]);
        let kinds: Vec<_> = mails.as_array().unwrap().iter().map(|mail| mail["kind"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"password_setup") && kinds.contains(&"spv_created"), "{kinds:?}");
    }
}

#[tokio::test]
async fn a_missing_flag_is_named_where_nobody_can_be_asked() {
    let office = Office::sqlite().await;
    let done = office.run(&["client", "create", "--setup", "quick", "--first-name", "Maya", "--price", "1"]);
    assert_eq!(done.code, 2);
    assert_eq!(
        done.err,
        "error: missing --last-name, --email, --company; give it, or run the command on a terminal to be asked\n"
    );
    assert_eq!(office.run(&["company", "create", "--name", "Harbor"]).code, 2);
    assert_eq!(office.run(&["spv", "hold", "SPV-1"]).code, 2);
}

#[tokio::test]
async fn a_blank_flag_is_named_as_a_missing_one() {
    for office in offices().await {
        office.client("maya@example.com");
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
                    let done = office.run(&[command, &flags[..]].concat());
                    let flag = flags[blank - 1];
                    assert_eq!((done.code, done.out.as_str()), (2, ""), "{command:?} {flag}: {}", done.err);
                    assert!(done.err.contains(&format!("{flag}: ")), "{command:?} {flag}: {}", done.err);
                }
            }
        }
    }
}

#[tokio::test]
async fn refusals_are_sentences_with_the_flag_and_an_exit_code() {
    for office in offices().await {
        office.client("maya@example.com");
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
            let done = office.run(&[&base[..], more].concat());
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
                "--iso: there is no iso",
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
        assert_eq!(office.run(&["client", "show", "nobody@example.com"]).code, 1);
        assert_eq!(office.run(&["spv", "start", "SPV-nothing"]).code, 1);
        assert_eq!(office.run(&["mail", "show", "not-an-id"]).code, 2);
        assert_eq!(office.run(&["spv", "list", "--limit", "501"]).code, 2);
        assert_eq!(office.run(&["spv", "list", "--cursor", "nonsense"]).code, 2);
    }
}

#[tokio::test]
async fn an_order_that_cannot_be_is_refused_by_the_flag() {
    for office in offices().await {
        office.client("maya@example.com");
        office.json(&["company", "create", "--name", "Beta", "--business-name", "Beta LLC"]);
        for (first, email, company) in
            [("Ines", "ines@example.com", "Harbor Capital"), ("Igor", "igor@example.com", "Beta")]
        {
            let name = ["--first-name", first, "--last-name", "Vega"];
            office.json(&[&["iso", "create", "--email", email, "--company", company][..], &name].concat());
        }
        let create = |more: &[&str]| {
            let base = ["spv", "create", "--client", "maya@example.com", "--purchase-amount", "1"];
            office.run(&[&base[..], more].concat())
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
            (&["--custom-identifier", "fund-1"], "--custom-identifier: Is already used."),
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
        assert_eq!((unknown.code, unknown.err.as_str()), (1, "error: --company: there is no company `Red Harbor`\n"));
        let rung = office.run(&["company", "create", "--name", "Bell\u{7}", "--business-name", "Bell LLC"]);
        assert_eq!((rung.code, rung.err.contains("--name: Contains invalid characters")), (2, true), "{}", rung.err);
        let malformed = office.run(&["mail", "show", "not-an-id"]);
        assert!(malformed.err.contains("invalid value 'not-an-id' for '<"), "{}", malformed.err);
        assert_eq!(office.json(&["spv", "list"]).as_array().unwrap().len(), 2, "nothing refused was kept");
    }
}

#[tokio::test]
async fn a_database_that_is_gone_is_named_and_its_password_is_not() {
    let dir = tempfile::tempdir().unwrap();
    for url in [
        format!("postgres://spv:tell-nobody@127.0.0.1:{}/portal", free_port()),
        format!("sqlite:{}", dir.path().join("nowhere/spv.db").display()),
    ] {
        let mut command = spvctl(&["spv", "list"]);
        let done = Done::from(command.env("SPV_DATA_DIR", dir.path()).env("SPV_DATABASE_URL", &url).output().unwrap());
        assert_eq!(done.code, 3, "{}", done.err);
        assert!(done.err.contains("error: database_url: the database cannot be reached: "), "{}", done.err);
        assert!(!done.err.contains("pool timed out"), "{}", done.err);
        assert!(!done.err.contains("tell-nobody") && !done.err.contains("panicked"), "{}", done.err);
    }
}

#[tokio::test]
async fn an_order_goes_from_creation_to_close() {
    for office in offices().await {
        office.client("maya@example.com");
        let made = office.json(&[
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
        assert_eq!(office.json(&["spv", "start", "SPV-2026-001"])["status"], "processing");
        assert_eq!(office.run(&["spv", "start", "SPV-2026-001"]).code, 1, "an order is started once");
        assert_eq!(office.json(&["spv", "hold", "SPV-2026-001", "--reason", "Bank"])["status"], "on_hold");
        assert_eq!(office.run(&["step", "set", "SPV-2026-001", "1", "--status", "completed"]).code, 1);
        assert_eq!(office.json(&["spv", "resume", "SPV-2026-001"])["status"], "processing");
        assert_eq!(office.run(&["step", "set", "SPV-2026-001", "1", "--status", "blocked"]).code, 2);
        for step in 1..=8 {
            office.json(&["step", "set", "SPV-2026-001", &step.to_string(), "--status", "completed"]);
        }
        assert_eq!(office.json(&["spv", "show", "SPV-2026-001"])["status"], "closed");
        assert_eq!(office.json(&["spv", "reopen", "SPV-2026-001", "--reason", "Wrong"])["status"], "processing");
        assert_eq!(office.run(&["company", "delete", "Harbor Capital", "--yes"]).code, 1, "it has clients and orders");
        assert_eq!(office.run(&["company", "delete", "Harbor Capital"]).code, 2, "nobody can be asked");
    }
}

#[tokio::test]
async fn a_template_says_what_comes_first() {
    let office = Office::sqlite().await;
    let mut steps = office.json(&["template", "show", "US"]);
    assert_eq!(steps[1]["depends_on"], serde_json::json!([]));
    steps[1]["depends_on"] = serde_json::json!([1]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("us.json");
    write(&file, &steps.to_string());
    assert_eq!(office.json(&["template", "set", "US", "--steps", file.to_str().unwrap()]), steps);
    assert_eq!(office.json(&["template", "set", "US", "--name", "LLC"]), steps, "a new name leaves the steps");
    let made = office.client("maya@example.com");
    let order = office.json(&["spv", "show", made["identifier"].as_str().unwrap()]);
    assert_eq!(order["steps"][1]["depends_on"], serde_json::json!([order["steps"][0]["id"]]));
}

#[tokio::test]
async fn templates_are_taken_from_one_portal_to_another() {
    for office in offices().await {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let all: serde_json::Value = serde_json::from_str(&office.run(&["template", "export"]).out).unwrap();
        assert_eq!(all.as_array().unwrap().len(), 5);
        let file = path("us.json");
        let written = office.run(&["template", "export", "US", "UAE", "--out", &file]);
        assert_eq!((written.code, written.out.as_str()), (0, ""), "{}", written.err);
        assert_eq!(office.run(&["template", "export", "--out", &file]).code, 1, "nothing is written over");
        assert_eq!(office.run(&["template", "export", "Atlantis"]).code, 2);
        let mut two: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(two.as_array().unwrap().len(), 2);

        let kept = office.json(&["template", "import", &file]);
        assert!(kept.as_array().unwrap().iter().all(|template| template["changed"] == false), "{kept}");
        two[0]["steps"][1]["depends_on"] = serde_json::json!([1]);
        two[0]["steps"][0]["documents"] = serde_json::json!([{ "name": "Passport", "required": true }]);
        write(Path::new(&file), &two.to_string());
        let changed = office.json(&["template", "import", &file]);
        let how = |n: usize| (changed[n]["country"].as_str().unwrap().to_owned(), changed[n]["changed"].clone());
        assert_eq!([how(0), how(1)], [("AE".to_owned(), false.into()), ("US".to_owned(), true.into())]);
        let mut import = office.command(&["template", "import", "-", "--format", "json"]);
        import.stdin(std::fs::File::open(&file).unwrap());
        let again: Done = import.output().unwrap().into();
        assert!(again.code == 0 && !again.out.contains("true"), "{}{}", again.out, again.err);

        two[0]["steps"][0]["owner"] = "nobody".into();
        write(Path::new(&file), &two.to_string());
        let refused = office.run(&["template", "import", &file]);
        assert_eq!(refused.code, 2);
        assert!(refused.err.starts_with("error: US.steps.0.owner: "), "{}", refused.err);
        two[0]["steps"][0]["owner"] = "staff".into();
        two[0]["steps"][1]["dependson"] = serde_json::json!([1]);
        write(Path::new(&file), &two.to_string());
        let mistyped = office.run(&["template", "import", &file]);
        assert!(mistyped.code == 1 && mistyped.err.contains("unknown field `dependson`"), "{}", mistyped.err);
        write(Path::new(&file), "[{\"country\": \"US\"}]");
        let half = office.run(&["template", "import", &file]);
        assert!(half.code == 1 && half.err.contains("missing field"), "{}", half.err);
        let shown = office.json(&["template", "show", "US"]);
        assert_eq!(shown[0]["documents"][0]["name"], "Passport");
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man1");
    let done: Done = spvctl(&["man", to.to_str().unwrap()]).output().unwrap().into();
    assert_eq!(done.code, 0, "{}", done.err);
    for name in ["spvctl", "spvctl-client", "spvctl-client-create", "spvctl-backup-restore"] {
        let page = std::fs::read_to_string(to.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("Examples"), "{name}: {page}");
    }
    let file = folder.path().join("file");
    write(&file, "");
    let refused: Done = spvctl(&["man", file.to_str().unwrap()]).output().unwrap().into();
    assert!(refused.code == 1 && refused.err.contains("cannot be written"), "{}", refused.err);
}

#[tokio::test]
async fn a_request_is_taken_back_once() {
    for office in offices().await {
        let made = office.json(&[
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
        assert_eq!(office.json(&["request", "withdraw", reference])["status"], "withdrawn");
        let again = office.run(&["request", "withdraw", reference]);
        assert_eq!(again.code, 1, "{}", again.err);
        assert_eq!(office.run(&["request", "withdraw", "REQ-00000000"]).code, 1);
    }
}

#[tokio::test]
async fn data_goes_to_stdout_and_words_to_stderr() {
    let office = Office::sqlite().await;
    let empty = office.run(&["client", "list"]);
    assert_eq!((empty.out.as_str(), empty.err.as_str()), ("", "No clients.\n"));
    assert_eq!(office.json(&["client", "list"]), serde_json::json!([]));
    let named = ["--name", "=1+1", "--business-name", "Söhne & <b>Co</b>", "--phone", "+1 555 0100"];
    office.run(&[&["company", "create"], &named[..]].concat());
    let csv = office.run(&["company", "list", "--format", "csv"]);
    assert!(csv.out.starts_with("id,name,business_name,"), "{}", csv.out);
    assert!(csv.out.contains(",'=1+1,Söhne & <b>Co</b>,"), "{}", csv.out);
    assert!(csv.out.contains(",'+1 555 0100,"), "{}", csv.out);
    assert_eq!(office.json(&["company", "list"])[0]["phone"], "+1 555 0100");
}

#[tokio::test]
async fn a_reader_who_leaves_early_is_no_error() {
    let office = Office::sqlite().await;
    let mut child = office.command(&["openapi"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_api_describes_itself_byte_for_byte_as_committed() {
    let output = spvctl(&["openapi"]).output().unwrap();
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/openapi.json")).unwrap();
    assert!(String::from_utf8(output.stdout).unwrap() == committed, "run `spvctl openapi > web/openapi.json`");
}

#[tokio::test]
async fn wrong_configuration_starts_nothing() {
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
async fn the_configuration_is_shown_without_its_secrets() {
    let mut office = Office::sqlite().await;
    office.set("SPV_SMTP_URL", "smtp://spv:tell-nobody@mail.example.com");
    let done = office.run(&["config"]);
    assert_eq!(done.code, 0);
    assert!(done.out.contains("SPV_SMTP_URL") && !done.out.contains("tell-nobody"), "{}", done.out);
}

#[tokio::test]
async fn test_data_is_made_with_and_without_a_worker_and_twice_harms_nothing() {
    let mut office = Office::sqlite().await;
    office.set("SPV_DEMO", true);
    assert_eq!(office.run(&["seed"]).code, 0);
    let before = office.json(&["spv", "list"]);
    let worker = office.start(&["worker"]);
    assert_eq!(office.run(&["seed"]).code, 0);
    drop(worker);
    assert_eq!(office.json(&["spv", "list"]), before);
    assert_eq!(office.run(&["activity", "verify"]).code, 0);
    assert_eq!(office.run(&["doctor"]).code, 0, "the counters agree");
}

#[tokio::test]
async fn the_doctor_names_letters_that_no_invoice_can_be_drawn_with() {
    for office in offices().await {
        office.client("maya@example.com");
        let fonts = || {
            let done = office.run(&["doctor"]);
            let line = done.out.lines().find(|line| line.contains("fonts")).unwrap().to_owned();
            (done.code, line)
        };
        let (code, line) = fonts();
        assert!(code == 0 && line.contains("ok"), "{line}");
        let named = ["--first-name", "Nora", "--last-name", "Lund \u{10fffd}", "--email", "nora@example.com"];
        let rest = ["--company", "Harbor Capital", "--price", "1250.00"];
        office.json(&[&["client", "create", "--setup", "quick"][..], &named[..], &rest[..]].concat());
        let (code, line) = fonts();
        assert!(code == 1 && line.contains("failed") && line.contains("U+10FFFD"), "{line}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_doctor_notes_a_data_folder_that_others_can_look_into() {
    use std::os::unix::fs::PermissionsExt;
    let office = Office::sqlite().await;
    assert_eq!(office.run(&["migrate"]).code, 0);
    let line = |home: &Path| {
        let done = Done::from(office.command(&["doctor"]).env("HOME", home).output().unwrap());
        assert_eq!(done.code, 0, "{}", done.out);
        done.out.lines().find(|line| line.contains("data folder")).unwrap().to_owned()
    };
    let set = |mode| std::fs::set_permissions(&office.dir, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = || std::fs::metadata(&office.dir).unwrap().permissions().mode() & 0o777;
    let elsewhere = office.world.dir.0.as_path();
    let made = line(elsewhere);
    assert!(made.contains("ok") && mode() == 0o700, "the portal made it itself: {made}");
    for open in [0o755, 0o750] {
        // Its owner's home is not the portal's alone: it stays as it is.
        set(open);
        let noted = line(&office.dir);
        assert!(noted.contains("note") && noted.contains("chmod 700 "), "{noted}");
        assert_eq!(mode(), open);
        let closed = line(elsewhere);
        assert!(closed.contains("ok") && mode() == 0o700, "{closed}");
    }
}

#[tokio::test]
async fn where_a_log_was_changed_is_said() {
    for office in offices().await {
        let world = &office.world;
        for name in ["Anchor", "Meridian", "Summit"] {
            world.company(name).await;
        }
        domain::platform::activity::sequence_all(&world.operator()).await.unwrap();
        let whole = office.run(&["activity", "verify"]);
        assert_eq!(whole.code, 0, "{}", whole.err);
        // One sign of one name.
        world.without_triggers("update activity set subject_label = 'Meridiam' where seq = 2").await;
        let broken = office.run(&["activity", "verify"]);
        assert_eq!(broken.code, 1, "{}", broken.err);
        assert!(broken.err.contains("Entry 2 of the activity log was altered."), "{}", broken.err);
    }
}

#[tokio::test]
async fn an_empty_portal_gets_its_first_super_admin() {
    let office = Office::sqlite().await;
    let user = office.json(&[
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
    assert_eq!(office.json(&["mail", "list"])[0]["kind"], "password_setup");
}

#[tokio::test]
async fn keys_are_rotated_and_second_factors_reset() {
    let office = Office::sqlite().await;
    let first = office.json(&["key", "list"]);
    assert_eq!((first[0]["use"].as_str(), first[0]["algorithm"].as_str()), (Some("signs"), Some("ES256")));
    let after = office.json(&["key", "rotate"]);
    assert_eq!((after[1]["kid"].as_str(), after[1]["use"].as_str()), (first[0]["kid"].as_str(), Some("accepted")));
    assert_ne!(after[0]["kid"], first[0]["kid"]);
    assert_eq!(office.json(&["key", "list"]), after);

    office.client("maya@example.com");
    let done = office.run(&["user", "reset-mfa", "maya@example.com"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.starts_with("0 authenticator apps removed."), "{}", done.err);
    assert_eq!(office.run(&["user", "reset-mfa", "nobody@example.com"]).code, 1);
}

#[tokio::test]
async fn a_file_is_sent_in_listed_and_saved_again() {
    for office in offices().await {
        let made = office.client("maya@example.com");
        let spv = made["identifier"].as_str().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(path("deed.pdf"), vec![b'%'; 700_000]).unwrap();
        std::fs::write(path("empty.pdf"), b"").unwrap();
        let kept = office.json(&["document", "put", &path("deed.pdf"), "--spv", spv]);
        assert_eq!(
            (kept["order"].as_str(), kept["bytes"].as_u64(), kept["version"].as_u64()),
            (Some(spv), Some(700_000), Some(1))
        );
        let id = kept["id"].as_str().unwrap();
        std::fs::write(path("deed.pdf"), b"%PDF-1.4 signed").unwrap();
        let second = office.json(&["document", "put", &path("deed.pdf"), "--document", id]);
        assert_eq!((second["version"].as_u64(), second["media_type"].as_str()), (Some(2), Some("application/pdf")));
        assert_eq!(office.json(&["document", "list", "--q", "deed"]).as_array().unwrap().len(), 1);
        let done = office.run(&["document", "get", id, "--number", "1", "--out", &path("first.pdf")]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert_eq!(std::fs::read(path("first.pdf")).unwrap().len(), 700_000);
        assert_eq!(office.run(&["document", "get", id, "--out", "-"]).out, "%PDF-1.4 signed");
        let again = office.run(&["document", "get", id, "--out", &path("first.pdf")]);
        assert_eq!((again.code, again.err.contains("cannot be written")), (1, true));
        let refused = office.run(&["document", "put", &path("empty.pdf"), "--spv", spv]);
        assert_eq!((refused.code, refused.err.as_str()), (2, "error: --file: This file is empty.\n"));
        assert_eq!(office.run(&["document", "get", id, "--number", "9"]).code, 1);
    }
}

#[tokio::test]
async fn a_table_is_exported_whole_as_csv_and_as_lines_of_json() {
    let office = Office::sqlite().await;
    office.client("maya@example.com");
    office.run(&["company", "create", "--name", "=1+1", "--business-name", "Söhne, \"Co\""]);
    office.run(&["company", "archive", "=1+1", "--yes"]);
    let csv = office.run(&["export", "companies"]);
    assert_eq!(csv.code, 0, "{}", csv.err);
    let lines: Vec<_> = csv.out.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("id,name,business_name,"), "{lines:?}");
    assert!(lines[2].contains(",'=1+1,\"Söhne, \"\"Co\"\"\","), "archived ones, too, and harmless: {lines:?}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spvs.jsonl").to_str().unwrap().to_owned();
    let done = office.run(&["export", "spvs", "--format", "json", "--out", &file]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    assert!(done.err.starts_with("1 rows in "), "{}", done.err);
    let row: serde_json::Value = serde_json::from_str(std::fs::read_to_string(&file).unwrap().trim()).unwrap();
    assert_eq!((&row["client_email"], &row["steps_total"]), (&"maya@example.com".into(), &8.into()));
    assert!(row["closed_at"].is_null());
    // A CSV file is opened by people: Excel needs the mark. What goes through a pipe has none.
    let csv = format!("{file}.csv");
    assert_eq!(office.run(&["export", "spvs", "--out", &csv]).code, 0);
    let bytes = std::fs::read(&csv).unwrap();
    assert!(bytes.starts_with("\u{feff}id,".as_bytes()));
    assert_eq!(office.run(&["export", "spvs"]).out.as_bytes(), &bytes[3..]);
    let again = office.run(&["export", "spvs", "--out", &file]);
    assert_eq!((again.code, again.err.contains("cannot be written")), (1, true));
    for table in ["clients", "isos", "requests", "invoices", "documents", "leads", "calls", "activity"] {
        let done = office.run(&["export", table, "--format", "json"]);
        assert_eq!(done.code, 0, "{table}: {}", done.err);
        for line in done.out.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
    assert_eq!(office.run(&["export", "users"]).code, 2);
}
