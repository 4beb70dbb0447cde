//! Progress of long commands on a terminal: a count with its rate and remaining time, or a spinner with a message. Hidden by
//! indicatif when stderr is no terminal.
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use std::{fmt::Write, time::Duration};

/// A bar that counts up to `total` of something: `1,200/20,000 orders · 450/s · 40 s left`.
pub fn bar(total: u64, unit: &str) -> ProgressBar {
    let bar = spinner();
    count(&bar, unit, 0, total);
    bar
}

/// A spinner; its message is set with [`ProgressBar::set_message`].
pub fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template of ours"));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// Shows that `done` of `total` are done, as [`bar`]. Another `unit` than before begins a new count.
pub fn count(bar: &ProgressBar, unit: &str, done: u64, total: u64) {
    if bar.prefix() != unit {
        bar.reset();
        bar.set_length(total);
        bar.set_prefix(unit.to_owned());
        bar.set_style(counting(unit));
    }
    bar.set_position(done);
}

fn counting(unit: &str) -> ProgressStyle {
    ProgressStyle::with_template(&format!("{{bar:30}} {{human_pos}}/{{human_len}} {unit}{{pace}}"))
        .expect("a template of ours")
        .with_key("pace", |state: &ProgressState, out: &mut dyn Write| {
            // There is no rate before the first step.
            if state.pos() > 0 {
                let rate = HumanCount(state.per_sec() as u64);
                let _ = write!(out, " · {rate}/s · {} left", duration(state.eta()));
            }
        })
}

/// Seconds to two minutes, then minutes.
fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_has_one_unit() {
        let texts = [0, 119, 120, 121, 3_600].map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(texts, ["0 s", "119 s", "2 min", "3 min", "60 min"]);
    }
}
