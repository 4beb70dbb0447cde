//! Module layers: `src/lib.rs` documents them, and a module imports only from lower ones.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const SRC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The layer of each module, from the table in the crate's documentation.
fn layers() -> BTreeMap<String, u32> {
    let text = fs::read_to_string(Path::new(SRC).join("lib.rs")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut layers = BTreeMap::new();
    for row in rows {
        let (number, names) = row.split_once('|').unwrap();
        let Ok(layer) = number.trim().parse() else { continue };
        layers.extend(names.split('`').skip(1).step_by(2).map(|name| (name.to_owned(), layer)));
    }
    layers
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that follow `crate::` in the code, its tests left out.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut modules = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            modules.push(word(rest));
            continue;
        };
        let (mut depth, mut is_name) = (0, true);
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_name = true,
                c if is_name && c.is_alphabetic() => {
                    modules.push(word(&list[at..]));
                    is_name = false;
                }
                _ => {}
            }
        }
    }
    modules
}

#[test]
fn modules_import_from_lower_layers_only() {
    let layers = layers();
    let mut files = Vec::new();
    rust_files(Path::new(SRC), &mut files);
    let mut seen = 0;
    for file in files {
        let relative = file.strip_prefix(SRC).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        if module == "lib" {
            continue;
        }
        let own = layers.get(&module).unwrap_or_else(|| panic!("{module} is missing in the table of src/lib.rs"));
        for import in imports(&fs::read_to_string(&file).unwrap()).iter().filter(|import| **import != module) {
            let layer = layers.get(import).unwrap_or_else(|| panic!("{}: no module {import}", relative.display()));
            assert!(layer < own, "{} (layer {own}) imports {import} (layer {layer})", relative.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} imports");
}
