//! What `--help` says on every level, and that it gives examples.

use crate::support::spvctl;

/// The help of a command and, below it, of everything under it.
fn help(path: &[&str], text: &mut String) {
    let output = spvctl(&[path, &["--help"]].concat()).output().unwrap();
    assert!(output.status.success(), "{path:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Examples:"), "{path:?} has no examples");
    text.push_str(&format!("$ spvctl {}\n{said}\n", [path, &["--help"]].concat().join(" ")));
    let under = said.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<String> =
        under.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned)).collect();
    for name in names.iter().filter(|name| *name != "help") {
        help(&[path, &[name.as_str()]].concat(), text);
    }
}

#[test]
fn help_reads_as_it_did() {
    let mut text = String::new();
    help(&[], &mut text);
    insta::assert_snapshot!(text);
}
