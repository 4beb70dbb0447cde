//! Files of `Dockerfile` and `deploy`: each path, command and variable that they name exists.
use crate::support::spvctl;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Name and text of each file.
fn files() -> Vec<(PathBuf, String)> {
    fn collect(path: &Path, found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| collect(&entry.unwrap().path(), found));
        } else {
            found.push(path.to_owned());
        }
    }
    let mut found = vec![root().join("Dockerfile")];
    collect(&root().join("deploy"), &mut found);
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The words of capital letters, digits and underscores that begin with `SPV_`.
fn variables(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    words.filter(|word| word.starts_with("SPV_") && word.len() > 4).map(str::to_owned).collect()
}

#[test]
fn variables_and_commands_of_packages_exist() {
    let output = spvctl(&["config", "--format", "json"]).output().unwrap();
    let known = String::from_utf8(output.stdout).unwrap();
    let is_setting = |name: &str| known.contains(&format!("\"{}\"", name.to_lowercase()));
    let mut commands = BTreeSet::new();
    for (path, text) in files() {
        for name in variables(&text) {
            let setting = name.strip_prefix("SPV_").unwrap();
            let exists = is_setting(setting) || setting.strip_suffix("_FILE").is_some_and(is_setting);
            assert!(exists || name == "SPV_CONFIG", "{}: {name} is no setting", path.display());
        }
        let lines = text.lines().filter(|line| !line.contains("target/release"));
        for (_, rest) in lines.filter_map(|line| line.split_once("spvctl ")) {
            let words = rest.split_whitespace().take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()));
            commands.insert(words.map(str::to_owned).collect::<Vec<_>>());
        }
    }
    assert!(commands.len() > 3, "{commands:?}");
    // Compose and Dockerfile name them as lists.
    commands.extend([vec!["healthcheck".to_owned()], vec!["serve".to_owned()], vec!["worker".to_owned()]]);
    for command in commands {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        words.push("--help");
        assert!(spvctl(&words).output().unwrap().status.success(), "{words:?}");
    }
}

#[test]
fn paths_copied_into_the_image_exist() {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let ignored = fs::read_to_string(root().join(".dockerignore")).unwrap();
    for line in text.lines().filter(|line| line.starts_with("COPY ") && !line.contains("--from=")) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        for source in &words[..words.len() - 1] {
            assert!(root().join(source).exists(), "{line}");
            let top = source.split('/').next().unwrap();
            assert!(ignored.lines().any(|line| line == format!("!{top}")), "{source} is ignored by .dockerignore");
        }
    }
    for package in ["api", "cli", "db", "domain", "jobs"] {
        assert!(text.contains(&format!("COPY {package} {package}")), "{package} is not in the image");
    }
}

/// The example file is valid.
#[test]
fn example_configuration_is_accepted() {
    let file = root().join("deploy/portal.example.toml");
    let output = spvctl(&["config", "--config", file.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
