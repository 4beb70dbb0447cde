//! The event stream: every event once, in order, within the scope, for the session's lifetime.

use crate::{
    documents::{pdf, upload},
    support::{TestApp, TestUser, on_both},
};
use axum::body::BodyDataStream;
use domain::kernel::ids::SpvId;
use futures::StreamExt;
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(5);

/// An open stream, read event by event.
struct Events {
    body: BodyDataStream,
    text: String,
}

#[derive(Debug)]
struct Heard {
    event: String,
    id: Option<i64>,
    data: Value,
}

impl Events {
    async fn of(person: &TestUser, after: Option<i64>) -> Self {
        let mut asking = person.get("/realtime/v1/events");
        if let Some(after) = after {
            asking = asking.header("last-event-id", &after.to_string());
        }
        let response = asking.open().await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event; none when the stream has ended.
    async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(|v| v.trim().to_owned()))
                };
                let heard = field("event").map(|event| Heard {
                    event,
                    id: field("id").map(|id| id.parse().unwrap()),
                    data: serde_json::from_str(&field("data").unwrap()).unwrap(),
                });
                self.text = rest.to_owned();
                match heard {
                    Some(heard) => return Some(heard),
                    None => continue,
                }
            }
            let chunk = timeout(SOON, self.body.next()).await.expect("something is heard soon")?;
            self.text.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        }
    }

    async fn ready(&mut self) -> i64 {
        let heard = self.next().await.expect("a greeting");
        assert_eq!(heard.event, "ready");
        heard.data["seq"].as_i64().unwrap()
    }

    /// The next change, whose id is its number.
    async fn change(&mut self) -> Value {
        let heard = self.next().await.expect("a change");
        assert_eq!((heard.event.as_str(), heard.id), ("change", heard.data["seq"].as_i64()));
        heard.data
    }

    async fn until(&mut self, action: &str) -> Value {
        loop {
            let change = self.change().await;
            if change["action"] == action {
                return change;
            }
        }
    }

    /// Actions of the events before the first one about this order, which has a higher number than all of them.
    async fn before(&mut self, order: &str) -> BTreeSet<String> {
        let mut actions = BTreeSet::new();
        loop {
            let change = self.change().await;
            if change["spv_id"] == order {
                return actions;
            }
            actions.insert(change["action"].as_str().unwrap().to_owned());
        }
    }

    async fn silence(&mut self) {
        let heard = timeout(Duration::from_millis(600), self.next()).await;
        assert!(heard.is_err(), "{heard:?}");
    }
}

async fn first_step(person: &TestUser, spv: SpvId) -> String {
    let detail = person.get(&format!("/rest/v1/spvs/{spv}")).await.ok();
    format!("/rest/v1/steps/{}", detail["steps"][0]["id"].as_str().unwrap())
}

/// All rows of the fixture are sequenced, so that a stream that begins now does not send them.
async fn settled(app: &TestApp) {
    domain::platform::activity::sequence_all(&app.world.operator()).await.unwrap();
}

#[tokio::test]
async fn clients_receive_events_of_their_own_orders_only() {
    on_both(|app| async move {
        app.run_sequencer();
        let (erin, maya, nora) = (app.employee("Erin").await, app.client("Maya").await, app.client("Nora").await);
        let (hers, other) = (first_step(&erin, maya.spv.unwrap()).await, first_step(&erin, nora.spv.unwrap()).await);
        settled(&app).await;
        let (mut maya_hears, mut erin_hears) = (Events::of(&maya, None).await, Events::of(&erin, None).await);
        maya_hears.ready().await;
        erin_hears.ready().await;
        erin.patch(&other, json!({ "status": "in_progress" })).await.ok();
        erin.patch(&hers, json!({ "text_data": "a note among the staff" })).await.ok();
        erin.patch(&hers, json!({ "status": "in_progress" })).await.ok();
        // Both have the same time; their order is not specified.
        let mut actions = BTreeSet::new();
        for _ in 0..2 {
            let change = maya_hears.change().await;
            assert_eq!(change["spv_id"], maya.spv.unwrap().to_string());
            actions.insert(format!(
                "{} to {}",
                change["action"].as_str().unwrap(),
                change["data"]["to"].as_str().unwrap()
            ));
        }
        assert_eq!(Vec::from_iter(actions), ["spv.processing to processing", "step.updated to in_progress"]);
        maya_hears.silence().await;
        // Staff get all of it, in the log's order.
        let mut last = 0;
        for _ in 0..5 {
            let seq = erin_hears.change().await["seq"].as_i64().unwrap();
            assert!(seq > last);
            last = seq;
        }
    })
    .await;
}

#[tokio::test]
async fn internal_notes_are_sent_to_staff_streams_only() {
    on_both(|app| async move {
        app.run_sequencer();
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (erin, cora) = (app.employee("Erin").await, app.company_admin("Cora", app.acme).await);
        let (maya, nora) = (app.client_of("Maya", app.acme, Some(iso)).await, app.client("Nora").await);
        settled(&app).await;
        let mut others = Vec::new();
        for other in [&ivan, &cora, &nora] {
            let mut hears = Events::of(other, None).await;
            others.push((other, hears.ready().await, hears));
        }
        let (mut maya_hears, mut erin_hears) = (Events::of(&maya, None).await, Events::of(&erin, None).await);
        let start = maya_hears.ready().await;
        erin_hears.ready().await;
        let spv = maya.spv.unwrap();
        for body in [
            json!({ "spv_id": spv, "body": "a note among the staff", "internal": true }),
            json!({ "spv_id": spv, "body": "a word to Maya" }),
        ] {
            erin.post("/rest/v1/messages", body).await.ok();
        }
        let heard = maya_hears.change().await;
        assert_eq!(
            (heard["action"].as_str(), heard["spv_id"].as_str()),
            (Some("message.sent"), Some(&*spv.to_string()))
        );
        assert!(!heard.to_string().contains("a word to Maya"), "the log has no texts: {heard}");
        maya_hears.silence().await;
        erin_hears.until("note.written").await;
        for (other, start, hears) in &mut others {
            hears.silence().await;
            let mut again = Events::of(other, Some(*start)).await;
            again.ready().await;
            again.silence().await;
        }
        let mut again = Events::of(&maya, Some(start)).await;
        again.ready().await;
        assert_eq!(again.change().await["action"], "message.sent");
        again.silence().await;
    })
    .await;
}

#[tokio::test]
async fn company_streams_exclude_other_companies() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        let borea = app.world.company("Borea").await;
        let ((iso, ivan), (their_iso, igor)) = (app.iso("Ivan", app.acme).await, app.iso("Igor", borea).await);
        let (cora, carl) = (app.company_admin("Cora", app.acme).await, app.company_admin("Carl", borea).await);
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nora = app.client_of("Nora", borea, Some(their_iso)).await;
        let (hers, other) = (first_step(&erin, maya.spv.unwrap()).await, first_step(&erin, nora.spv.unwrap()).await);
        let owed = erin.get(&format!("/rest/v1/invoices?client_id={}", maya.id)).await.ok();
        let invoice = format!("/rest/v1/invoices/{}", owed["items"][0]["id"].as_str().unwrap());
        settled(&app).await;
        let mut owners = Vec::new();
        for owner in [&maya, &ivan, &cora] {
            let mut hears = Events::of(owner, None).await;
            hears.ready().await;
            owners.push(hears);
        }
        let mut foreign = Vec::new();
        for person in [&nora, &igor, &carl] {
            let mut hears = Events::of(person, None).await;
            foreign.push((person, hears.ready().await, hears));
        }
        erin.patch(&hers, json!({ "status": "in_progress" })).await.ok();
        let order = maya.spv.unwrap().to_string();
        upload(&maya, &pdf(20), &[("file_name", "deed.pdf"), ("spv_id", &order)]).await;
        erin.post(&format!("{invoice}/payments"), json!({ "amount": "100.00" })).await.ok();
        // Later events have a higher number: a reader that gets one first has missed those before.
        settled(&app).await;
        erin.patch(&other, json!({ "status": "in_progress" })).await.ok();
        let theirs = nora.spv.unwrap().to_string();
        for (person, start, hears) in &mut foreign {
            assert_eq!(hears.change().await["spv_id"], theirs);
            let mut again = Events::of(person, Some(*start)).await;
            assert_eq!(again.ready().await, *start);
            assert_eq!(again.change().await["spv_id"], theirs);
        }
        let mut heard = BTreeSet::<String>::new();
        while !["step.updated", "document.uploaded", "invoice.part_paid"].iter().all(|action| heard.contains(*action)) {
            heard.insert(owners[0].change().await["action"].as_str().unwrap().to_owned());
        }
        for hears in &mut owners[1..] {
            assert_eq!(hears.until("step.updated").await["spv_id"], order);
        }
    })
    .await;
}

#[tokio::test]
async fn partner_streams_exclude_other_partners() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        let borea = app.world.company("Borea").await;
        let ((iso, ivan), (other_iso, igor)) = (app.iso("Ivan", app.acme).await, app.iso("Igor", app.acme).await);
        let (far_iso, ines) = app.iso("Ines", borea).await;
        let (cora, carl) = (app.company_admin("Cora", app.acme).await, app.company_admin("Carl", borea).await);
        let (_, paid, _) = app.world.client("Maya", app.acme, Some(iso)).await;
        let (_, voided, _) = app.world.client("Mila", app.acme, Some(iso)).await;
        // The last event of each stream.
        let (_, his, _) = app.world.client("Mona", app.acme, Some(iso)).await;
        let (_, others, _) = app.world.client("Nora", app.acme, Some(other_iso)).await;
        let (_, far, _) = app.world.client("Nils", borea, Some(far_iso)).await;
        settled(&app).await;
        let mut listeners = Vec::new();
        for (name, person, last) in [
            ("Ivan", &ivan, his),
            ("Igor", &igor, others),
            ("Cora", &cora, others),
            ("Erin", &erin, far),
            ("Ines", &ines, far),
            ("Carl", &carl, far),
        ] {
            let mut hears = Events::of(person, None).await;
            listeners.push((name, person, last.to_string(), hears.ready().await, hears));
        }

        let adds = async |first: &str| {
            let email = format!("{}@lead.example", first.to_lowercase());
            let lead = json!({ "first_name": first, "last_name": "Lead", "email": email });
            let lead = ivan.post("/rest/v1/leads", lead).await.ok();
            format!("/rest/v1/leads/{}", lead["id"].as_str().unwrap())
        };
        let (won, lost) = (adds("Lena").await, adds("Ludo").await);
        ivan.patch(&won, json!({ "stage": "contacted" })).await.ok();
        let terms = json!({ "setup": "quick", "price": "10", "commission": "1" });
        erin.post(&format!("{won}/convert"), terms).await.ok();
        erin.patch(&lost, json!({ "stage": "lost" })).await.ok();
        let time = app.world.clock.now() + chrono::Duration::days(2);
        let call = ivan.post("/rest/v1/calls", json!({ "topic": "Terms", "times": [time] })).await.ok();
        let path = format!("/rest/v1/calls/{}", call["id"].as_str().unwrap());
        erin.post(&format!("{path}/confirm"), json!({ "begins_at": call["times"][0] })).await.ok();
        ivan.post(&format!("{path}/cancel"), json!({})).await.ok();
        let closes = async |spv: SpvId| {
            let order = format!("/rest/v1/spvs/{spv}");
            let steps = erin.get(&order).await.ok()["steps"].as_array().unwrap().clone();
            let ids: Vec<_> = steps.iter().map(|step| step["id"].clone()).collect();
            erin.post(&format!("{order}/steps/complete"), json!({ "ids": ids })).await.ok();
            let ledger = erin.get("/rest/v1/commissions").await.ok();
            let mut rows = ledger["items"].as_array().unwrap().iter();
            rows.find(|row| row["spv_id"] == spv.to_string()).unwrap()["id"].as_str().unwrap().to_owned()
        };
        let (row, taken_out) = (closes(paid).await, closes(voided).await);
        erin.post("/rest/v1/commissions/approve", json!({ "ids": [row] })).await.ok();
        let run = erin.post("/rest/v1/payout-runs", json!({})).await.ok();
        erin.post(&format!("/rest/v1/payout-runs/{}/pay", run["id"].as_str().unwrap()), json!({})).await.ok();
        let reason = json!({ "reason": "Agreed on the phone" });
        erin.post(&format!("/rest/v1/commissions/{taken_out}/void"), reason).await.ok();
        for last in [his, others, far] {
            settled(&app).await;
            let step = first_step(&erin, last).await;
            erin.patch(&step, json!({ "status": "in_progress" })).await.ok();
        }

        let orders = ["spv.closed", "spv.created", "step.updated"];
        let earned = ["commission.approved", "commission.earned", "commission.paid", "commission.voided"];
        let brought = ["call.cancelled", "call.confirmed", "call.requested"];
        let leads = ["lead.converted", "lead.created", "lead.lost", "lead.updated"];
        for (name, person, last, start, hears) in &mut listeners {
            // Live, and again from the log.
            let mut again = Events::of(person, Some(*start)).await;
            again.ready().await;
            for heard in [hears.before(last).await, again.before(last).await] {
                let hears_of = |all: &[&str]| {
                    let known = all.iter().filter(|action| heard.contains(**action)).count();
                    assert!(known == 0 || known == all.len(), "{name} hears of some of {all:?}: {heard:?}");
                    known > 0
                };
                let said = (hears_of(&orders), hears_of(&earned), hears_of(&brought), hears_of(&leads));
                match *name {
                    "Ivan" | "Erin" => assert_eq!(said, (true, true, true, true), "{name}"),
                    // A company gets a partner's leads only once they are orders.
                    "Cora" => assert_eq!(said, (true, true, false, false), "{name}"),
                    _ => assert!(heard.is_empty(), "{name} hears of {heard:?}"),
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn account_events_go_to_their_user_only() {
    on_both(|app| async move {
        app.run_sequencer();
        let (maya, nora) = (app.client("Maya").await, app.client("Nora").await);
        settled(&app).await;
        let mut hears = Events::of(&maya, None).await;
        let before = hears.ready().await;
        app.sign_in(nora.id, "Nora").await;
        app.sign_in(maya.id, "Maya").await;
        let told = hears.until("session.started").await;
        assert_eq!(told["subject"]["id"], maya.id.to_string());
        hears.silence().await;
        // A resumed stream gets it from the log.
        let mut again = Events::of(&maya, Some(before)).await;
        again.ready().await;
        assert_eq!(again.change().await["subject"]["id"], maya.id.to_string());
        again.silence().await;
    })
    .await;
}

#[tokio::test]
async fn streams_resume_without_gaps_or_duplicates() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        settled(&app).await;
        let mut first = Events::of(&erin, None).await;
        let start = first.ready().await;
        drop(first);
        let made = |n: usize| erin.post("/rest/v1/companies", json!({ "name": format!("C{n}"), "business_name": "B" }));
        for n in 0..130 {
            made(n).await.ok();
        }
        // Some are in the log, some arrive while the stream catches up.
        let mut again = Events::of(&erin, Some(start)).await;
        assert_eq!(again.ready().await, start);
        let writer = {
            let erin = erin.clone();
            tokio::spawn(async move {
                for n in 130..160 {
                    let body = json!({ "name": format!("C{n}"), "business_name": "B" });
                    erin.post("/rest/v1/companies", body).await.ok();
                }
            })
        };
        let mut heard = BTreeSet::new();
        for seq in start + 1..=start + 160 {
            let change = again.change().await;
            assert_eq!(change["seq"].as_i64(), Some(seq));
            heard.insert(change["subject"]["label"].as_str().unwrap().to_owned());
        }
        assert_eq!(heard.len(), 160, "each of them once");
        writer.await.unwrap();
        again.silence().await;
        // A future number, or none, starts at the end of the log.
        for odd in [Some(start + 1_000_000), None] {
            let mut events = Events::of(&erin, odd).await;
            assert_eq!(events.ready().await, start + 160);
            events.silence().await;
        }
    })
    .await;
}

#[tokio::test]
async fn lagging_streams_catch_up_from_the_database() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        settled(&app).await;
        let mut events = Events::of(&erin, None).await;
        let start = events.ready().await;
        let company = app.world.company("Busy").await;
        settled(&app).await;
        // More than the feed holds while the reader is stalled.
        let row = domain::platform::activity::list(&app.world.operator(), &Default::default(), &Default::default())
            .await
            .unwrap();
        for _ in 0..1_200 {
            let _ = app.app.feed.send(std::sync::Arc::new(row.items[0].clone()));
        }
        erin.patch(&format!("/rest/v1/companies/{company}"), json!({ "phone": "555 0101" })).await.ok();
        assert_eq!(events.change().await["seq"], start + 1);
        assert_eq!(events.change().await["action"], "company.updated");
        events.silence().await;
    })
    .await;
}

#[tokio::test]
async fn streams_end_within_two_seconds_of_their_session() {
    on_both(|app| async move {
        app.run_sequencer();
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        settled(&app).await;
        let mut events = Events::of(&erin, None).await;
        events.ready().await;
        domain::accounts::users::suspend(&app.world.operator(), erin.id, None).await.unwrap();
        let ended = async { while events.next().await.is_some() {} };
        timeout(Duration::from_secs(2), ended).await.expect("the stream ends");
        erin.get("/rest/v1/me").await.refused(401, "unauthenticated");

        // An expired token ends it too.
        let mut events = Events::of(&sam, None).await;
        events.ready().await;
        app.world.clock.advance(chrono::Duration::seconds(901));
        let ended = async { while events.next().await.is_some() {} };
        timeout(Duration::from_secs(2), ended).await.expect("the stream ends");
    })
    .await;
}

#[tokio::test]
async fn streams_need_a_due_second_factor() {
    on_both(|app| async move {
        app.run_sequencer();
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        settled(&app).await;
        let mut events = Events::of(&erin, None).await;
        let seq = events.ready().await;
        sam.put("/rest/v1/settings", json!({ "require_mfa": { "employee": true } })).await.ok();
        let ended = async { while events.next().await.is_some() {} };
        timeout(SOON, ended).await.expect("the stream ends");
        // The client reconnects; the error code names the requirement.
        erin.get("/realtime/v1/events").await.refused(403, "mfa_enrolment_required");
        let resumed = erin.get("/realtime/v1/events").header("last-event-id", &seq.to_string());
        resumed.await.refused(403, "mfa_enrolment_required");
    })
    .await;
}

#[tokio::test]
async fn slow_readers_are_cut_off_when_their_session_ends() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        for n in 0..130 {
            let body = json!({ "name": format!("C{n}"), "business_name": "B" });
            erin.post("/rest/v1/companies", body).await.ok();
        }
        settled(&app).await;
        let mut events = Events::of(&erin, Some(0)).await;
        events.ready().await;
        events.change().await;
        domain::accounts::users::suspend(&app.world.operator(), erin.id, None).await.unwrap();
        let known = async {
            while erin.get("/rest/v1/me").await.status.is_success() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(SOON, known).await.expect("this process hears of it");
        // Its session is revalidated once a second.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        assert!(events.next().await.is_none(), "the session has ended");
    })
    .await;
}

#[tokio::test]
async fn rows_of_another_process_arrive_within_two_seconds() {
    on_both(|app| async move {
        app.run_sequencer();
        let erin = app.employee("Erin").await;
        settled(&app).await;
        let mut events = Events::of(&erin, None).await;
        events.ready().await;
        // A second handle on the same database, as `spvctl` has.
        let elsewhere =
            domain::kernel::db::Db::open(&app.world.url, domain::kernel::db::Durability::Full).await.unwrap();
        let ctx = domain::Ctx { db: elsewhere.clone(), ..app.world.operator() };
        let input = domain::directory::companies::Input {
            name: Some("Far".into()),
            business_name: Some("Far LLC".into()),
            ..Default::default()
        };
        domain::directory::companies::create(&ctx, input).await.unwrap();
        let heard = timeout(Duration::from_secs(2), events.until("company.created")).await.expect("heard in time");
        assert_eq!(
            (heard["subject"]["label"].as_str(), heard["actor"]["kind"].as_str()),
            (Some("Far"), Some("operator"))
        );
        elsewhere.close().await;
    })
    .await;
}
