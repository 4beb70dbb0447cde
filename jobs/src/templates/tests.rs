use super::*;
use chrono::TimeZone;
use domain::{
    accounts::auth::links::IssuedLink,
    kernel::ids::{MailId, UserId},
    outbox::mails::{Mail, Status},
};
use serde_json::json;

const OFFICE: Office<'_> = Office { public_url: "https://portal.example.com", brand: "SPV Portal", support: None };

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).unwrap()
}

fn outgoing(kind: Kind, language: &str, name: &str) -> Outgoing {
    let about_order =
        matches!(kind, Kind::SpvCreated | Kind::SpvClosed | Kind::DocumentRequested | Kind::DocumentReturned);
    let data = match kind {
        Kind::StepOverdue => json!({ "count": 2, "steps": [
            { "identifier": "SPV-2026-001", "step_name": "Registered agent appointed", "due_date": "2026-11-18" },
            { "identifier": "SPV-2026-002", "step_name": "Bank account opened", "due_date": "2026-11-20" },
        ] }),
        Kind::DocumentRequested => json!({ "documents": [
            { "name": "Passport copy", "due_date": "2026-12-03" }, { "name": "Proof of address", "due_date": null },
        ] }),
        Kind::DocumentReturned => json!({ "document": "Passport copy", "reason": "The second page is cut off." }),
        Kind::Notices | Kind::Digest => json!({ "count": 3, "more": 1, "events": [
            { "action": "message.sent", "actor": "Erin Brandt", "actor_kind": "employee", "subject": "SPV-2026-001" },
            { "action": "step.overdue", "actor": "steps.remind", "actor_kind": "system", "subject": "SPV-2026-001",
                "step_name": "KYC and beneficial owners", "due_date": "2026-11-20" },
        ] }),
        Kind::Report => json!({ "report": "portfolio", "period": "last_month", "company": "Meridian Capital" }),
        Kind::RequestAnswered => json!({ "reference": "REQ-6f1c2d3e", "reason": "The letter is on its way." }),
        Kind::RequestDeclined => {
            json!({ "reference": "REQ-6f1c2d3e", "reason": "We only form vehicles for companies." })
        }
        Kind::EmailChangeCurrent | Kind::EmailChangeNew => json!({ "new_email": "maya.ortiz@example.org" }),
        _ => json!({}),
    };
    Outgoing {
        mail: Mail {
            id: MailId(uuid::Uuid::nil()),
            kind,
            user_id: (!matches!(kind, Kind::RequestDeclined | Kind::RequestAnswered))
                .then_some(UserId(uuid::Uuid::nil())),
            spv_id: None,
            to_email: "maya@example.com".to_owned(),
            to_name: name.to_owned(),
            language: language.to_owned(),
            data: data.as_object().cloned().unwrap(),
            message_id: "<00000000-0000-0000-0000-000000000000@portal.example.com>".to_owned(),
            status: Status::Queued,
            attempts: 1,
            last_error: None,
            created_at: noon(),
            sent_at: None,
            flow_id: None,
        },
        role: match kind {
            Kind::RequestDeclined | Kind::RequestAnswered => None,
            Kind::StepOverdue => Some(Role::Employee),
            Kind::Report => Some(Role::CompanyAdmin),
            _ => Some(Role::Client),
        },
        time_zone: "America/New_York".to_owned(),
        date_format: DateFormat::Auto,
        link: kind.link().map(|link| IssuedLink {
            url: format!("https://portal.example.com{}?token_hash=abc&type={}", link.page(), link.page_type()),
            token: "abc".to_owned(),
            code: "042137".to_owned(),
        }),
        spv: about_order.then(|| ("SPV-2026-001".to_owned(), "AE".to_owned())),
        logo: None,
        unsubscribe: None,
        before_setup: false,
    }
}

fn worded(kind: Kind, language: &str, name: &str) -> Letter {
    letter(&outgoing(kind, language, name), noon(), OFFICE).unwrap()
}

#[test]
fn every_mail_reads_as_it_did() {
    for language in ["en-US", "es"] {
        for kind in Kind::ALL {
            let letter = worded(kind, language, "Maya Ortiz");
            let name = format!("{}-{}", kind.name(), &language[..2]);
            insta::assert_snapshot!(format!("{name}-text"), format!("Subject: {}\n\n{}", letter.subject, letter.text));
            insta::assert_snapshot!(format!("{name}-html"), letter.html);
        }
    }
}

/// The first address of the portal in a text.
fn address_in(text: &str) -> Option<&str> {
    let from = text.find("https://portal.example.com")?;
    let end = text[from..].find(|c: char| c.is_whitespace() || matches!(c, '"' | '<')).unwrap_or(text.len() - from);
    Some(&text[from..from + end])
}

#[test]
fn every_mail_leads_to_the_same_place_from_both_its_parts() {
    for language in ["en-US", "es"] {
        for kind in Kind::ALL {
            let letter = worded(kind, language, "Maya Ortiz");
            let (text, html) = (letter.text.trim(), letter.html.trim());
            assert!(!letter.subject.is_empty() && !text.contains("</") && html.ends_with("</html>"), "{kind:?}");
            let link = address_in(text);
            // A code is typed where one is already.
            assert_eq!(link.is_some(), kind != Kind::Reauthentication, "{kind:?} {language}: {text}");
            let Some(link) = link else { continue };
            let href = format!("href=\"{}\"", link.replace('&', "&amp;"));
            assert!(html.replace("&#x2f;", "/").contains(&href), "{kind:?} {language}: no {href} in {html}");
            if let Some(one_time) = kind.link() {
                assert!(link.contains(one_time.page()) && link.contains("token_hash=abc"), "{kind:?}: {link}");
            }
        }
    }
}

#[test]
fn no_mail_has_a_hole_in_it() {
    for language in ["en-US", "en-GB", "es"] {
        for kind in Kind::ALL {
            let letter = worded(kind, language, "Maya Ortiz");
            for text in [&letter.subject, &letter.text, &letter.html] {
                assert!(
                    !text.contains("{{") && !text.contains(">none<") && !text.contains("()"),
                    "{kind:?} {language}: {text}"
                );
            }
        }
    }
}

#[test]
fn before_setup_a_mail_has_no_button_and_says_how_to_set_a_password() {
    let kinds = [
        Kind::SpvCreated,
        Kind::SpvClosed,
        Kind::DocumentRequested,
        Kind::DocumentReturned,
        Kind::Notices,
        Kind::Digest,
    ];
    for language in ["en-US", "en-GB", "es"] {
        for kind in kinds {
            let outgoing = Outgoing { before_setup: true, ..outgoing(kind, language, "Maya Ortiz") };
            let letter = letter(&outgoing, noon(), OFFICE).unwrap();
            assert!(
                !letter.html.contains("href=") && !letter.text.contains("/auth/login"),
                "{kind:?}: {}",
                letter.text
            );
            assert!(
                letter.text.contains("https://portal.example.com/auth/forgot-password"),
                "{kind:?}: {}",
                letter.text
            );
        }
    }
    let returned = Outgoing { before_setup: true, ..outgoing(Kind::DocumentReturned, "en-US", "Maya") };
    let letter = letter(&returned, noon(), OFFICE).unwrap();
    assert!(letter.text.contains("The second page is cut off."));
}

#[test]
fn a_welcome_to_an_account_with_its_own_password_says_nothing_of_choosing_one() {
    for (language, chosen, given) in
        [("en-US", "password", "choose a new one"), ("es", "contraseña", "elija una nueva")]
    {
        let mut own = outgoing(Kind::Welcome, language, "Maya");
        own.mail.data.insert("context".to_owned(), "own_password".into());
        let letter = letter(&own, noon(), OFFICE).unwrap();
        assert!(!letter.text.contains(chosen) && letter.text.contains("/auth/login/client"), "{}", letter.text);
        assert!(worded(Kind::Welcome, language, "Maya").text.contains(given));
    }
}

#[test]
fn names_of_shipped_steps_and_documents_are_in_the_readers_language() {
    for (kind, said, own) in [
        (Kind::StepOverdue, "Agente registrado designado", "Registered agent"),
        (Kind::DocumentRequested, "Copia del pasaporte, ", "Passport"),
        (Kind::DocumentReturned, "«Copia del pasaporte»", "Passport"),
        (Kind::Digest, "KYC y beneficiarios finales", "KYC and"),
    ] {
        let letter = worded(kind, "es", "Maya");
        assert!(letter.text.contains(said) && letter.html.contains(said), "{kind:?}: {}", letter.text);
        assert!(!letter.text.contains(own) && !letter.subject.contains(own), "{kind:?}: {}", letter.text);
    }
}

#[test]
fn one_late_step_is_one() {
    let mut one = outgoing(Kind::StepOverdue, "en-US", "Eli");
    one.mail.data.insert("count".to_owned(), 1.into());
    assert_eq!(letter(&one, noon(), OFFICE).unwrap().subject, "1 step is overdue");
}

#[test]
fn markup_in_a_name_is_text() {
    let letter = worded(Kind::Welcome, "en-US", "<img src=x onerror=\"alert('1')\"> {{ brand }}");
    assert!(
        letter.html.contains("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; {{ brand }}"),
        "{}",
        letter.html
    );
    assert!(letter.text.contains("<img src=x onerror=\"alert('1')\">"));
}

#[test]
fn line_breaks_of_people_are_line_breaks_in_html() {
    let mut returned = outgoing(Kind::DocumentReturned, "en-US", "Ana");
    returned.mail.data.insert("reason".to_owned(), "Page 2 is cut off.\r\n\r\n<b>Scan</b> it again:\n- whole".into());
    let mut asked = outgoing(Kind::DocumentRequested, "en-US", "Ana");
    asked.mail.data.insert("documents".to_owned(), json!([{ "name": "Passport\nboth pages", "due_date": null }]));
    let said = |outgoing: &Outgoing| letter(outgoing, noon(), OFFICE).unwrap();
    let html = said(&returned).html;
    let wanted = "Page 2 is cut off.<br>\n<br>\n&lt;b&gt;Scan&lt;/b&gt; it again:<br>\n- whole";
    assert!(html.contains(wanted), "{html}");
    assert!(said(&returned).text.contains("it again:\n- whole"));
    assert!(said(&asked).html.contains("Passport<br>\nboth pages"));
}

#[test]
fn replies_are_said_to_go_where_they_go() {
    let office = Office { support: Some("help@example.com"), ..OFFICE };
    let said = letter(&outgoing(Kind::Welcome, "en-US", "Ana"), noon(), office).unwrap();
    for part in [&said.text, &said.html] {
        assert!(part.contains("write to help@example.com.") && !part.contains("monitored"), "{part}");
    }
}

#[test]
fn people_are_sent_to_their_own_portal() {
    for (role, path) in [
        (Role::Client, "/auth/login/client"),
        (Role::Iso, "/auth/login/iso"),
        (Role::CompanyAdmin, "/auth/login/company"),
        (Role::SuperAdmin, "/auth/login/employee"),
    ] {
        let outgoing = Outgoing { role: Some(role), ..outgoing(Kind::Welcome, "en-US", "Ana") };
        let letter = letter(&outgoing, noon(), OFFICE).unwrap();
        assert!(letter.text.contains(&format!("https://portal.example.com{path}\n")), "{}", letter.text);
    }
}

#[test]
fn both_languages_say_everything() {
    let read = |text: &str| -> Vec<String> {
        let all: Map<String, Value> = serde_json::from_str(text).unwrap();
        all.keys().cloned().collect()
    };
    let en = read(include_str!("../../../domain/messages/en/mails.json"));
    let es = read(include_str!("../../../domain/messages/es/mails.json"));
    assert_eq!(en, es);
}
