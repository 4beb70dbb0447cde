//! What `--help` says on every level, that it gives examples, and that those of lists run.

use crate::support::{TestPortal, spvctl};

/// Headings under which a help lists other things than commands.
const OTHER_HEADINGS: [&str; 6] = ["Examples:", "Options:", "Options everywhere:", "Arguments:", "Signals:", "Usage:"];

/// The names of the commands that a help lists.
fn commands(help: &str) -> Vec<String> {
    let (mut names, mut listed) = (Vec::new(), false);
    for line in help.lines() {
        if !line.starts_with(' ') && line.ends_with(':') {
            listed = !OTHER_HEADINGS.contains(&line);
        } else if line.is_empty() {
            listed = false;
        } else if let Some(rest) = line.strip_prefix("  ").filter(|rest| listed && !rest.starts_with(' ')) {
            names.extend(rest.split_whitespace().next().map(str::to_owned));
        }
    }
    names
}

/// The help of a command and, below it, of everything under it.
fn help(path: &[&str], text: &mut String) {
    let output = spvctl(&[path, &["--help"]].concat()).output().unwrap();
    assert!(output.status.success(), "{path:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Examples:"), "{path:?} has no examples");
    text.push_str(&format!("$ spvctl {}\n{said}\n", [path, &["--help"]].concat().join(" ")));
    for name in commands(&said).iter().filter(|name| *name != "help") {
        help(&[path, &[name.as_str()]].concat(), text);
    }
}

#[test]
fn help_reads_as_it_did() {
    let mut text = String::new();
    help(&[], &mut text);
    insta::assert_snapshot!(text);
}

#[test]
fn version_names_the_commit_and_its_date() {
    let said = String::from_utf8(spvctl(&["--version"]).output().unwrap().stdout).unwrap();
    let words: Vec<&str> = said.trim().split([' ', '(', ')']).filter(|word| !word.is_empty()).collect();
    assert_eq!(&words[..2], ["spvctl", env!("CARGO_PKG_VERSION")]);
    // Without a Git repository there is no commit to name.
    assert!(words.len() == 2 || (words[2].len() >= 7 && words[3].len() == "2026-11-28".len()), "{said}");
}

/// The words of a shell command without escapes.
fn words(line: &str) -> Vec<String> {
    let word = |(n, part): (usize, &str)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    };
    line.split('\'').enumerate().flat_map(word).collect()
}

#[tokio::test]
async fn examples_of_lists_run() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let person = ["--first-name", "Ines", "--last-name", "Vega"];
    for email in ["iso@example.com", "ines@example.com"] {
        portal.json(&[&["iso", "create", "--email", email, "--company", "Harbor Capital"], &person[..]].concat());
    }
    for email in ["admin@example.com", "eli@example.com", "employee@example.com"] {
        portal.json(&[&["user", "create", "--role", "employee", "--email", email], &person[..]].concat());
    }
    let order = ["--purchase-amount", "250000", "--custom-identifier", "SPV-2026-001"];
    portal.json(&[&["spv", "create", "--client", "maya@example.com"], &order[..]].concat());
    let mut text = String::new();
    help(&[], &mut text);
    let text = text.replace(" \\\n", " ");
    let mut ran = 0;
    for line in
        text.lines().filter_map(|line| line.strip_prefix("  spvctl ")).filter(|line| !line.contains(['>', '|', '&']))
    {
        let words = words(line);
        let reads = ["list", "blocks", "stats"].contains(&words.get(1).map_or("", String::as_str));
        if reads && !["backup"].contains(&words[0].as_str()) {
            let args: Vec<&str> = words.iter().map(String::as_str).collect();
            let done = portal.run(&args);
            assert_eq!(done.code, 0, "{line}: {}", done.err);
            ran += 1;
        }
    }
    assert!(ran >= 30, "{ran}");
}

#[tokio::test]
async fn completions_offer_names_of_the_portal() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let complete = |words: &[&str]| -> String {
        let mut command = portal.command(&[&["--", "spvctl"], words].concat());
        command.env("COMPLETE", "fish");
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(complete(&["client", "show", "ma"]).contains("maya@example.com"));
    assert!(complete(&["spv", "list", "--company", "har"]).contains("Harbor Capital"));
    assert!(complete(&["spv", "list", "--status", "p"]).contains("processing"));
    assert!(complete(&["invoice", "list", "--sort", "du"]).contains("due_date"));
    assert!(complete(&["invoice", "list", "--sort", "-du"]).contains("-due_date"));
    assert!(complete(&["settings", "get", "four"]).contains("four_eyes.enabled"));
    assert!(complete(&["job", "run", "portal.n"]).contains("portal.nightly_backup"));
    assert!(complete(&["comp"]).contains("company"));
    let nowhere = spvctl(&["--", "spvctl", "client", "show", "ma"])
        .env("COMPLETE", "fish")
        .env("SPV_DATA_DIR", "/nowhere")
        .output();
    assert!(nowhere.unwrap().stdout.is_empty());
}

#[test]
fn completions_are_installed_where_shells_look() {
    let home = tempfile::tempdir().unwrap();
    let run = |shell: &str| {
        let mut command = spvctl(&["completions", shell, "--install"]);
        command.env("HOME", home.path()).env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME").output().unwrap()
    };
    for (shell, file) in [
        ("bash", ".local/share/bash-completion/completions/spvctl"),
        ("zsh", ".local/share/zsh/site-functions/_spvctl"),
        ("fish", ".config/fish/completions/spvctl.fish"),
    ] {
        assert!(run(shell).status.success(), "{shell}");
        assert!(std::fs::read_to_string(home.path().join(file)).unwrap().contains("COMPLETE"), "{shell}");
    }
    assert_eq!(run("elvish").status.code(), Some(2));
    let printed = spvctl(&["completions", "bash"]).output().unwrap();
    assert!(String::from_utf8(printed.stdout).unwrap().contains("COMPLETE"));
}
