//! `spvctl completions SHELL`
use crate::{
    exit::{Failure, Result},
    output::{Output, info},
};
use clap_complete::{Shell, env::Shells};
use std::{env, fs, path::PathBuf};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl completions bash --install\n  spvctl completions zsh > _spvctl\n\nNames, email addresses and ids come from the portal that SPV_DATA_DIR or SPV_DATABASE_URL name."
)]
pub struct Args {
    /// Shell to complete in
    #[arg(value_enum)]
    shell: Shell,
    /// Write them where the shell looks for completions of this user: bash, zsh and fish
    #[arg(long)]
    install: bool,
}

pub fn run(args: &Args, out: &Output) -> Result {
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let shell =
        shells.completer(&name).ok_or_else(|| Failure::Usage(format!("there are no completions for {name}")))?;
    let mut script = Vec::new();
    shell.write_registration("COMPLETE", "spvctl", "spvctl", "spvctl", &mut script)?;
    if !args.install {
        return out.raw(&script);
    }
    let file = place(args.shell)?;
    let refused = |e: std::io::Error| Failure::Refused(format!("{} cannot be written: {e}", file.display()));
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(refused)?;
    }
    fs::write(&file, script).map_err(refused)?;
    info(&format!("Completions are in {}; they work in a new shell.", file.display()));
    if args.shell == Shell::Zsh {
        info("zsh finds them if its ~/.zshrc has, before compinit: fpath+=(~/.local/share/zsh/site-functions)");
    }
    Ok(())
}

/// The file in which a shell looks for the completions of this user.
fn place(shell: Shell) -> Result<PathBuf> {
    let home = || env::var_os("HOME").map(PathBuf::from);
    let base = |variable: &str, below: &str| {
        let set = env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
        set.or_else(|| Some(home()?.join(below)))
    };
    let place = match shell {
        Shell::Bash => base("XDG_DATA_HOME", ".local/share").map(|dir| dir.join("bash-completion/completions/spvctl")),
        Shell::Zsh => base("XDG_DATA_HOME", ".local/share").map(|dir| dir.join("zsh/site-functions/_spvctl")),
        Shell::Fish => base("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("fish/completions/spvctl.fish")),
        other => {
            let words = format!(
                "--install knows bash, zsh and fish; `spvctl completions {other}` prints them for a file of yours"
            );
            return Err(Failure::Usage(words));
        }
    };
    place.ok_or_else(|| Failure::Refused("HOME is not set, so there is no place for completions".to_owned()))
}
