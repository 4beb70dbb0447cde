//! Delivers mails of the outbox.
use crate::{job_error, mail::Sender, state::State, templates};
use domain::{
    Ctx,
    accounts::{
        auth::mail_request::{self, SendAuthMailJob},
        mail_delivery,
    },
    kernel::ids::MailId,
    outbox::mails::{self, Send, SendTest},
    platform::queue::{Job, worker::Failure},
};

/// Sends one mail. A second run finds it sent and does nothing. Only a crash between the server's acceptance and our commit
/// sends it twice, with the same Message-ID.
pub async fn send(state: State, job: Send) -> Result<(), Failure> {
    let ctx = state.ctx(Send::NAME);
    deliver(&state, &ctx, job.mail_id, false).await
}

/// Sends a test mail. Never retried: the page that requested it shows the error at once.
pub async fn send_test(state: State, job: SendTest) -> Result<(), Failure> {
    let ctx = state.ctx(SendTest::NAME);
    match deliver(&state, &ctx, job.mail_id, true).await {
        Ok(()) => Ok(()),
        Err(Failure::Retry(why) | Failure::Fail(why)) => {
            mails::mark_failed(&ctx, job.mail_id, &why, true).await.map_err(job_error::classify)
        }
    }
}

/// Records why a test mail failed, when [`send_test`] could not record it or timed out.
pub async fn record_test_failure(state: State, job: SendTest, why: String, last: bool) {
    record_failure(state, Send { mail_id: job.mail_id }, why, last).await;
}

/// Sends a mail and marks it as sent; for a test mail also with the encryption of the connection.
async fn deliver(state: &State, ctx: &Ctx, id: MailId, test: bool) -> Result<(), Failure> {
    let Some(outgoing) = mail_delivery::load_for_sending(ctx, id).await.map_err(job_error::classify)? else {
        return Ok(());
    };
    let settings = domain::platform::settings::get(ctx).await.map_err(job_error::classify)?;
    let support = settings.support_email.as_deref();
    let office = templates::Office { public_url: &ctx.options.public_url, brand: settings.brand(), support };
    let rendered =
        templates::render(&outgoing, ctx.now(), office).map_err(|e| Failure::Fail(format!("cannot be worded: {e}")))?;
    let sender = Sender { from: settings.mail_sender.as_deref(), reply_to: support };
    state.mailer.send(&rendered, sender, ctx.now()).await?;
    let over = if test { state.mailer.negotiate().await.ok().flatten() } else { None };
    mails::mark_sent(ctx, id, over.map(|negotiated| negotiated.data())).await.map_err(job_error::classify)
}

/// Records in the outbox why an attempt failed.
pub async fn record_failure(state: State, job: Send, why: String, last: bool) {
    let ctx = state.ctx(Send::NAME);
    if let Err(error) = mails::mark_failed(&ctx, job.mail_id, &why, last).await {
        tracing::warn!(mail = %job.mail_id, %error, "failure not recorded");
    }
}

/// Queues the authentication mail that was requested, if the account exists.
pub async fn handle_mail_request(state: State, job: SendAuthMailJob) -> Result<(), Failure> {
    mail_request::handle_mail_request(&state.ctx(SendAuthMailJob::NAME), &job).await.map_err(job_error::classify)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        handlers::{
            notifications as notices,
            reminders::{self, RemindOverdue},
            reports as reporting,
            reports::MailReports,
        },
        mail::{Mailer, sender},
    };
    use chrono::Duration;
    use domain::{
        accounts::users,
        desk::{messages, requests},
        kernel::{access::Role, db::Sql, page::PageQuery},
        orders::{
            commissions, document_requests,
            documents::uploads,
            invoices,
            onboarding::{self, Setup},
            steps,
        },
        outbox::{
            mails::Kind,
            notifications::{self, Channels, MailFrequency, SendDigests, SendImmediateMail, SetChoice},
        },
        platform::activity,
        reporting::reports,
        testing::on_both,
    };
    use futures::stream;
    use std::{collections::BTreeSet, convert::Infallible};

    /// Mails about accounts and test mails: no event of an order causes them.
    const ACCOUNT_MAILS: [Kind; 11] = [
        Kind::Welcome,
        Kind::WelcomeSetup,
        Kind::Recovery,
        Kind::MagicLink,
        Kind::ConfirmSignup,
        Kind::AlreadyRegistered,
        Kind::Invite,
        Kind::EmailChangeCurrent,
        Kind::EmailChangeNew,
        Kind::Reauthentication,
        Kind::Test,
    ];
    /// Price, payment, balance, commission, and the amounts of a second order.
    const AMOUNTS: [&str; 7] = ["7341.85", "2198.43", "5143.42", "1613.27", "918273.64", "4417.91", "22956.84"];
    const OFFICE: templates::Office<'_> =
        templates::Office { public_url: "https://portal.example.com", brand: "SPV Portal", support: None };
    const CONTENT: &str = "%PDF-1.7 the passport has the number X4481516";
    const FILE: &str = "scan-of-both-pages.pdf";
    /// From messages, notes and documents.
    const WORDS: [&str; 6] = ["X4481516", FILE, "wire the rest", "when it arrives", "pays late", "to account 98"];

    /// The text without decimal points and thousands separators inside its numbers.
    fn without_separators(text: &str) -> String {
        let all: Vec<char> = text.chars().collect();
        let digit = |n: Option<usize>| n.and_then(|n| all.get(n)).is_some_and(char::is_ascii_digit);
        let apart = |n: usize| " .,'’\u{a0}\u{202f}".contains(all[n]) && digit(n.checked_sub(1)) && digit(Some(n + 1));
        (0..all.len()).filter(|n| !apart(*n)).map(|n| all[n]).collect()
    }

    #[test]
    fn amounts_are_found_in_every_notation() {
        for written in ["7341.85", "7,341.85", "7.341,85", "7 341,85", "7’341.85", "7\u{202f}341,85", "734185"] {
            assert_eq!(without_separators(written), "734185", "{written}");
        }
    }

    #[tokio::test]
    async fn mails_about_an_order_contain_no_amounts_messages_or_documents() {
        on_both(async |world| {
            let office = sender("office@example.com").unwrap();
            let ctx = world.operator();
            let state = State::new(ctx.clone(), Mailer::files(&world.dir.0, office.clone()));
            let acme = world.company("Acme").await;
            let (erin, sam) = (world.employee("Erin").await, world.super_admin("Sam").await);
            let cora = world.company_admin("Cora", acme).await;
            let (iso, ivan) = world.iso("Ivan", acme).await;
            let id = |ctx: &Ctx| ctx.actor.user_id().unwrap();
            for (who, mail) in [(&ivan, MailFrequency::Now), (&cora, MailFrequency::Daily)] {
                let wanted = SetChoice { event: "progress".to_owned(), channels: Channels { in_app: true, mail } };
                notifications::choose(who, &[wanted]).await.unwrap();
            }
            let weekly = reports::Input {
                report: Some("commissions".to_owned()),
                every: Some("weekly".to_owned()),
                recipients: vec![id(&cora)],
                ..Default::default()
            };
            reports::create(&cora, weekly).await.unwrap();

            // Two orders with every kind of amount; the first runs to its end.
            let client = onboarding::ClientInput {
                first_name: "Maya".to_owned(),
                last_name: "Ortiz".to_owned(),
                email: "maya@example.com".to_owned(),
                company_id: Some(acme),
                iso_id: Some(iso),
                price: Some(AMOUNTS[0].to_owned()),
                commission: Some(AMOUNTS[3].to_owned()),
                ..Default::default()
            };
            let made = onboarding::create_client(&erin, Setup::Quick, client).await.unwrap();
            let spv = made.spv.id;
            let mut tx = world.db.begin().await.unwrap();
            let sql = "update users set status = 'active' where id = $1";
            tx.sql(sql).bind(made.client.id).run().await.unwrap();
            tx.commit().await.unwrap();
            let maya = world.signed_in(&users::get(&ctx, made.client.id).await.unwrap());
            assert_eq!(maya.actor.role(), Some(Role::Client));
            let second = onboarding::OrderInput {
                client_id: Some(made.client.id),
                company_id: Some(acme),
                iso_id: Some(iso),
                purchase_amount: Some(AMOUNTS[4].to_owned()),
                price: Some(AMOUNTS[5].to_owned()),
                iso_commission_percentage: Some("2.5".to_owned()),
                ..Default::default()
            };
            onboarding::create_order(&erin, second).await.unwrap();

            // The sequencer, and the jobs that it enqueues.
            let run_follow_ups = async || {
                activity::sequence_all(&ctx).await.unwrap();
                notifications::process_pending(&ctx).await.unwrap();
                world.clock.advance(notifications::READ_GRACE);
                for user_id in [&erin, &sam, &cora, &ivan, &maya].map(id) {
                    notices::send_immediate(state.clone(), SendImmediateMail { user_id }).await.unwrap();
                }
            };
            let sends_in = async |who: &Ctx, new: uploads::CreateUpload| {
                let new = uploads::CreateUpload { bytes: CONTENT.len() as u64, ..new };
                let upload = uploads::create(who, new).await.unwrap();
                let body = stream::iter([Ok::<_, Infallible>(CONTENT.as_bytes().to_vec().into())]);
                uploads::append(who, upload.id, 0, body).await.unwrap();
            };
            let asks = async |name: &str| {
                let due = Some("2026-11-25".to_owned());
                let input =
                    document_requests::Input { name: Some(name.to_owned()), due_date: due, ..Default::default() };
                document_requests::create(&erin, spv, input).await.unwrap().id
            };
            let (passport, proof) = (asks("Passport copy").await, asks("Proof of address").await);
            let page = || uploads::CreateUpload {
                file_name: FILE.to_owned(),
                request_id: Some(passport),
                ..Default::default()
            };
            sends_in(&maya, page()).await;
            document_requests::send_back(&erin, passport, None, "The second page is cut off.").await.unwrap();
            sends_in(&maya, page()).await;
            document_requests::approve(&erin, passport, None).await.unwrap();
            // A document without a request is named after its file; only that name is mailed.
            let articles =
                uploads::CreateUpload { file_name: "articles.pdf".to_owned(), spv_id: Some(spv), ..Default::default() };
            sends_in(&erin, articles).await;
            for (who, body, internal) in [
                (&erin, "Please wire the rest of 5143.42 to account 98.", false),
                (&maya, "Tell me when it arrives: USD 2,198.43.", false),
                (&erin, "She pays late, 7341.85 in all.", true),
            ] {
                let input =
                    messages::Input { spv_id: Some(spv), body: body.to_owned(), internal, ..Default::default() };
                messages::send(who, input).await.unwrap();
            }
            let pays = async |amount: &str| {
                let of_order = invoices::Filter { spv_id: Some(spv), ..Default::default() };
                let owed = invoices::list(&erin, &of_order, &PageQuery::default()).await.unwrap().items.remove(0);
                let typed = invoices::ManualPayment { amount: Some(amount.to_owned()), ..Default::default() };
                invoices::pay(&erin, owed.id, None, typed).await.unwrap();
            };
            pays(AMOUNTS[1]).await;
            run_follow_ups().await;

            // A month later everything is overdue.
            world.clock.advance(Duration::days(30));
            reminders::remind_overdue(state.clone(), RemindOverdue {}).await.unwrap();
            run_follow_ups().await;
            world.clock.advance(Duration::hours(2));
            notices::send_digests(state.clone(), SendDigests {}).await.unwrap();
            reporting::send_due(state.clone(), MailReports {}).await.unwrap();

            document_requests::waive(&erin, proof, None, "We have it already.").await.unwrap();
            pays(AMOUNTS[2]).await;
            let ids: Vec<_> = steps::list(&erin, spv).await.unwrap().into_iter().map(|step| step.id).collect();
            steps::complete(&erin, spv, None, &ids).await.unwrap();
            let of_order = commissions::Filter { spv_id: Some(spv), ..Default::default() };
            let earned = commissions::list(&erin, &of_order, &PageQuery::default()).await.unwrap().items.remove(0);
            assert_eq!(earned.amount_minor, 161_327);
            commissions::approve(&erin, &[earned.id]).await.unwrap();
            let run = commissions::open(&erin).await.unwrap().run.id;
            commissions::pay(&erin, run, None, None).await.unwrap();
            for answered in [true, false] {
                let asked = requests::Input {
                    kind: "support".to_owned(),
                    name: "Paul".to_owned(),
                    email: "paul@example.com".to_owned(),
                    message: "Is the fee 7341.85, to account 98?".to_owned(),
                    ..Default::default()
                };
                let asked = requests::create(&world.nobody(), asked).await.unwrap().id;
                if answered {
                    requests::approve(&erin, asked, None, Some("A letter is on its way.")).await.unwrap();
                } else {
                    requests::reject(&erin, asked, None, "We only work for companies.").await.unwrap();
                }
            }
            run_follow_ups().await;
            world.clock.advance(Duration::hours(26));
            notices::send_digests(state.clone(), SendDigests {}).await.unwrap();

            let page = PageQuery { limit: Some(500), cursor: None };
            let outbox = mails::list(&ctx, None, &page).await.unwrap();
            assert!(outbox.next_cursor.is_none());
            let (mut kinds, mut mailed_actions) = (BTreeSet::new(), BTreeSet::new());
            for mail in outbox.items {
                kinds.insert(mail.kind.name());
                let events = mail.data.get("events").and_then(|events| events.as_array().cloned()).unwrap_or_default();
                mailed_actions.extend(events.iter().filter_map(|event| event["action"].as_str().map(str::to_owned)));

                let outgoing = mail_delivery::load_for_sending(&ctx, mail.id).await.unwrap().expect("is wanted");
                let rendered = templates::render(&outgoing, ctx.now(), OFFICE).unwrap();
                let mut content = [rendered.subject, rendered.text, rendered.html].join("\n");
                // Random links and codes may contain any digits.
                if let Some(made) = &outgoing.link {
                    for random in [made.url.clone(), made.url.replace('&', "&amp;"), made.code.clone()] {
                        content = content.replace(&random, "");
                    }
                }
                let of = format!("{} to {}", mail.kind.name(), mail.to_email);
                let numbers = without_separators(&content);
                for amount in AMOUNTS {
                    assert!(!numbers.contains(&without_separators(amount)), "{of} says {amount}: {content}");
                }
                for word in WORDS.into_iter().chain(["USD", "$"]) {
                    assert!(!content.contains(word), "{of} says {word}: {content}");
                }

                // The message as sent has a text and an HTML part, and no attachment.
                let folder = world.dir.0.join(mail.id.to_string());
                let sender_state = State::new(ctx.clone(), Mailer::files(&folder, office.clone()));
                send(sender_state, Send { mail_id: mail.id }).await.unwrap();
                let file = std::fs::read_dir(&folder).unwrap().next().expect("a mail").unwrap().path();
                let written = std::fs::read_to_string(file).unwrap();
                let types = written.lines().filter_map(|line| line.strip_prefix("Content-Type: "));
                let types: Vec<&str> = types.map(|kind| kind.split(';').next().unwrap_or_default()).collect();
                assert_eq!(types, ["multipart/alternative", "text/plain", "text/html"], "{of}");
                assert!(!written.contains("Content-Disposition"), "{of}");
            }
            let of_orders = Kind::ALL.into_iter().filter(|kind| !ACCOUNT_MAILS.contains(kind));
            assert_eq!(kinds, of_orders.map(Kind::name).collect::<BTreeSet<_>>());
            for action in [
                "commission.approved",
                "commission.paid",
                "document.uploaded",
                "document_request.approved",
                "document_request.overdue",
                "document_request.submitted",
                "document_request.waived",
                "invoice.overdue",
                "invoice.paid",
                "invoice.part_paid",
                "invoice.raised",
                "message.sent",
                "note.written",
                "spv.closed",
            ] {
                assert!(mailed_actions.contains(action), "{action} was not mailed: {mailed_actions:?}");
            }
        })
        .await;
    }
}
