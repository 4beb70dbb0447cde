//! Logging to stderr: text for people, or JSON with the fields of the surrounding spans for machines.
use crate::config::LogFormat;
use serde_json::{Map, Value};
use std::{fmt, io::IsTerminal};
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    EnvFilter,
    fmt::{
        FmtContext, FormatEvent, FormatFields, FormattedFields,
        format::{JsonFields, Writer},
        time::{FormatTime, SystemTime},
    },
    registry::{LookupSpan, Scope},
};

/// Installs the global subscriber. `filter` was validated with the configuration.
pub fn start(filter: &str, format: LogFormat) {
    // The worker logs what apalis would log.
    let filter = EnvFilter::try_new(format!("apalis_core=off,{filter}")).unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // `log_internal_errors` would write to the same stderr when it fails (disk full), which panics.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(colours)
        .log_internal_errors(false);
    // Fails only if a subscriber is installed already, which stays.
    let _ = match format {
        LogFormat::Text => log.with_target(false).try_init(),
        LogFormat::Json => log.with_ansi(false).fmt_fields(JsonFields::new()).event_format(FlatJson).try_init(),
    };
}

/// One flat JSON object per event. The fields of the surrounding spans stand beside the event's own, so that a search for
/// `job_id` or `request_id` finds every line inside. An inner field replaces an outer one of the same name. `span` is the
/// path of the spans' names.
struct FlatJson;

impl<S> FormatEvent<S, JsonFields> for FlatJson
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (mut fields, mut names) = (Map::new(), Vec::new());
        for span in ctx.event_scope().into_iter().flat_map(Scope::from_root) {
            names.push(span.name());
            if let Some(formatted) = span.extensions().get::<FormattedFields<JsonFields>>() {
                fields.append(&mut parse_object(formatted));
            }
        }
        let mut own = String::new();
        ctx.format_fields(Writer::new(&mut own), event)?;
        fields.append(&mut parse_object(&own));
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        let metadata = event.metadata();
        let path = names.join(":");
        let head = [
            ("timestamp", timestamp.as_str()),
            ("level", metadata.level().as_str()),
            ("target", metadata.target()),
            ("span", path.as_str()),
        ];
        let head = head.into_iter().filter(|(_, value)| !value.is_empty());
        let head = head.map(|(name, value)| (name.to_owned(), Value::from(value)));
        let pairs = head.into_iter().chain(fields).map(|(name, value)| format!("{}:{value}", Value::from(name)));
        writeln!(writer, "{{{}}}", pairs.collect::<Vec<_>>().join(","))
    }
}

fn parse_object(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::Write,
        sync::{Arc, Mutex},
    };

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn json_lines_carry_the_fields_of_all_surrounding_spans() {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let log = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .fmt_fields(JsonFields::new())
            .event_format(FlatJson)
            .finish();
        tracing::subscriber::with_default(log, || {
            let job = tracing::error_span!("job", job_id = "01JD", attempt = 1, order = "outer").entered();
            let step = tracing::error_span!("step", order = "inner").entered();
            tracing::info!(count = 2, "sent");
            drop((step, job));
        });
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let mut line: Map<String, Value> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(line.remove("timestamp").is_some_and(|at| at.is_string()) && line.remove("target").is_some(), "{text}");
        let expected = serde_json::json!({
            "level": "INFO", "span": "job:step", "message": "sent", "count": 2, "job_id": "01JD", "attempt": 1,
            "order": "inner",
        });
        assert_eq!(Value::from(line), expected);
    }
}
