//! What a mail says: sentences of the catalogue in one layout, as text and as HTML.
use chrono::{DateTime, Utc};
use domain::{
    accounts::{auth::links::LinkKind, mail_delivery::Outgoing, users::DateFormat},
    directory::companies::Logo,
    kernel::{access::Role, i18n},
    orders::templates::names,
    outbox::mails::Kind,
};
use minijinja::{AutoEscape, Environment, Output, State as TemplateState};
use serde_json::{Map, Value};
use std::{fmt::Write, sync::LazyLock};

/// A mail ready to be sent.
#[derive(Clone, Debug)]
pub struct Letter {
    pub kind: Kind,
    pub to_name: String,
    pub to_email: String,
    pub message_id: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Stands in the HTML as `cid:logo`.
    pub logo: Option<Logo>,
    /// Where mails of this kind are stopped.
    pub unsubscribe: Option<String>,
}

static LAYOUTS: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut layouts = Environment::new();
    layouts.set_auto_escape_callback(|name| if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None });
    layouts.set_formatter(write);
    layouts.add_template("layout.html", include_str!("layout.html")).expect("the HTML layout is well formed");
    layouts.add_template("layout.txt", include_str!("layout.txt")).expect("the text layout is well formed");
    layouts
});

/// Escapes what HTML needs escaped and no more: the engine's own escapes slashes too, and links are read by people. A line
/// break that a person typed is one in the mail, too; mail programs do not all know `white-space`.
fn write(out: &mut Output, state: &mut TemplateState, value: &minijinja::Value) -> Result<(), minijinja::Error> {
    let AutoEscape::Html = state.auto_escape() else { return minijinja::escape_formatter(out, state, value) };
    for c in value.to_string().chars() {
        match c {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            '\'' => out.write_str("&#39;")?,
            '\n' => out.write_str("<br>\n")?,
            '\r' => {}
            c => out.write_char(c)?,
        }
    }
    Ok(())
}

/// The office as its mails name it.
#[derive(Clone, Copy, Debug)]
pub struct Office<'a> {
    /// What links start with.
    pub public_url: &'a str,
    pub brand: &'a str,
    /// Where replies go; without it nobody reads them.
    pub support: Option<&'a str>,
}

/// Words one attempt, made at `now`.
///
/// # Errors
/// What the template engine refuses.
pub fn letter(outgoing: &Outgoing, now: DateTime<Utc>, office: Office<'_>) -> Result<Letter, minijinja::Error> {
    let Office { public_url, brand, support } = office;
    let mail = &outgoing.mail;
    let language = mail.language.as_str();
    let mut params = mail.data.clone();
    names::translate_values(language, &mut params);
    params.insert("brand".to_owned(), brand.into());
    params.insert("name".to_owned(), mail.to_name.clone().into());
    if let Some(support) = support {
        params.insert("support".to_owned(), support.into());
    }
    params.insert("page".to_owned(), page(mail.kind, public_url).into());
    params.insert("forgot".to_owned(), format!("{public_url}/auth/forgot-password").into());
    params.insert("choices".to_owned(), format!("{public_url}{}", choices(outgoing.role)).into());
    if outgoing.before_setup {
        params.insert("context".to_owned(), "before_setup".into());
    }
    if let Some((identifier, country)) = &outgoing.spv {
        params.insert("identifier".to_owned(), identifier.clone().into());
        params.insert(
            "country".to_owned(),
            i18n::text(language, "names", &format!("country.{country}"), &Map::new()).into(),
        );
    }
    let report = (mail.kind == Kind::Report).then(|| report_page(&params));
    if report.is_some() {
        for (param, names) in [("report", "report"), ("period", "report_period")] {
            let code = params.get(param).and_then(Value::as_str).unwrap_or_default();
            let name = i18n::text(language, "names", &format!("{names}.{code}"), &Map::new());
            params.insert(param.to_owned(), name.into());
        }
    }
    if let Some(kind) = mail.kind.link() {
        let until = i18n::instant(language, outgoing.date_format, &outgoing.time_zone, now + kind.ttl());
        params.insert("until".to_owned(), until.into());
    }

    if let Some(event) = mail.data.get("events").and_then(|events| events.get(0)) {
        let sentence = sentence(language, outgoing.date_format, event);
        // A subject is one line.
        params.insert("first_event".to_owned(), sentence.split_whitespace().collect::<Vec<_>>().join(" ").into());
    }

    let kind = mail.kind.name();
    let of_kind = |part: &str| i18n::find(language, "mails", &format!("{kind}.{part}"), &params);
    let mut words = Map::new();
    for part in ["subject", "heading", "body", "button", "after"] {
        words.insert(part.to_owned(), of_kind(part).into());
    }
    if outgoing.before_setup {
        words.insert("button".to_owned(), Value::Null);
    }
    for key in ["greeting", "link_hint", "code_hint", "link_once", "signature"] {
        let said = of_kind(key).unwrap_or_else(|| i18n::text(language, "mails", key, &params));
        words.insert(key.to_owned(), said.into());
    }
    let automatic = if support.is_some() { "automatic_support" } else { "automatic" };
    words.insert("automatic".to_owned(), i18n::text(language, "mails", automatic, &params).into());
    if let Some(events) = mail.data.get("events").and_then(Value::as_array) {
        let more = mail.data.get("more").and_then(Value::as_i64).filter(|more| *more > 0);
        let more = more.map(|more| Map::from_iter([("count".to_owned(), more.into())]));
        let rest = more.map(|count| i18n::text(language, "mails", "more", &count));
        let lines = events.iter().map(|event| sentence(language, outgoing.date_format, event)).chain(rest);
        words.insert("items".to_owned(), lines.map(Value::from).collect());
    }
    let items = mail.data.get("steps").or_else(|| mail.data.get("documents"));
    if let Some(items) = items.and_then(Value::as_array) {
        words.insert(
            "items".to_owned(),
            items.iter().map(|of| item(language, outgoing.date_format, kind, of)).collect(),
        );
    }
    words.insert("lang".to_owned(), language.into());
    words.insert("logo".to_owned(), outgoing.logo.is_some().into());
    words.insert("brand".to_owned(), brand.into());
    let link = outgoing.link.as_ref().map_or_else(
        || format!("{public_url}{}", report.unwrap_or_else(|| sign_in(outgoing.role).to_owned())),
        |made| made.url.clone(),
    );
    words.insert("link".to_owned(), link.into());
    words.insert("code".to_owned(), outgoing.link.as_ref().map(|made| made.code.clone()).into());
    let words = minijinja::value::Serde(&words);

    Ok(Letter {
        kind: mail.kind,
        to_name: mail.to_name.clone(),
        to_email: mail.to_email.clone(),
        message_id: mail.message_id.clone(),
        subject: of_kind("subject").unwrap_or_else(|| kind.to_owned()),
        text: LAYOUTS.get_template("layout.txt")?.render(words)?,
        html: LAYOUTS.get_template("layout.html")?.render(words)?,
        logo: outgoing.logo.clone(),
        unsubscribe: outgoing.unsubscribe.clone(),
    })
}

/// Where a code is typed in.
fn page(kind: Kind, public_url: &str) -> String {
    match kind.link() {
        Some(link @ (LinkKind::Recovery | LinkKind::Invite)) => format!("{public_url}{}", link.page()),
        Some(link) => format!("{public_url}{}?type={}", link.page(), link.page_type()),
        None => public_url.to_owned(),
    }
}

/// One line of a list: an object of the mail's data, its date written out if it has one.
fn item(language: &str, format: DateFormat, kind: &str, of: &Value) -> Value {
    let mut params = of.as_object().cloned().unwrap_or_default();
    names::translate_values(language, &mut params);
    let due = params.get("due_date").and_then(Value::as_str).and_then(|due| due.parse().ok());
    let key = if due.is_some() { "item" } else { "item_undated" };
    if let Some(due) = due {
        params.insert("due_date".to_owned(), i18n::date(language, format, due).into());
    }
    i18n::text(language, "mails", &format!("{kind}.{key}"), &params).into()
}

/// An event of the log, as the portal words it; some have words of their own for mails, which say less.
fn sentence(language: &str, format: DateFormat, event: &Value) -> String {
    let mut params = event.as_object().cloned().unwrap_or_default();
    let said = |params: &Map<String, Value>, name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let named = |key: String| i18n::find(language, "names", &key, &Map::new());
    if let Some(kind) = said(&params, "actor_kind") {
        let name = said(&params, "actor").unwrap_or_default();
        params.insert("actor".to_owned(), i18n::actor(language, &kind, &name).into());
    }
    let action = said(&params, "action").unwrap_or_default();
    if action == "step.updated" && said(&params, "to").as_deref() == Some("completed") {
        params.insert("context".to_owned(), "completed".into());
    }
    for name in ["from", "to"] {
        if let Some(status) = said(&params, name).and_then(|status| named(format!("step_status.{status}"))) {
            params.insert(name.to_owned(), status.into());
        }
    }
    if let Some(due) = said(&params, "due_date").and_then(|due| due.parse().ok()) {
        params.insert("due_date".to_owned(), i18n::date(language, format, due).into());
    }
    names::translate_values(language, &mut params);
    if let Some(Value::String(subject)) = params.get_mut("subject") {
        *subject = names::translated(language, subject);
    }
    i18n::find(language, "mails", &format!("event.{action}"), &params)
        .unwrap_or_else(|| i18n::text(language, "events", &action, &params))
}

/// Where a report is read: whoever is not signed in comes back to it after signing in.
fn report_page(data: &Map<String, Value>) -> String {
    let said = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let days = match (said("from"), said("to")) {
        ("", _) | (_, "") => format!("period={}", said("period")),
        (from, to) => format!("period=own&from={from}&to={to}"),
    };
    format!("/company-dashboard/reports?report={}&{days}", said("report"))
}

/// Where people of a role choose what they are mailed about.
fn choices(role: Option<Role>) -> &'static str {
    let Some(role) = role else { return "" };
    match role {
        Role::Client => "/client-profile?tab=notifications",
        Role::Iso => "/iso-dashboard/notifications",
        Role::CompanyAdmin => "/company-dashboard/notifications",
        Role::Employee | Role::SuperAdmin => "/employee-dashboard/notifications",
    }
}

/// Where people of a role sign in (decision 20); whoever has no account writes again.
fn sign_in(role: Option<Role>) -> &'static str {
    let Some(role) = role else { return "/contact" };
    match role {
        Role::Client => "/auth/login/client",
        Role::Iso => "/auth/login/iso",
        Role::CompanyAdmin => "/auth/login/company",
        Role::Employee | Role::SuperAdmin => "/auth/login/employee",
    }
}

#[cfg(test)]
mod tests;
