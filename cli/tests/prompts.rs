//! Interactive prompts on a real terminal (Python's pty module), and terminal output.

use crate::support::{TestPortal, python};
use domain::{kernel::db::Sql, testing::World};
use std::process::{Command, Stdio};

/// Runs a command on a pseudo-terminal; types each answer once its question has appeared.
pub fn on_a_terminal(portal: &TestPortal, args: &[&str], answers: &[(&str, &str)]) -> (i32, String) {
    const TYPIST: &str = r#"
import json, os, pty, select, sys, time
command, answers = json.loads(sys.argv[1]), json.loads(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
said, seen = "", 0
def read(limit):
    global said
    if not select.select([terminal], [], [], limit)[0]:
        return False
    try:
        data = os.read(terminal, 4096)
    except OSError:
        return False
    said += data.decode("utf-8", "replace")
    return bool(data)
for question, answer in answers:
    until = time.time() + 10
    while question not in said[seen:] and time.time() < until:
        read(0.2)
    seen = len(said)
    time.sleep(0.1)
    os.write(terminal, (answer + "\r").encode())
while read(5):
    pass
sys.stdout.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;
    let mut command = vec![env!("CARGO_BIN_EXE_spvctl")];
    command.extend(args);
    let environment = portal.command(&[]);
    let output = Command::new(python())
        .args(["-c", TYPIST, &serde_json::to_string(&command).unwrap(), &serde_json::to_string(answers).unwrap()])
        .envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[tokio::test]
async fn missing_flags_are_prompted_for() {
    let portal = TestPortal::sqlite().await;
    portal.run(&["company", "create", "--name", "Harbor Capital", "--business-name", "Harbor Capital LLC"]);
    let (code, said) = on_a_terminal(
        &portal,
        &["client", "create", "--setup", "quick", "--last-name", "Ortiz"],
        &[
            ("First name", "Maya"),
            ("Email", "maya@example.com"),
            ("Company", ""),
            ("Country", ""),
            ("Price (USD)", "much"),
            ("Enter an amount", "\u{15}1250"),
            ("email maya@example.com?", "y"),
        ],
    );
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("Setup\u{1b}") && !said.contains("Last name:"), "what was given is not asked for: {said}");
    let client = portal.json(&["client", "show", "maya@example.com"]);
    assert_eq!((client["name"].as_str(), client["company"].as_str()), (Some("Maya Ortiz"), Some("Harbor Capital")));
    assert_eq!(portal.json(&["spv", "list"])[0]["amount"], "1250.00");
}

#[tokio::test]
async fn answering_no_changes_nothing() {
    let portal = TestPortal::sqlite().await;
    portal.run(&["company", "create", "--name", "Harbor Capital", "--business-name", "Harbor Capital LLC"]);
    let (code, said) = on_a_terminal(&portal, &["company", "delete", "Harbor Capital"], &[("Are you sure", "n")]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("nothing was done"), "{said}");
    let (code, said) = on_a_terminal(&portal, &["company", "delete", "Harbor Capital"], &[("Are you sure", "y")]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(portal.json(&["company", "list"]), serde_json::json!([]));
}

#[tokio::test]
async fn one_key_is_not_a_yes() {
    let portal = TestPortal::sqlite().await;
    portal.run(&["company", "create", "--name", "Harbor Capital", "--business-name", "Harbor Capital LLC"]);
    // Anything but y or n is asked again, and Enter alone is a no.
    let delete = ["company", "delete", "Harbor Capital"];
    let (code, said) = on_a_terminal(&portal, &delete, &[("[y/N]", "x"), ("Type y or n", "\u{15}")]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(portal.json(&["company", "list"]).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn ctrl_c_in_a_prompt_restores_the_cursor_and_changes_nothing() {
    let portal = TestPortal::sqlite().await;
    portal.run(&["company", "create", "--name", "Harbor Capital", "--business-name", "Harbor Capital LLC"]);
    portal.run(&["company", "create", "--name", "Beta", "--business-name", "Beta LLC"]);
    let create = ["client", "create", "--setup", "quick", "--first-name", "Maya", "--last-name", "Ortiz"];
    let given = [&create[..], &["--email", "maya@example.com", "--price", "1"]].concat();
    let prompts: [(&[&str], &str); 3] =
        [(&["company", "delete", "Beta"], "[y/N]"), (&create, "Email"), (&given, "Company")];
    for (args, question) in prompts {
        let (code, said) = on_a_terminal(&portal, args, &[(question, "\u{3}")]);
        assert_eq!(code, 1, "{args:?}: {said}");
        assert!(said.contains("error: interrupted; nothing was changed"), "{args:?}: {said}");
        let hidden = said.rfind("\u{1b}[?25l");
        assert!(hidden.is_none() || said.rfind("\u{1b}[?25h") > hidden, "{args:?}: {said:?}");
    }
    assert_eq!(portal.json(&["company", "list"]).as_array().unwrap().len(), 2);
    assert_eq!(portal.json(&["client", "list"]), serde_json::json!([]));
}

#[tokio::test]
async fn escape_sequences_in_names_are_not_printed() {
    let world = World::sqlite().await;
    let db = world.db.clone();
    let portal = TestPortal::on(world);
    portal.run(&["company", "create", "--name", "Red Harbor", "--business-name", "x"]);
    // Forms refuse such names; another program that writes to the database does not.
    let mut tx = db.begin().await.unwrap();
    let renamed = tx
        .sql("update companies set name = $1 where name = 'Red Harbor'")
        .bind("Red \u{1b}[31m\u{9b}32m\u{202e}Harbor".to_owned());
    assert_eq!(renamed.run().await.unwrap(), 1);
    tx.commit().await.unwrap();
    portal.run(&["company", "create", "--name", "<b>Blue</b> Harbor", "--business-name", "x"]);
    let (_, said) = on_a_terminal(&portal, &["company", "list"], &[]);
    assert!(said.contains("<b>Blue</b> Harbor"), "{said}");
    assert!(said.contains("Red 32mHarbor"), "{said}");
    assert!(!said.contains("\u{1b}[31m"), "{said}");
    let (_, said) = on_a_terminal(&portal, &["company", "list", "--format", "json"], &[]);
    assert!(said.contains(r"Red \u001b[31m\u009b32m\u202eHarbor"), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{said}");
}
