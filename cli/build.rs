//! Names the commit and its date for `spvctl --version`, where the source is in a Git repository.
use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["log", "-1", "--format=%h %cs"]) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=SPVCTL_VERSION={version}");
    // The branch's file changes with each commit, HEAD with each checkout.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD".to_owned()].into_iter().chain(branch) {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", &name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}
