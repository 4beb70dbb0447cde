//! Progress of long commands on a terminal: a count with its rate and remaining time, or a spinner with a message. Hidden by
//! indicatif when stderr is no terminal.
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::{fmt::Write, time::Duration};

/// A bar that counts up to `total` of something: `1,200/20,000 orders · 450/s · 40 s left`.
pub fn bar(total: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(counting(unit));
    bar
}

/// A spinner; its message is set with [`ProgressBar::set_message`].
pub fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template of ours"));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// The style of [`bar`], for a spinner whose total is known by now.
pub fn counting(unit: &str) -> ProgressStyle {
    ProgressStyle::with_template(&format!("{{bar:30}} {{human_pos}}/{{human_len}} {unit} · {{rate}}/s · {{left}} left"))
        .expect("a template of ours")
        .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{:.0}", state.per_sec());
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&duration(state.eta()));
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
