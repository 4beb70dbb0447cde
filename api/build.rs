//! The binary embeds the built web app. A release without it is refused; a debug build, as of the tests, has a page that
//! says so.
use std::{fs, path::Path};

fn main() {
    let dist = Path::new("../web/dist");
    let release = std::env::var("PROFILE").as_deref() == Ok("release");
    println!("cargo:rerun-if-changed=build.rs");
    // A debug build reads the files when they are asked for, so that a new web app needs no new binary.
    if release {
        println!("cargo:rerun-if-changed=../web/dist");
    }
    // Precompressed files are what the build makes last; the page of a debug build has none.
    if release && !dist.join("scheme.js.br").exists() {
        println!("cargo::error=the web app is not built; run: npm --prefix web ci && npm --prefix web run build");
        return;
    }
    if !dist.join("index.html").exists() {
        fs::create_dir_all(dist).expect("web/dist can be made");
        fs::write(
            dist.join("index.html"),
            "<!doctype html><html lang=\"en\"><title>SPV Portal</title><body><p>The web app is not built: run <code>make run</code>.</p></body></html>\n",
        )
        .expect("web/dist can be written");
    }
}
