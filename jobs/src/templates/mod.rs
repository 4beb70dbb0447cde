//! Mail templates: renders the message texts of `mails.json` into one layout, as text and HTML.
use chrono::{DateTime, Utc};
use domain::{
    accounts::{
        auth::{device, links::LinkKind},
        mail_delivery::Outgoing,
        users::DateFormat,
    },
    directory::companies::Logo,
    kernel::{access::Role, i18n},
    orders::templates::names,
    outbox::mails::{Kind, Mail, SECURE_LINK_TTL, SecurityAct},
};
use minijinja::{AutoEscape, Environment, Output, State as TemplateState};
use serde_json::{Map, Value};
use std::{fmt::Write, sync::LazyLock};

/// A rendered mail, ready to send.
#[derive(Clone, Debug)]
pub struct RenderedMail {
    pub kind: Kind,
    pub to_name: String,
    pub to_email: String,
    pub message_id: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Referenced in the HTML as `cid:logo`.
    pub logo: Option<Logo>,
    /// Unsubscribe link for this kind of mail.
    pub unsubscribe: Option<String>,
}

static LAYOUTS: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut layouts = Environment::new();
    layouts.set_auto_escape_callback(|name| if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None });
    layouts.set_formatter(write_escaped);
    layouts.add_template("layout.html", include_str!("layout.html")).expect("the HTML layout is well formed");
    layouts.add_template("layout.txt", include_str!("layout.txt")).expect("the text layout is well formed");
    layouts
});

/// HTML escaping that keeps slashes, unlike minijinja's, so that links stay readable. Line breaks of user texts become
/// `<br>`, as not all mail programs support `white-space`.
fn write_escaped(
    out: &mut Output,
    state: &mut TemplateState,
    value: &minijinja::Value,
) -> Result<(), minijinja::Error> {
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

/// The office's name and addresses for its mails.
#[derive(Clone, Copy, Debug)]
pub struct Office<'a> {
    /// Base URL of links.
    pub public_url: &'a str,
    pub brand: &'a str,
    /// Reply address. Without it the mail says that replies are not read.
    pub support: Option<&'a str>,
}

/// Renders one delivery attempt, made at `now`.
///
/// # Errors
/// Errors of the template engine.
pub fn render(outgoing: &Outgoing, now: DateTime<Utc>, office: Office<'_>) -> Result<RenderedMail, minijinja::Error> {
    let mail = &outgoing.mail;
    let params = message_params(outgoing, now, office);
    let texts = layout_texts(outgoing, office, &params);
    let texts = minijinja::value::Serde(&texts);
    Ok(RenderedMail {
        kind: mail.kind,
        to_name: mail.to_name.clone(),
        to_email: mail.to_email.clone(),
        message_id: mail.message_id.clone(),
        subject: mail_text(mail, "subject", &params).unwrap_or_else(|| mail.kind.name().to_owned()),
        text: LAYOUTS.get_template("layout.txt")?.render(texts)?,
        html: LAYOUTS.get_template("layout.html")?.render(texts)?,
        logo: outgoing.logo.clone(),
        unsubscribe: outgoing.unsubscribe.clone(),
    })
}

/// Parameters of the message texts: the mail's data, names in its language, links and dates.
fn message_params(outgoing: &Outgoing, now: DateTime<Utc>, office: Office<'_>) -> Map<String, Value> {
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
    params.insert("page".to_owned(), code_page(mail.kind, public_url).into());
    params.insert("forgot".to_owned(), format!("{public_url}/auth/forgot-password").into());
    params.insert("choices".to_owned(), format!("{public_url}{}", preferences_path(outgoing.role)).into());
    if outgoing.before_setup {
        params.insert("context".to_owned(), "before_setup".into());
    }
    if let Some((identifier, country)) = &outgoing.spv {
        params.insert("identifier".to_owned(), identifier.clone().into());
        let country = i18n::text(language, "names", &format!("country.{country}"), &Map::new());
        params.insert("country".to_owned(), country.into());
    }
    if mail.kind == Kind::Report {
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
    if mail.kind == Kind::SecurityNotice {
        let until = i18n::instant(language, outgoing.date_format, &outgoing.time_zone, now + SECURE_LINK_TTL);
        params.insert("until".to_owned(), until.into());
    }
    if let Some(event) = mail.data.get("events").and_then(|events| events.get(0)) {
        let sentence = event_sentence(language, outgoing.date_format, event);
        // A subject is one line.
        params.insert("first_event".to_owned(), sentence.split_whitespace().collect::<Vec<_>>().join(" ").into());
    }
    params
}

/// The text `part` of this kind of mail; `None` if the kind has none.
fn mail_text(mail: &Mail, part: &str, params: &Map<String, Value>) -> Option<String> {
    i18n::find(&mail.language, "mails", &format!("{}.{part}", mail.kind.name()), params)
}

/// Everything that the layouts print.
fn layout_texts(outgoing: &Outgoing, office: Office<'_>, params: &Map<String, Value>) -> Map<String, Value> {
    let Office { public_url, brand, support } = office;
    let mail = &outgoing.mail;
    let language = mail.language.as_str();
    let mut texts = Map::new();
    for part in ["subject", "heading", "body", "button", "after"] {
        texts.insert(part.to_owned(), mail_text(mail, part, params).into());
    }
    if outgoing.before_setup {
        texts.insert("button".to_owned(), Value::Null);
    }
    for key in ["greeting", "link_hint", "code_hint", "link_once", "signature"] {
        let text = mail_text(mail, key, params).unwrap_or_else(|| i18n::text(language, "mails", key, params));
        texts.insert(key.to_owned(), text.into());
    }
    let automatic = if support.is_some() { "automatic_support" } else { "automatic" };
    texts.insert("automatic".to_owned(), i18n::text(language, "mails", automatic, params).into());
    if let Some(items) = list_items(outgoing) {
        texts.insert("items".to_owned(), items.into());
    }
    if matches!(mail.kind, Kind::Notices | Kind::Digest) && !outgoing.before_setup {
        texts.insert("choices".to_owned(), params.get("choices").cloned().into());
        texts.insert("manage".to_owned(), i18n::text(language, "mails", "manage", params).into());
    }
    texts.insert("preheader".to_owned(), preheader(mail.kind, &texts).into());
    texts.insert("lang".to_owned(), language.into());
    texts.insert("logo".to_owned(), outgoing.logo.is_some().into());
    texts.insert("brand".to_owned(), brand.into());
    let link = match (&outgoing.link, &outgoing.secure_account) {
        (Some(link), _) => link.url.clone(),
        (None, Some(url)) => url.clone(),
        _ if mail.kind == Kind::Report => format!("{public_url}{}", report_path(&mail.data)),
        _ => format!("{public_url}{}", subject_path(outgoing).unwrap_or_else(|| sign_in_path(outgoing.role).into())),
    };
    texts.insert("link".to_owned(), link.into());
    let is_one_time = outgoing.link.is_some() || outgoing.secure_account.is_some();
    texts.insert("spell_out_link".to_owned(), is_one_time.into());
    texts.insert("code".to_owned(), outgoing.link.as_ref().map(|link| link.code.clone()).into());
    texts
}

/// The lines of a mail with a list: events with a count of further ones, steps or documents, or the facts of an act.
fn list_items(outgoing: &Outgoing) -> Option<Vec<Value>> {
    let mail = &outgoing.mail;
    let language = mail.language.as_str();
    if mail.kind == Kind::SecurityNotice {
        return Some(security_facts(outgoing));
    }
    if let Some(events) = mail.data.get("events").and_then(Value::as_array) {
        let more = mail.data.get("more").and_then(Value::as_i64).filter(|more| *more > 0);
        let more = more.map(|more| Map::from_iter([("count".to_owned(), more.into())]));
        let more = more.map(|count| i18n::text(language, "mails", "more", &count));
        let lines = events.iter().map(|event| event_sentence(language, outgoing.date_format, event));
        return Some(lines.chain(more).map(Value::from).collect());
    }
    let rows = mail.data.get("steps").or_else(|| mail.data.get("documents"))?.as_array()?;
    Some(rows.iter().map(|row| list_item(language, outgoing.date_format, mail.kind.name(), row)).collect())
}

/// When and from where an act was done, and by whom if not by the recipient.
fn security_facts(outgoing: &Outgoing) -> Vec<Value> {
    let mail = &outgoing.mail;
    let language = mail.language.as_str();
    let said = |name: &str| mail.data.get(name).and_then(Value::as_str).map(str::to_owned);
    let time = i18n::instant(language, outgoing.date_format, &outgoing.time_zone, mail.created_at);
    let by = said("by_kind").map(|kind| i18n::actor(language, &kind, &said("by").unwrap_or_default()));
    let device = device::name(language, said("user_agent").as_deref());
    [("time", Some(time)), ("by", by), ("device", device), ("address", said("address"))]
        .into_iter()
        .filter_map(|(fact, value)| {
            let params = Map::from_iter([("value".to_owned(), value?.into())]);
            Some(i18n::text(language, "mails", &format!("security_notice.fact_{fact}"), &params).into())
        })
        .collect()
}

/// The page for entering the one-time code.
fn code_page(kind: Kind, public_url: &str) -> String {
    match kind.link() {
        Some(link @ (LinkKind::Recovery | LinkKind::Invite)) => format!("{public_url}{}", link.page()),
        Some(link) => format!("{public_url}{}?type={}", link.page(), link.page_type()),
        None => public_url.to_owned(),
    }
}

/// One line of a list in a mail, with its formatted due date if it has one.
fn list_item(language: &str, format: DateFormat, kind: &str, of: &Value) -> Value {
    let mut params = of.as_object().cloned().unwrap_or_default();
    names::translate_values(language, &mut params);
    let due = params.get("due_date").and_then(Value::as_str).and_then(|due| due.parse().ok());
    let key = if due.is_some() { "item" } else { "item_undated" };
    if let Some(due) = due {
        params.insert("due_date".to_owned(), i18n::date(language, format, due).into());
    }
    i18n::text(language, "mails", &format!("{kind}.{key}"), &params).into()
}

/// An activity entry as a sentence. Some have a text for mails that discloses less than the portal's.
fn event_sentence(language: &str, format: DateFormat, event: &Value) -> String {
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
    if let Some(act) = said(&params, "act").and_then(|act| named(format!("approval_act.{act}"))) {
        params.insert("act".to_owned(), act.into());
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

/// Path of a report; the sign-in page returns to it.
fn report_path(data: &Map<String, Value>) -> String {
    let said = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let days = match (said("from"), said("to")) {
        ("", _) | (_, "") => format!("period={}", said("period")),
        (from, to) => format!("period=own&from={from}&to={to}"),
    };
    format!("/company-dashboard/reports?report={}&{days}", said("report"))
}

/// The line that mail programs show after the subject: the first item of a list, else the beginning of the text.
fn preheader(kind: Kind, texts: &Map<String, Value>) -> String {
    let items = texts.get("items").filter(|_| kind != Kind::SecurityNotice);
    let first = items.and_then(|items| items.get(0)).or_else(|| texts.get("body"));
    first.and_then(Value::as_str).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Path of the page that the mail is about, in the recipient's portal; visitors sign in first and return to it. `None`
/// for mails about several things or the account.
fn subject_path(outgoing: &Outgoing) -> Option<String> {
    let mail = &outgoing.mail;
    let role = outgoing.role?;
    let staff = matches!(role, Role::Employee | Role::SuperAdmin);
    if mail.kind == Kind::StepOverdue && staff {
        return Some("/employee-dashboard/tasks".to_owned());
    }
    if mail.security_act() == Some(SecurityAct::SuperAdminMadeByOther) {
        let id = mail.data.get("subject_id").and_then(Value::as_str)?;
        return Some(format!("/admin-dashboard/users/{id}"));
    }
    if let Some(spv) = mail.spv_id {
        return order_path(role, &spv.to_string());
    }
    let [event] = mail.data.get("events")?.as_array()?.as_slice() else { return None };
    let said = |name: &str| event.get(name).and_then(Value::as_str);
    let id = said("subject_id").unwrap_or_default();
    match (role, said("subject_kind").unwrap_or_default()) {
        (Role::Client, "thread") => Some(format!("/client-dashboard/messages?thread={id}")),
        (Role::Client, "invoice") => Some(format!("/client-dashboard/billing/{id}")),
        (Role::Client, "document") => Some(format!("/client-dashboard/documents/{id}")),
        (Role::Employee | Role::SuperAdmin, "thread") => Some(format!("/employee-dashboard/messages?thread={id}")),
        (Role::Employee | Role::SuperAdmin, "request") => Some(format!("/request-management/{id}")),
        (Role::Employee | Role::SuperAdmin, "invoice") => Some(format!("/employee-dashboard/invoices/{id}")),
        (Role::Employee | Role::SuperAdmin, "document") => Some(format!("/employee-dashboard/documents/{id}")),
        (Role::SuperAdmin, "approval") => Some("/admin-dashboard/approvals".to_owned()),
        (Role::Iso, "commission" | "payout") => Some("/iso-dashboard/commissions".to_owned()),
        (Role::Iso, "lead") => Some("/iso-dashboard/leads".to_owned()),
        (Role::Iso, "call") => Some("/iso-dashboard/calls".to_owned()),
        _ => order_path(role, said("spv_id")?),
    }
}

/// Path of an order in the portals that have a page of it.
fn order_path(role: Role, id: &str) -> Option<String> {
    match role {
        Role::Client => Some(format!("/client-dashboard/orders/{id}")),
        Role::Employee | Role::SuperAdmin => Some(format!("/employee-dashboard/orders/{id}")),
        Role::Iso | Role::CompanyAdmin => None,
    }
}

/// Path of the role's notification preferences.
fn preferences_path(role: Option<Role>) -> &'static str {
    let Some(role) = role else { return "" };
    match role {
        Role::Client => "/client-profile?tab=notifications",
        Role::Iso => "/iso-dashboard/notifications",
        Role::CompanyAdmin => "/company-dashboard/notifications",
        Role::Employee | Role::SuperAdmin => "/employee-dashboard/notifications",
    }
}

/// Path of the role's sign-in page (separate portals, decision 20); the contact page without an account.
fn sign_in_path(role: Option<Role>) -> &'static str {
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
