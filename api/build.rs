//! The binary embeds the built web app; a checkout in which it was not built yet still has to compile.
use std::{fs, path::Path};

fn main() {
    let dist = Path::new("../web/dist");
    if !dist.join("index.html").exists() {
        fs::create_dir_all(dist).expect("web/dist can be made");
        fs::write(
            dist.join("index.html"),
            "<!doctype html><html lang=\"en\"><title>SPV Portal</title><body><p>The web app is not built: run <code>make run</code>.</p></body></html>\n",
        )
        .expect("web/dist can be written");
    }
    println!("cargo:rerun-if-changed=build.rs");
    // A debug build reads the files when they are asked for, so that a new web app needs no new binary.
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo:rerun-if-changed=../web/dist");
    }
}
