//! What the mails about orders contain. One scenario causes each kind of them; the tests read what it sent.
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
    accounts::{
        auth::{Auth, Keys, admin::Update},
        users,
    },
    desk::{messages, people, requests},
    kernel::{
        access::Role,
        db::Sql,
        ids::{CompanyId, DocumentRequestId, IsoId, SpvId, UserId},
        page::PageQuery,
    },
    orders::{
        commissions, document_requests,
        documents::uploads,
        invoices,
        onboarding::{self, Setup},
        steps,
    },
    outbox::{
        mails::{Kind, Mail, SecurityAct},
        notifications::{self, Channels, MailFrequency, SendDigests, SendImmediateMail, SetChoice},
    },
    platform::activity,
    reporting::reports,
    testing::{World, on_both},
};
use futures::stream;
use std::{collections::BTreeSet, convert::Infallible, sync::Mutex};
use tokio::sync::OnceCell;

/// Mails about accounts and test mails: no event of an order causes them.
const ACCOUNT_MAILS: [Kind; 12] = [
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
    Kind::SecurityNotice,
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

/// A mail that the scenario sent.
#[derive(Debug)]
struct Sent {
    kind: Kind,
    /// Kind and recipient.
    name: String,
    /// The events that a digest or notification is about.
    actions: Vec<String>,
    /// Subject, text and HTML, without random links and codes: they may contain any digits.
    content: String,
    /// The message as it was handed over.
    message: String,
}

/// The mails of the scenario on both databases, sent once for all tests.
async fn sent() -> &'static [Sent] {
    static SENT: OnceCell<Vec<Sent>> = OnceCell::const_new();
    let mails = SENT.get_or_init(|| async {
        let all = Mutex::new(Vec::new());
        on_both(async |world| {
            let scenario = Scenario::start(world).await;
            scenario.run().await;
            let sent = scenario.sent().await;
            check_complete(&sent);
            all.lock().unwrap().extend(sent);
        })
        .await;
        all.into_inner().unwrap()
    });
    mails.await
}

/// Every kind of mail about orders was sent, and every event that is mailed.
fn check_complete(sent: &[Sent]) {
    let of_orders = Kind::ALL.into_iter().filter(|kind| !ACCOUNT_MAILS.contains(kind));
    let kinds: BTreeSet<_> = sent.iter().map(|mail| mail.kind.name()).collect();
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
        assert!(sent.iter().any(|mail| mail.actions.iter().any(|mailed| mailed == action)), "{action} was not mailed");
    }
}

#[tokio::test]
async fn mails_about_orders_contain_no_amounts() {
    for mail in sent().await {
        let numbers = without_separators(&mail.content);
        for amount in AMOUNTS {
            let found = numbers.contains(&without_separators(amount));
            assert!(!found, "{} says {amount}: {}", mail.name, mail.content);
        }
        for sign in ["USD", "$"] {
            assert!(!mail.content.contains(sign), "{} says {sign}: {}", mail.name, mail.content);
        }
    }
}

#[tokio::test]
async fn mails_about_orders_contain_no_words_of_messages_and_documents() {
    for mail in sent().await {
        for word in WORDS {
            assert!(!mail.content.contains(word), "{} says {word}: {}", mail.name, mail.content);
        }
    }
}

#[tokio::test]
async fn mails_about_orders_have_text_and_html_and_no_attachment() {
    for mail in sent().await {
        let types = mail.message.lines().filter_map(|line| line.strip_prefix("Content-Type: "));
        let types: Vec<&str> = types.map(|kind| kind.split(';').next().unwrap_or_default()).collect();
        assert_eq!(types, ["multipart/alternative", "text/plain", "text/html"], "{}", mail.name);
        assert!(!mail.message.contains("Content-Disposition"), "{}", mail.name);
    }
}

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

/// Two orders of Maya's with every kind of amount. The first runs to its end.
struct Scenario {
    world: World,
    state: State,
    erin: Ctx,
    sam: Ctx,
    cora: Ctx,
    ivan: Ctx,
    maya: Ctx,
    spv: SpvId,
}

impl Scenario {
    async fn start(world: World) -> Self {
        let state = State::new(world.operator(), Mailer::files(&world.dir.path, sender("office@example.com").unwrap()));
        let acme = world.company("Acme").await;
        let (erin, sam) = (world.employee("Erin").await, world.super_admin("Sam").await);
        let cora = world.company_admin("Cora", acme).await;
        let (iso, ivan) = world.iso("Ivan", acme).await;
        for (who, mail) in [(&ivan, MailFrequency::Now), (&cora, MailFrequency::Daily)] {
            let wanted = SetChoice { event: "progress".to_owned(), channels: Channels { in_app: true, mail } };
            notifications::choose(who, &[wanted]).await.unwrap();
        }
        let weekly = reports::Input {
            report: Some("commissions".to_owned()),
            every: Some("weekly".to_owned()),
            recipients: vec![user_id(&cora)],
            ..Default::default()
        };
        reports::create(&cora, weekly).await.unwrap();
        let (maya, spv) = order_twice(&world, &erin, acme, iso).await;
        Self { world, state, erin, sam, cora, ivan, maya, spv }
    }

    async fn run(&self) {
        let proof = self.exchange_documents().await;
        self.exchange_messages().await;
        self.pay(AMOUNTS[1]).await;
        self.run_follow_ups().await;
        self.wait_until_overdue().await;
        document_requests::waive(&self.erin, proof, None, "We have it already.").await.unwrap();
        self.pay(AMOUNTS[2]).await;
        self.close().await;
        self.answer_inquiries().await;
        self.run_follow_ups().await;
        self.world.clock.advance(Duration::hours(26));
        notices::send_digests(self.state.clone(), SendDigests {}).await.unwrap();
    }

    /// A passport that is sent back once, an own document of the staff, and a request that stays open.
    async fn exchange_documents(&self) -> DocumentRequestId {
        let (passport, proof) = (self.request("Passport copy").await, self.request("Proof of address").await);
        let page =
            || uploads::CreateUpload { file_name: FILE.to_owned(), request_id: Some(passport), ..Default::default() };
        upload(&self.maya, page()).await;
        document_requests::send_back(&self.erin, passport, None, "The second page is cut off.").await.unwrap();
        upload(&self.maya, page()).await;
        document_requests::approve(&self.erin, passport, None).await.unwrap();
        // A document without a request is named after its file; only that name is mailed.
        let spv_id = Some(self.spv);
        let articles = uploads::CreateUpload { file_name: "articles.pdf".to_owned(), spv_id, ..Default::default() };
        upload(&self.erin, articles).await;
        proof
    }

    async fn request(&self, name: &str) -> DocumentRequestId {
        let due_date = Some("2026-11-25".to_owned());
        let input = document_requests::Input { name: Some(name.to_owned()), due_date, ..Default::default() };
        document_requests::create(&self.erin, self.spv, input).await.unwrap().id
    }

    async fn exchange_messages(&self) {
        for (who, body, internal) in [
            (&self.erin, "Please wire the rest of 5143.42 to account 98.", false),
            (&self.maya, "Tell me when it arrives: USD 2,198.43.", false),
            (&self.erin, "She pays late, 7341.85 in all.", true),
        ] {
            let spv_id = Some(self.spv);
            let input = messages::Input { spv_id, body: body.to_owned(), internal, ..Default::default() };
            messages::send(who, input).await.unwrap();
        }
    }

    async fn pay(&self, amount: &str) {
        let of_order = invoices::Filter { spv_id: Some(self.spv), ..Default::default() };
        let owed = invoices::list(&self.erin, &of_order, &PageQuery::default()).await.unwrap().items.remove(0);
        let typed = invoices::ManualPayment { amount: Some(amount.to_owned()), ..Default::default() };
        invoices::pay(&self.erin, owed.id, None, typed).await.unwrap();
    }

    /// The sequencer, and the jobs that it enqueues.
    async fn run_follow_ups(&self) {
        let ctx = self.world.operator();
        activity::sequence_all(&ctx).await.unwrap();
        notifications::process_pending(&ctx).await.unwrap();
        self.world.clock.advance(notifications::READ_GRACE);
        for user_id in [&self.erin, &self.sam, &self.cora, &self.ivan, &self.maya].map(user_id) {
            notices::send_immediate(self.state.clone(), SendImmediateMail { user_id }).await.unwrap();
        }
    }

    /// A month later everything is overdue.
    async fn wait_until_overdue(&self) {
        self.world.clock.advance(Duration::days(30));
        reminders::remind_overdue(self.state.clone(), RemindOverdue {}).await.unwrap();
        self.run_follow_ups().await;
        self.world.clock.advance(Duration::hours(2));
        notices::send_digests(self.state.clone(), SendDigests {}).await.unwrap();
        reporting::send_due(self.state.clone(), MailReports {}).await.unwrap();
    }

    /// Completes all steps and pays the commission.
    async fn close(&self) {
        let ids: Vec<_> = steps::list(&self.erin, self.spv).await.unwrap().into_iter().map(|step| step.id).collect();
        steps::complete(&self.erin, self.spv, None, &ids).await.unwrap();
        let of_order = commissions::Filter { spv_id: Some(self.spv), ..Default::default() };
        let earned = commissions::list(&self.erin, &of_order, &PageQuery::default()).await.unwrap().items.remove(0);
        assert_eq!(earned.amount_minor, 161_327);
        commissions::approve(&self.erin, &[earned.id]).await.unwrap();
        let run = commissions::open(&self.erin).await.unwrap().run.id;
        commissions::pay(&self.erin, run, None, None).await.unwrap();
    }

    /// One inquiry is approved, one rejected.
    async fn answer_inquiries(&self) {
        for approved in [true, false] {
            let inquiry = requests::Input {
                kind: "support".to_owned(),
                name: "Paul".to_owned(),
                email: "paul@example.com".to_owned(),
                message: "Is the fee 7341.85, to account 98?".to_owned(),
                ..Default::default()
            };
            let inquiry = requests::create(&self.world.anonymous(), inquiry).await.unwrap().id;
            if approved {
                requests::approve(&self.erin, inquiry, None, Some("A letter is on its way.")).await.unwrap();
            } else {
                requests::reject(&self.erin, inquiry, None, "We only work for companies.").await.unwrap();
            }
        }
    }

    /// Sends the outbox.
    async fn sent(&self) -> Vec<Sent> {
        let page = PageQuery { limit: Some(500), cursor: None };
        let outbox = mails::list(&self.world.operator(), None, &page).await.unwrap();
        assert!(outbox.next_cursor.is_none());
        let mut sent = Vec::new();
        for mail in outbox.items {
            sent.push(self.send(mail).await);
        }
        sent
    }

    async fn send(&self, mail: Mail) -> Sent {
        let ctx = self.world.operator();
        let events = mail.data.get("events").and_then(|events| events.as_array().cloned()).unwrap_or_default();
        let outgoing = mail_delivery::load_for_sending(&ctx, mail.id).await.unwrap().expect("is wanted");
        let rendered = templates::render(&outgoing, ctx.now(), OFFICE).unwrap();
        let mut content = [rendered.subject, rendered.text, rendered.html].join("\n");
        if let Some(made) = &outgoing.link {
            for random in [made.url.clone(), made.url.replace('&', "&amp;"), made.code.clone()] {
                content = content.replace(&random, "");
            }
        }
        let folder = self.world.dir.path.join(mail.id.to_string());
        let mailer = Mailer::files(&folder, sender("office@example.com").unwrap());
        super::send(State::new(ctx, mailer), Send { mail_id: mail.id }).await.unwrap();
        let file = std::fs::read_dir(&folder).unwrap().next().expect("a mail").unwrap().path();
        Sent {
            kind: mail.kind,
            name: format!("{} to {}", mail.kind.name(), mail.to_email),
            actions: events.iter().filter_map(|event| event["action"].as_str().map(str::to_owned)).collect(),
            content,
            message: std::fs::read_to_string(file).unwrap(),
        }
    }
}

/// Maya with her first order, and a second one.
async fn order_twice(world: &World, erin: &Ctx, acme: CompanyId, iso: IsoId) -> (Ctx, SpvId) {
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
    let created = onboarding::create_client(erin, Setup::Quick, client).await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("update users set status = 'active' where id = $1").bind(created.client.id).run().await.unwrap();
    tx.commit().await.unwrap();
    let maya = world.signed_in(&users::get(&world.operator(), created.client.id).await.unwrap());
    assert_eq!(maya.actor.role(), Some(Role::Client));
    let second = onboarding::OrderInput {
        client_id: Some(created.client.id),
        company_id: Some(acme),
        iso_id: Some(iso),
        purchase_amount: Some(AMOUNTS[4].to_owned()),
        price: Some(AMOUNTS[5].to_owned()),
        iso_commission_percentage: Some("2.5".to_owned()),
        ..Default::default()
    };
    onboarding::create_order(erin, second).await.unwrap();
    (maya, created.spv.id)
}

async fn upload(who: &Ctx, input: uploads::CreateUpload) {
    let upload = uploads::create(who, uploads::CreateUpload { bytes: CONTENT.len() as u64, ..input }).await.unwrap();
    let body = stream::iter([Ok::<_, Infallible>(CONTENT.as_bytes().to_vec().into())]);
    uploads::append(who, upload.id, 0, body).await.unwrap();
}

fn user_id(ctx: &Ctx) -> UserId {
    ctx.actor.user_id().unwrap()
}

#[tokio::test]
async fn security_mails_are_sent_with_their_button() {
    on_both(async |world| {
        let ctx = world.operator();
        let maya = world.user(Role::Employee, "Maya", None, None).await;
        let auth = Auth::new(Keys::for_tests());
        let change = Update { password: Some("another horse with batteries".to_owned()), ..Update::default() };
        people::update_by_admin(&ctx, &auth, maya.id, change).await.unwrap();
        let queued = mails::list(&ctx, Some(mails::Status::Queued), &PageQuery::default()).await.unwrap().items;
        let [mail] = queued.as_slice() else { panic!("{queued:?}") };
        assert_eq!((mail.kind, mail.security_act()), (Kind::SecurityNotice, Some(SecurityAct::PasswordSet)));

        let folder = world.dir.path.join("security-mails");
        std::fs::create_dir_all(&folder).unwrap();
        let mailer = Mailer::files(&folder, sender("office@example.com").unwrap());
        send(State::new(ctx.clone(), mailer), Send { mail_id: mail.id }).await.unwrap();
        assert_eq!(mails::get(&ctx, mail.id).await.unwrap().status, mails::Status::Sent);
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        let message = std::fs::read_to_string(file).unwrap();
        for part in ["Subject: A password was set for your account", "Operator root", "/auth/secure-account?token"] {
            assert!(message.contains(part), "no {part} in {message}");
        }
        // Sent once.
        send(
            State::new(ctx.clone(), Mailer::files(&folder, sender("office@example.com").unwrap())),
            Send { mail_id: mail.id },
        )
        .await
        .unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    })
    .await;
}
