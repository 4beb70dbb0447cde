//! Interactive prompts. Without a terminal a missing value is an error that names its flag.
use crate::{
    exit::{Failure, LANGUAGE, Result},
    output::clean,
};
use dialoguer::{Confirm, Input, Select, theme::ColorfulTheme};
use domain::kernel::{error::FieldError, error::Problem, i18n};
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
            None => Ok(Input::with_theme(&ColorfulTheme::default())
                .with_prompt(question)
                .validate_with(|text: &String| match text.trim().is_empty() {
                    true => Err(problem_message(Problem::new("required"))),
                    false => check(text).map_err(problem_message),
                })
                .interact_text()?),
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
        let text: String = Input::with_theme(&ColorfulTheme::default())
            .with_prompt(format!("{question} (may be left empty)"))
            .allow_empty(true)
            .interact_text()?;
        Ok((!text.trim().is_empty()).then_some(text))
    }

    /// Index of the selected item; the first is preselected.
    ///
    /// # Errors
    /// Refused if the prompt is interrupted.
    pub fn select(&self, question: &str, items: &[String]) -> Result<usize> {
        let items: Vec<String> = items.iter().map(|item| clean(item)).collect();
        Select::with_theme(&ColorfulTheme::default())
            .with_prompt(question)
            .items(&items)
            .default(0)
            .interact_opt()?
            .ok_or_else(|| Failure::Refused("nothing was done".to_owned()))
    }

    /// Asks for confirmation of an irreversible action; `--yes` confirms.
    ///
    /// # Errors
    /// Refused after a no; Usage without a terminal.
    pub fn confirm(&self, question: &str) -> Result {
        if self.yes {
            return Ok(());
        }
        if !self.terminal {
            return Err(Failure::Usage(format!("{} Give --yes to do it without being asked.", clean(question))));
        }
        match Confirm::with_theme(&ColorfulTheme::default()).with_prompt(clean(question)).default(false).interact()? {
            true => Ok(()),
            false => Err(Failure::Refused("nothing was done".to_owned())),
        }
    }
}

/// A check for [`Prompt::text`] that accepts every answer: empty ones are refused there.
pub fn non_empty(_: &str) -> Result<(), Problem> {
    Ok(())
}

fn problem_message(problem: Problem) -> String {
    i18n::field(LANGUAGE, &FieldError { field: String::new(), problem })
}
