//! Interactive prompts. Without a terminal a missing value is an error that names its flag.
use crate::{
    exit::{Failure, LANGUAGE, Result},
    output::{clean, info},
    shutdown,
};
use dialoguer::{FuzzySelect, Input, theme::ColorfulTheme};
use domain::{
    Error,
    kernel::{
        error::{FieldError, Problem},
        i18n,
        validate::{LINE, Validator},
    },
};
use std::io::IsTerminal;

#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    terminal: bool,
    yes: bool,
}

impl Prompt {
    pub fn new(yes: bool) -> Self {
        Self { terminal: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(), yes }
    }

    /// Whether a required flag is missing, so that prompts follow. Each pair is a flag and whether it was given.
    ///
    /// # Errors
    /// Usage, naming every missing flag, without a terminal.
    pub fn missing(&self, flags: &[(&str, bool)]) -> Result<bool> {
        let missing: Vec<String> =
            flags.iter().filter(|(_, given)| !given).map(|(flag, _)| format!("--{flag}")).collect();
        if missing.is_empty() {
            return Ok(false);
        }
        if self.terminal {
            return Ok(true);
        }
        Err(Failure::Usage(format!(
            "missing {}; give it, or run the command on a terminal to be asked",
            missing.join(", ")
        )))
    }

    /// Refuses a missing argument where there is no terminal to ask on.
    ///
    /// # Errors
    /// Usage without a terminal, naming what is missing.
    pub fn needs(&self, what: &str) -> Result {
        if self.terminal {
            return Ok(());
        }
        Err(Failure::Usage(format!("missing {what}; give it, or run the command on a terminal to be asked")))
    }

    /// The given value, or the answer to a prompt, which repeats until `check` accepts it.
    ///
    /// # Errors
    /// Refused if the prompt is interrupted.
    pub fn text(
        &self,
        given: Option<String>,
        question: &str,
        check: impl Fn(&str) -> Result<(), Problem>,
    ) -> Result<String> {
        match given {
            Some(value) => Ok(value),
            None => ask(|| {
                Input::with_theme(&ColorfulTheme::default())
                    .with_prompt(question)
                    .validate_with(|text: &String| match text.trim().is_empty() {
                        true => Err(problem_message(Problem::new("required"))),
                        false => check(text).map_err(problem_message),
                    })
                    .interact_text()
            }),
        }
    }

    /// As [`Prompt::text`]; an empty answer is `None`.
    ///
    /// # Errors
    /// Refused if the prompt is interrupted.
    pub fn optional(&self, given: Option<String>, question: &str) -> Result<Option<String>> {
        if given.is_some() {
            return Ok(given);
        }
        let text: String = ask(|| {
            Input::with_theme(&ColorfulTheme::default())
                .with_prompt(format!("{question} (may be left empty)"))
                .allow_empty(true)
                .interact_text()
        })?;
        Ok((!text.trim().is_empty()).then_some(text))
    }

    /// Index of the selected item, found by typing some of its letters; the first is preselected.
    ///
    /// # Errors
    /// Refused if the prompt is interrupted.
    pub fn select(&self, question: &str, items: &[String]) -> Result<usize> {
        let items: Vec<String> = items.iter().map(|item| clean(item)).collect();
        ask(|| {
            FuzzySelect::with_theme(&ColorfulTheme::default())
                .with_prompt(question)
                .items(&items)
                .default(0)
                .interact_opt()
        })?
        .ok_or_else(nothing_done)
    }

    /// Asks for a yes to `summary`, which says what would happen; `--yes` answers. For what sends emails, locks out a user,
    /// moves money or cannot be undone.
    ///
    /// # Errors
    /// Refused after a no; Usage without a terminal.
    pub fn confirm(&self, summary: &str) -> Result {
        if self.yes || self.terminal {
            return self.confirm_on_terminal(summary);
        }
        Err(Failure::Usage(format!("{} Give --yes to do it without being asked.", clean(summary))))
    }

    /// As [`Prompt::confirm`], but without a terminal the flags are the answer. For what scripts run as a matter of course.
    ///
    /// # Errors
    /// Refused after a no.
    pub fn confirm_on_terminal(&self, summary: &str) -> Result {
        if self.yes || !self.terminal {
            return Ok(());
        }
        info(summary);
        let is_answer = |text: &str| ["y", "yes", "n", "no", ""].contains(&text);
        // Typed and sent with Enter, so that no single stray key agrees.
        let answer: String = ask(|| {
            Input::with_theme(&ColorfulTheme::default())
                .with_prompt("Continue? [y/N]")
                .allow_empty(true)
                .validate_with(|text: &String| match is_answer(&text.trim().to_lowercase()) {
                    true => Ok(()),
                    false => Err("Type y or n"),
                })
                .interact_text()
        })?;
        if answer.trim().to_lowercase().starts_with('y') { Ok(()) } else { Err(nothing_done()) }
    }
}

/// Opens a prompt. Ctrl-C ends it with an error instead of the process, so that the terminal is left as it was.
fn ask<T>(prompt: impl FnOnce() -> dialoguer::Result<T>) -> Result<T> {
    let interrupts = shutdown::handle_interrupts();
    let answer = prompt();
    if answer.is_ok() {
        drop(interrupts);
    } else {
        // The command ends now, with a message instead of by the signal.
        std::mem::forget(interrupts);
    }
    answer.map_err(|dialoguer::Error::IO(error)| {
        // Prompts that draw a list hide the cursor, the others leave it in their line.
        let terminal = dialoguer::console::Term::stderr();
        let _ = terminal.show_cursor();
        let _ = terminal.write_line("");
        match error.kind() {
            std::io::ErrorKind::Interrupted => Failure::Refused("interrupted; nothing was changed".to_owned()),
            _ => Failure::Fault(error.into()),
        }
    })
}

fn nothing_done() -> Failure {
    Failure::Refused("nothing was done".to_owned())
}

/// A check for [`Prompt::text`] of an email address.
pub fn email(text: &str) -> Result<(), Problem> {
    let mut check = Validator::new();
    check.email("email", text);
    first_problem(check)
}

/// A check for [`Prompt::text`] of a name.
pub fn line(text: &str) -> Result<(), Problem> {
    let mut check = Validator::new();
    check.single_line("name", text, LINE);
    first_problem(check)
}

fn first_problem(check: Validator) -> Result<(), Problem> {
    match check.finish() {
        Err(Error::Invalid(fields)) => fields.into_iter().next().map_or(Ok(()), |field| Err(field.problem)),
        _ => Ok(()),
    }
}

/// A check for [`Prompt::text`] that accepts every answer: empty ones are refused there.
pub fn non_empty(_: &str) -> Result<(), Problem> {
    Ok(())
}

fn problem_message(problem: Problem) -> String {
    i18n::field(LANGUAGE, &FieldError { field: String::new(), problem })
}
