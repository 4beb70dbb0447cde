use super::*;
use chrono::TimeZone;
use domain::{
    accounts::auth::links::IssuedLink,
    kernel::ids::{MailId, SpvId, UserId},
    outbox::mails::{Mail, SecurityAct, Status},
};
use serde_json::json;

const OFFICE: Office<'_> = Office { public_url: "https://portal.example.com", brand: "SPV Portal", support: None };

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).unwrap()
}

#[expect(clippy::too_many_lines, reason = "a table of mails")]
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
        Kind::SecurityNotice => json!({
            "context": "factor_added",
            "address": "203.0.113.7",
            "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        }),
        Kind::EmailChangeCurrent | Kind::EmailChangeNew => json!({ "new_email": "maya.ortiz@example.org" }),
        _ => json!({}),
    };
    Outgoing {
        mail: Mail {
            id: MailId(uuid::Uuid::nil()),
            kind,
            user_id: (!matches!(kind, Kind::RequestDeclined | Kind::RequestAnswered))
                .then_some(UserId(uuid::Uuid::nil())),
            spv_id: about_order.then_some(SpvId(uuid::Uuid::nil())),
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
        secure_account: (kind == Kind::SecurityNotice)
            .then(|| "https://portal.example.com/auth/secure-account?token=abc".to_owned()),
        before_setup: false,
    }
}

/// The mail about an act, by the operator where others than the owner do it.
fn security_mail(act: SecurityAct, language: &str) -> RenderedMail {
    let mut outgoing = outgoing(Kind::SecurityNotice, language, "Maya Ortiz");
    let mut data = json!({
        "context": act.name(), "provider": "Google", "passkey": "Work laptop", "subject": "Nora Lund", "subject_id": uuid::Uuid::nil(),
        "from": "maya@example.com", "to": "maya.ortiz@example.org", "address": "203.0.113.7",
    });
    if matches!(
        act,
        SecurityAct::FactorsReset
            | SecurityAct::PasswordSet
            | SecurityAct::LinkMade
            | SecurityAct::SuperAdminMadeByOther
    ) {
        data["by_kind"] = "operator".into();
        data["by"] = "erin".into();
    }
    outgoing.mail.data = data.as_object().cloned().unwrap();
    if !act.secures_account() {
        outgoing.secure_account = None;
        outgoing.role = Some(Role::SuperAdmin);
    }
    render(&outgoing, noon(), OFFICE).unwrap()
}

#[test]
fn every_security_act_matches_its_snapshot() {
    for language in ["en-US", "es"] {
        let texts = SecurityAct::ALL.map(|act| {
            let mail = security_mail(act, language);
            assert!(!mail.subject.contains("security_notice"), "{act:?} {language}: {}", mail.subject);
            assert!(!mail.text.contains("{{") && !mail.text.contains("()"), "{act:?} {language}: {}", mail.text);
            format!("Subject: {}\n\n{}", mail.subject, mail.text)
        });
        insta::assert_snapshot!(format!("security_acts-{}", &language[..2]), texts.join("\n\n========\n\n"));
    }
}

fn render_sample(kind: Kind, language: &str, name: &str) -> RenderedMail {
    render(&outgoing(kind, language, name), noon(), OFFICE).unwrap()
}

#[test]
fn every_mail_matches_its_snapshot() {
    for language in ["en-US", "es"] {
        for kind in Kind::ALL {
            let mail = render_sample(kind, language, "Maya Ortiz");
            let name = format!("{}-{}", kind.name(), &language[..2]);
            insta::assert_snapshot!(format!("{name}-text"), format!("Subject: {}\n\n{}", mail.subject, mail.text));
            insta::assert_snapshot!(format!("{name}-html"), mail.html);
        }
    }
}

/// The first portal URL in a text.
fn address_in(text: &str) -> Option<&str> {
    let from = text.find("https://portal.example.com")?;
    let end = text[from..].find(|c: char| c.is_whitespace() || matches!(c, '"' | '<')).unwrap_or(text.len() - from);
    Some(&text[from..from + end])
}

#[test]
fn text_and_html_parts_have_the_same_link() {
    for language in ["en-US", "es"] {
        for kind in Kind::ALL {
            let mail = render_sample(kind, language, "Maya Ortiz");
            let (text, html) = (mail.text.trim(), mail.html.trim());
            assert!(!mail.subject.is_empty() && !text.contains("</") && html.ends_with("</html>"), "{kind:?}");
            let link = address_in(text);
            // The code is entered on the page that is already open.
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
fn no_mail_has_an_unfilled_placeholder() {
    for language in ["en-US", "en-GB", "es"] {
        for kind in Kind::ALL {
            let mail = render_sample(kind, language, "Maya Ortiz");
            for text in [&mail.subject, &mail.text, &mail.html] {
                assert!(
                    !text.contains("{{") && !text.contains(">none<") && !text.contains("()"),
                    "{kind:?} {language}: {text}"
                );
            }
        }
    }
}

#[test]
fn mails_before_setup_have_no_button_and_explain_setting_a_password() {
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
            let mail = render(&outgoing, noon(), OFFICE).unwrap();
            assert!(!mail.html.contains("href=") && !mail.text.contains("/auth/login"), "{kind:?}: {}", mail.text);
            assert!(mail.text.contains("https://portal.example.com/auth/forgot-password"), "{kind:?}: {}", mail.text);
        }
    }
    let returned = Outgoing { before_setup: true, ..outgoing(Kind::DocumentReturned, "en-US", "Maya") };
    let mail = render(&returned, noon(), OFFICE).unwrap();
    assert!(mail.text.contains("The second page is cut off."));
}

#[test]
fn welcome_mail_with_own_password_does_not_ask_to_choose_one() {
    for (language, chosen, given) in
        [("en-US", "password", "choose a new one"), ("es", "contraseña", "elija una nueva")]
    {
        let mut own = outgoing(Kind::Welcome, language, "Maya");
        own.mail.data.insert("context".to_owned(), "own_password".into());
        let mail = render(&own, noon(), OFFICE).unwrap();
        assert!(!mail.text.contains(chosen) && mail.text.contains("/auth/login/client"), "{}", mail.text);
        assert!(render_sample(Kind::Welcome, language, "Maya").text.contains(given));
    }
}

#[test]
fn shipped_step_and_document_names_are_translated() {
    for (kind, said, own) in [
        (Kind::StepOverdue, "Agente registrado designado", "Registered agent"),
        (Kind::DocumentRequested, "Copia del pasaporte, ", "Passport"),
        (Kind::DocumentReturned, "«Copia del pasaporte»", "Passport"),
        (Kind::Digest, "KYC y beneficiarios finales", "KYC and"),
    ] {
        let mail = render_sample(kind, "es", "Maya");
        assert!(mail.text.contains(said) && mail.html.contains(said), "{kind:?}: {}", mail.text);
        assert!(!mail.text.contains(own) && !mail.subject.contains(own), "{kind:?}: {}", mail.text);
    }
}

#[test]
fn one_overdue_step_uses_the_singular() {
    let mut one = outgoing(Kind::StepOverdue, "en-US", "Eli");
    one.mail.data.insert("count".to_owned(), 1.into());
    assert_eq!(render(&one, noon(), OFFICE).unwrap().subject, "1 step is overdue");
}

#[test]
fn markup_in_names_is_escaped() {
    let mail = render_sample(Kind::Welcome, "en-US", "<img src=x onerror=\"alert('1')\"> {{ brand }}");
    assert!(
        mail.html.contains("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; {{ brand }}"),
        "{}",
        mail.html
    );
    assert!(mail.text.contains("<img src=x onerror=\"alert('1')\">"));
}

#[test]
fn line_breaks_in_user_texts_become_br() {
    let mut returned = outgoing(Kind::DocumentReturned, "en-US", "Ana");
    returned.mail.data.insert("reason".to_owned(), "Page 2 is cut off.\r\n\r\n<b>Scan</b> it again:\n- whole".into());
    let mut asked = outgoing(Kind::DocumentRequested, "en-US", "Ana");
    asked.mail.data.insert("documents".to_owned(), json!([{ "name": "Passport\nboth pages", "due_date": null }]));
    let said = |outgoing: &Outgoing| render(outgoing, noon(), OFFICE).unwrap();
    let html = said(&returned).html;
    let wanted = "Page 2 is cut off.<br>\n<br>\n&lt;b&gt;Scan&lt;/b&gt; it again:<br>\n- whole";
    assert!(html.contains(wanted), "{html}");
    assert!(said(&returned).text.contains("it again:\n- whole"));
    assert!(said(&asked).html.contains("Passport<br>\nboth pages"));
}

#[test]
fn footer_names_the_reply_address() {
    let office = Office { support: Some("help@example.com"), ..OFFICE };
    let said = render(&outgoing(Kind::Welcome, "en-US", "Ana"), noon(), office).unwrap();
    for part in [&said.text, &said.html] {
        assert!(part.contains("write to help@example.com.") && !part.contains("monitored"), "{part}");
    }
}

#[test]
fn links_lead_to_the_sign_in_page_of_the_role() {
    for (role, path) in [
        (Role::Client, "/auth/login/client"),
        (Role::Iso, "/auth/login/iso"),
        (Role::CompanyAdmin, "/auth/login/company"),
        (Role::SuperAdmin, "/auth/login/employee"),
    ] {
        let outgoing = Outgoing { role: Some(role), ..outgoing(Kind::Welcome, "en-US", "Ana") };
        let mail = render(&outgoing, noon(), OFFICE).unwrap();
        assert!(mail.text.contains(&format!("https://portal.example.com{path}\n")), "{}", mail.text);
    }
}

#[test]
fn a_mail_about_one_thing_leads_to_it() {
    let event = json!([{ "action": "invoice.overdue", "actor": "invoices.remind", "actor_kind": "system",
        "subject": "2026-0031", "subject_kind": "invoice", "subject_id": "7", "spv_id": "9", "number": "2026-0031" }]);
    for (role, path) in [
        (Role::Client, "/client-dashboard/billing/7"),
        (Role::Employee, "/employee-dashboard/invoices/7"),
        (Role::Iso, "/auth/login/iso"),
    ] {
        let mut one = Outgoing { role: Some(role), ..outgoing(Kind::Notices, "en-US", "Ana") };
        one.mail.data = Map::from_iter([("count".to_owned(), 1.into()), ("events".to_owned(), event.clone())]);
        let mail = render(&one, noon(), OFFICE).unwrap();
        assert!(mail.text.contains(&format!("https://portal.example.com{path}\n")), "{}", mail.text);
        assert!(mail.html.contains(&format!("{}</div>", mail.subject)), "the preheader: {}", mail.html);
    }
    let two = render_sample(Kind::Notices, "en-US", "Ana");
    assert!(two.text.contains("/auth/login/client\n"), "{}", two.text);
}

#[test]
fn both_languages_have_the_same_keys() {
    let read = |text: &str| -> Vec<String> {
        let all: Map<String, Value> = serde_json::from_str(text).unwrap();
        all.keys().cloned().collect()
    };
    let en = read(include_str!("../../../domain/messages/en/mails.json"));
    let es = read(include_str!("../../../domain/messages/es/mails.json"));
    assert_eq!(en, es);
}
