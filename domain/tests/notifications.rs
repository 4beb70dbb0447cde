//! Who is told of what, where and when: mails that wait and are taken back, digests in the reader's morning, reminders
//! that come once.
use chrono::Duration;
use domain::{
    Action, Actor, Ctx,
    accounts::users,
    desk::{
        messages::{self, Input},
        people, requests,
    },
    directory::companies,
    kernel::{
        access::Role,
        db::Sql,
        ids::{SpvId, UserId},
        page::PageQuery,
    },
    orders::{document_requests, invoices, spvs, steps},
    outbox::{
        activity_feed,
        mails::{self, Kind, Mail},
        notifications::{self, Channels, MailFrequency, SetChoice, Topic},
    },
    platform::{activity, queue},
    testing::{World, on_both},
};
use std::sync::Arc;
use tokio::sync::broadcast;

struct Office {
    world: World,
    erin: Ctx,
    maya: Ctx,
    spv: SpvId,
}

async fn office(world: World) -> Office {
    let acme = world.company("Acme").await;
    let erin = world.employee("Erin").await;
    let (_, spv, maya) = world.client("Maya", acme, None).await;
    let office = Office { world, erin, maya, spv };
    office.settle().await;
    office
}

impl Office {
    /// What the process that follows the log does.
    async fn settle(&self) {
        activity::sequence_all(&self.world.operator()).await.unwrap();
        notifications::process_pending(&self.world.operator()).await.unwrap();
    }

    fn job(&self) -> Ctx {
        self.world.as_actor(Actor::System("notifications"))
    }

    async fn writes(&self, who: &Ctx, body: &str) {
        let input = Input { spv_id: Some(self.spv), body: body.to_owned(), ..Input::default() };
        messages::send(who, input).await.unwrap();
        self.settle().await;
    }

    async fn mails(&self, kind: Kind) -> Vec<Mail> {
        let page = PageQuery { limit: Some(100), cursor: None };
        let mut mails = mails::list(&self.world.operator(), None, &page).await.unwrap().items;
        mails.retain(|mail| mail.kind == kind);
        mails
    }
}

fn id(ctx: &Ctx) -> UserId {
    ctx.actor.user_id().unwrap()
}

async fn told(ctx: &Ctx) -> Vec<String> {
    let page = notifications::list(ctx, false, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|one| one.activity.action).collect()
}

async fn chooses(ctx: &Ctx, topic: Topic, in_app: bool, mail: MailFrequency) {
    chooses_event(ctx, topic.name(), in_app, mail).await;
}

async fn chooses_event(ctx: &Ctx, event: &str, in_app: bool, mail: MailFrequency) {
    let wanted = SetChoice { event: event.to_owned(), channels: Channels { in_app, mail } };
    notifications::choose(ctx, &[wanted]).await.unwrap();
}

#[tokio::test]
async fn each_side_is_told_of_the_other_and_nobody_of_themselves() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        office.writes(&office.maya, "When?").await;
        assert_eq!((told(&office.maya).await.len(), told(&office.erin).await), (0, vec!["message.sent".to_owned()]));
        office.writes(&office.erin, "On Monday.").await;
        assert_eq!(told(&office.maya).await, ["message.sent"]);
        assert_eq!((told(&office.erin).await.len(), told(&sam).await.len()), (1, 1));
        let note = Input { spv_id: Some(office.spv), body: "hm".to_owned(), internal: true, ..Input::default() };
        messages::send(&office.erin, note).await.unwrap();
        office.settle().await;
        assert_eq!((told(&office.maya).await.len(), told(&sam).await.len()), (1, 2));
        // Following the log once more tells nobody anything twice.
        office.settle().await;
        assert_eq!(told(&sam).await, ["note.written", "message.sent"]);
        // Reading the conversation is reading of it.
        let thread =
            messages::threads(&sam, &messages::Filter::default(), &PageQuery::default()).await.unwrap().items[0].id;
        messages::read(&sam, thread).await.unwrap();
        assert_eq!(notifications::unread(&sam).await.unwrap(), 0);
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_mail_waits_and_is_not_sent_when_it_was_read_in_the_app() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        office.writes(&office.erin, "The fee is 1250.00").await;
        office.writes(&office.erin, "And one more thing").await;
        let jobs = queue::list(&office.world.operator(), None, &PageQuery::default()).await.unwrap().items;
        let waiting: Vec<_> = jobs.iter().filter(|job| job.job == "notifications.mail").collect();
        assert_eq!(waiting.len(), 1, "one mail tells of both");
        assert_eq!(waiting[0].run_at, Some(office.world.clock.now() + notifications::READ_GRACE));
        assert!(office.mails(Kind::Notices).await.is_empty());

        office.world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&office.job(), maya).await.unwrap());
        assert!(!notifications::send_immediate_mail(&office.job(), maya).await.unwrap(), "each is mailed once");
        let mails = office.mails(Kind::Notices).await;
        assert_eq!((mails.len(), mails[0].user_id, mails[0].data["count"].as_i64()), (1, Some(maya), Some(2)));
        assert!(!serde_json::to_string(&mails[0].data).unwrap().contains("1250"), "no text of a message is mailed");

        office.writes(&office.erin, "Seen?").await;
        notifications::read(&office.maya, &[], true).await.unwrap();
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(!notifications::send_immediate_mail(&office.job(), maya).await.unwrap(), "it was read in the app");
        assert!(office.maya.can(Action::View, domain::kernel::access::Resource::Thread { client_id: maya }));
        assert!(notifications::send_immediate_mail(&office.maya, maya).await.is_err(), "people do not send mails");
    })
    .await;
}

#[tokio::test]
async fn who_is_somebody_else_now_is_told_nothing_of_before() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        chooses(&office.erin, Topic::Messages, true, MailFrequency::Daily).await;
        office.writes(&office.maya, "When?").await;
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 1);
        people::set_role(&sam, id(&office.erin), Role::SuperAdmin, None, None, None).await.unwrap();
        office.world.clock.advance(Duration::days(2));
        assert_eq!(notifications::send_digests(&office.job()).await.unwrap(), 0);
        assert_eq!(office.mails(Kind::Digest).await.len(), 0);
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn what_one_may_not_know_of_any_more_is_neither_listed_nor_counted() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let mut row = office.world.user(Role::CompanyAdmin, "Clara", Some(company), None).await;
        let clara = office.world.signed_in(&row);
        let asked =
            requests::Input { kind: "support".to_owned(), message: "Please help".to_owned(), ..Default::default() };
        let asked = requests::create(&clara, asked).await.unwrap().id;
        requests::reject(&office.erin, asked, None, "Answered by phone").await.unwrap();
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        office.settle().await;
        assert_eq!((told(&clara).await.len(), notifications::unread(&clara).await.unwrap()), (2, 2));
        // Of another company now: the order is none of hers, and what she asked for still is.
        row.company_id = Some(office.world.company("Bolt").await);
        let moved = office.world.signed_in(&row);
        assert_eq!(told(&moved).await, ["request.rejected"]);
        assert_eq!(notifications::unread(&moved).await.unwrap(), 1);
        row.company_id = None;
        assert_eq!(notifications::unread(&office.world.signed_in(&row)).await.unwrap(), 1);
        notifications::read(&moved, &[], true).await.unwrap();
        assert_eq!(notifications::unread(&moved).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn people_of_an_archived_company_are_told_nothing() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        let order = spvs::get(&sam, office.spv).await.unwrap();
        office.writes(&office.erin, "On Monday.").await;
        companies::archive(&sam, order.spv.company_id, None).await.unwrap();
        office.writes(&sam, "On Tuesday.").await;
        let recipients: i64 = office
            .world
            .db
            .clone()
            .sql("select count(*) from notifications where user_id = $1")
            .bind(id(&office.maya))
            .scalar()
            .await
            .unwrap();
        assert_eq!(recipients, 1, "what came before the company was archived");
    })
    .await;
}

#[tokio::test]
async fn people_choose_where_they_are_told() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        chooses(&office.maya, Topic::Messages, false, MailFrequency::Now).await;
        office.writes(&office.erin, "One").await;
        assert_eq!((told(&office.maya).await.len(), notifications::unread(&office.maya).await.unwrap()), (0, 0));
        assert!(notifications::send_immediate_mail(&office.job(), maya).await.unwrap());
        chooses(&office.maya, Topic::Messages, true, MailFrequency::Off).await;
        office.writes(&office.erin, "Two").await;
        assert_eq!(told(&office.maya).await.len(), 1);
        assert!(!notifications::send_immediate_mail(&office.job(), maya).await.unwrap());
        chooses(&office.maya, Topic::Messages, false, MailFrequency::Off).await;
        office.writes(&office.erin, "Three").await;
        assert_eq!(told(&office.maya).await.len(), 1);
        for others in ["progress", "progress.spv.held", "messages.spv.held"] {
            let channels = Channels { in_app: true, mail: MailFrequency::Now };
            let wanted = SetChoice { event: others.to_owned(), channels };
            assert!(
                notifications::choose(&office.erin, &[wanted]).await.is_err(),
                "the staff are not told of {others}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn one_event_can_be_chosen_apart_from_its_topic() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        let way = async |event: &str| {
            let all = notifications::choices(&office.maya).await.unwrap();
            let choice = all.into_iter().find(|choice| choice.event.name() == event).unwrap();
            (choice.channels.in_app, choice.channels.mail)
        };
        assert_eq!(way("progress.spv.held").await, (true, MailFrequency::Daily));
        // As a topic was chosen before its events could be.
        chooses(&office.maya, Topic::Progress, true, MailFrequency::Now).await;
        chooses_event(&office.maya, "progress.spv.resumed", false, MailFrequency::Off).await;
        assert_eq!(way("progress.spv.held").await, (true, MailFrequency::Now));
        assert_eq!(way("progress.spv.resumed").await, (false, MailFrequency::Off));
        notifications::read(&office.maya, &[], true).await.unwrap();
        let before = told(&office.maya).await.len();
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        spvs::resume(&office.erin, office.spv, None).await.unwrap();
        office.settle().await;
        let hers = told(&office.maya).await;
        assert_eq!((hers.len(), hers[0].as_str()), (before + 1, "spv.held"));
        assert!(notifications::send_immediate_mail(&office.job(), maya).await.unwrap());
        assert_eq!(office.mails(Kind::Notices).await[0].data["count"].as_i64(), Some(1));
        // One action of the log may be two things: what waits for her, and what moved on.
        chooses_event(&office.maya, "tasks.step.updated", false, MailFrequency::Off).await;
        assert_eq!(way("progress.step.updated").await, (true, MailFrequency::Now));
        // What has a mail of its own is chosen like all else.
        chooses_event(&office.maya, "tasks.document_request.created", true, MailFrequency::Off).await;
        chooses_event(&office.erin, "reminders.step.overdue", true, MailFrequency::Off).await;
        let before = office.mails(Kind::DocumentRequested).await.len();
        let input = document_requests::Input { name: Some("Passport".to_owned()), ..Default::default() };
        document_requests::create(&office.erin, office.spv, input).await.unwrap();
        assert_eq!(office.mails(Kind::DocumentRequested).await.len(), before);
        office.world.clock.advance(Duration::days(365));
        steps::remind_overdue(&office.world.operator()).await.unwrap();
        assert!(office.mails(Kind::StepOverdue).await.is_empty());
        // A topic that is chosen anew stands for all of its events.
        chooses(&office.maya, Topic::Progress, true, MailFrequency::Off).await;
        assert_eq!(way("progress.spv.resumed").await, (true, MailFrequency::Off));
        assert_eq!(way("tasks.step.updated").await, (false, MailFrequency::Off));
    })
    .await;
}

#[tokio::test]
async fn what_has_a_mail_of_its_own_follows_the_choice_too() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        let asks = async |name: &str| {
            let input = document_requests::Input { name: Some(name.to_owned()), ..Default::default() };
            document_requests::create(&office.erin, office.spv, input).await.unwrap();
            office.settle().await;
            office.mails(Kind::DocumentRequested).await.len()
        };
        let before = office.mails(Kind::DocumentRequested).await.len();
        assert_eq!(asks("Passport").await, before + 1, "at once, unless somebody chose otherwise");
        assert!(!notifications::send_immediate_mail(&office.job(), maya).await.unwrap(), "and not a second time");
        chooses(&office.maya, Topic::Tasks, true, MailFrequency::Off).await;
        assert_eq!(asks("Proof of address").await, before + 1);
        chooses(&office.maya, Topic::Tasks, false, MailFrequency::Daily).await;
        assert_eq!(asks("Source of funds").await, before + 1);
        assert!(!notifications::send_immediate_mail(&office.job(), maya).await.unwrap());
        office.world.clock.advance(Duration::hours(26));
        notifications::send_digests(&office.job()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        let to_maya = digests.iter().find(|mail| mail.to_email.starts_with("maya")).expect("a digest");
        let lines = to_maya.data["events"].as_array().unwrap();
        assert_eq!(lines.iter().filter(|line| line["action"] == "document_request.created").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_order_that_closes_is_mailed_to_its_client_unless_they_want_no_mail_of_it() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let (_, his, _) = office.world.client("Nils", company, None).await;
        let (_, hers, nora) = office.world.client("Nora", company, None).await;
        chooses(&office.maya, Topic::Progress, true, MailFrequency::Off).await;
        chooses_event(&nora, "progress.spv.closed", true, MailFrequency::Daily).await;
        for spv in [office.spv, his, hers] {
            let ids: Vec<_> = steps::list(&office.erin, spv).await.unwrap().into_iter().map(|step| step.id).collect();
            steps::complete(&office.erin, spv, None, &ids).await.unwrap();
        }
        let told: Vec<_> = office.mails(Kind::SpvClosed).await.into_iter().map(|mail| mail.to_email).collect();
        assert_eq!(told, ["nils@example.com"]);
        office.settle().await;
        office.world.clock.advance(Duration::hours(26));
        notifications::send_digests(&office.job()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        let closings = |who: &str| {
            let lines = digests.iter().filter(|mail| mail.to_email.starts_with(who));
            let lines = lines.flat_map(|mail| mail.data["events"].as_array().unwrap().clone());
            lines.filter(|line| line["action"] == "spv.closed").count()
        };
        assert_eq!(["nora", "nils", "maya"].map(closings), [1, 0, 0]);
    })
    .await;
}

#[tokio::test]
async fn who_has_reminders_with_the_digest_has_no_other_mail_of_them() {
    on_both(async |world| {
        let office = office(world).await;
        chooses(&office.erin, Topic::Reminders, true, MailFrequency::Daily).await;
        // Noon in UTC is seven in New York, and digests come at eight.
        office.world.clock.advance(Duration::days(365) + Duration::hours(2));
        steps::remind_overdue(&office.world.operator()).await.unwrap();
        office.settle().await;
        assert!(office.mails(Kind::StepOverdue).await.is_empty());
        notifications::send_digests(&office.job()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        let hers = digests.iter().find(|mail| mail.to_email.starts_with("erin")).expect("a digest");
        let lines = hers.data["events"].as_array().unwrap();
        assert!(lines.iter().any(|line| line["action"] == "step.overdue"), "{lines:?}");
    })
    .await;
}

#[tokio::test]
async fn a_digest_comes_once_a_day_in_the_readers_morning_and_once_after_days_without_a_server() {
    on_both(async |world| {
        let office = office(world).await;
        let zone = users::Preferences { time_zone: Some("America/New_York".to_owned()), ..Default::default() };
        users::set_preferences(&office.maya, zone).await.unwrap();
        chooses(&office.maya, Topic::Messages, true, MailFrequency::Daily).await;
        let digests = async || notifications::send_digests(&office.job()).await.unwrap();
        // Noon in UTC is seven in New York.
        office.writes(&office.erin, "One").await;
        assert_eq!(digests().await, 0);
        office.world.clock.advance(Duration::hours(1));
        assert_eq!((digests().await, digests().await), (1, 0));
        office.writes(&office.erin, "Two").await;
        office.world.clock.advance(Duration::hours(3));
        assert_eq!(digests().await, 0, "one a day");
        office.world.clock.advance(Duration::days(5));
        assert_eq!((digests().await, digests().await), (1, 0), "not one for each day that was missed");
        office.writes(&office.erin, "Three").await;
        notifications::read(&office.maya, &[], true).await.unwrap();
        office.world.clock.advance(Duration::days(1));
        assert_eq!(digests().await, 0, "what was read is no news");
        assert_eq!(office.mails(Kind::Digest).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn the_digest_of_a_companys_admin_comes_in_the_companys_morning() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let clara = office.world.company_admin("Clara", company).await;
        // Made by the clock that the company had then.
        let there = companies::SettingsInput { time_zone: Some("Asia/Singapore".to_owned()), ..Default::default() };
        companies::set(&clara, company, None, there).await.unwrap();
        chooses(&clara, Topic::Progress, true, MailFrequency::Daily).await;
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        office.settle().await;
        // Seven in New York, and eight in the evening there.
        notifications::send_digests(&office.job()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        assert!(digests.iter().any(|mail| mail.to_email.starts_with("clara")), "{digests:?}");
    })
    .await;
}

#[tokio::test]
async fn reminders_come_once_before_and_once_after_the_date() {
    on_both(async |world| {
        let office = office(world).await;
        let detail = spvs::get(&office.erin, office.spv).await.unwrap();
        let first = detail.steps[0].clone();
        let due = first.due_date.unwrap();
        // Erin has both the client's step and one of the staff.
        let given = steps::Change { assignee_id: Some(Some(id(&office.erin))), ..Default::default() };
        steps::update(&office.erin, first.id, None, given.clone()).await.unwrap();
        let staffs = steps::Change { owner: Some("staff".to_owned()), due_date: Some(due.to_string()), ..given };
        steps::update(&office.erin, detail.steps[1].id, None, staffs).await.unwrap();
        let day = |office: &Office| office.world.clock.now().date_naive();
        while due - day(&office) > Duration::days(3) {
            office.world.clock.advance(Duration::days(1));
        }
        let remind = async || {
            steps::remind_overdue(&office.world.operator()).await.unwrap();
            office.settle().await;
        };
        remind().await;
        remind().await;
        assert_eq!(told(&office.maya).await, ["step.due_soon"], "{} is the client's", first.step_name);
        assert_eq!(told(&office.erin).await, ["step.due_soon"], "{} is hers", detail.steps[1].step_name);
        // Who has a step stays with the staff.
        let page = notifications::list(&office.maya, false, &PageQuery::default()).await.unwrap();
        assert!(page.items.iter().all(|one| !one.activity.data.contains_key("assignee_id")));
        // Nobody was there for a week: it is told of once, and not for each day.
        office.world.clock.advance(Duration::days(7));
        remind().await;
        remind().await;
        let hers = told(&office.maya).await;
        assert_eq!(hers.iter().filter(|action| *action == "step.overdue").count(), 1, "{hers:?}");
        let staffs = told(&office.erin).await;
        assert!(staffs.iter().any(|action| action == "step.overdue"), "{staffs:?}");
        assert_eq!(office.mails(Kind::StepOverdue).await.len(), 1, "one mail of all that is late");
        assert!(office.mails(Kind::Notices).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn who_is_of_the_team_no_more_is_not_reminded_of_what_they_had_there() {
    on_both(async |world| {
        let office = office(world).await;
        let (sam, emil) = (office.world.super_admin("Sam").await, office.world.employee("Emil").await);
        let detail = spvs::get(&office.erin, office.spv).await.unwrap();
        let due = office.world.clock.now().date_naive() + Duration::days(2);
        for (step, who) in detail.steps[..2].iter().zip([&emil, &office.erin]) {
            let given = steps::Change {
                owner: Some("staff".to_owned()),
                due_date: Some(due.to_string()),
                assignee_id: Some(Some(id(who))),
                ..Default::default()
            };
            steps::update(&sam, step.id, None, given).await.unwrap();
        }
        office.settle().await;
        let reminded = async |who: &Ctx| -> i64 {
            steps::remind_overdue(&office.world.operator()).await.unwrap();
            office.settle().await;
            let sql = "select count(*) from notifications where user_id = $1 and topic = 'reminders'";
            office.world.db.clone().sql(sql).bind(id(who)).scalar().await.unwrap()
        };
        let company = Some(detail.spv.company_id);
        people::set_role(&sam, id(&emil), Role::Client, company, None, None).await.unwrap();
        assert_eq!((reminded(&emil).await, reminded(&office.erin).await), (0, 1), "an order that is another client's");
    })
    .await;
}

#[tokio::test]
async fn a_client_is_reminded_of_documents_and_invoices_once_before_and_once_after_the_date() {
    on_both(async |world| {
        let office = office(world).await;
        let due = |days| (office.world.clock.now().date_naive() + Duration::days(days)).to_string();
        let input = |name: Option<&str>, due_date: String| document_requests::Input {
            name: name.map(str::to_owned),
            due_date: Some(due_date),
            ..Default::default()
        };
        let (erin, operator) = (&office.erin, office.world.operator());
        let request = document_requests::create(erin, office.spv, input(Some("Passport"), due(20))).await.unwrap().id;
        let heard = async |action: &str| {
            for _ in 0..2 {
                document_requests::remind(&operator).await.unwrap();
                invoices::remind(&operator).await.unwrap();
            }
            office.settle().await;
            let page = PageQuery { limit: Some(100), cursor: None };
            let told = notifications::list(&office.maya, false, &page).await.unwrap().items;
            // The template asks for documents, too.
            let of =
                |event: &activity::Activity| event.subject_kind == "invoice" || event.subject_id == Some(request.0);
            told.iter().filter(|one| one.activity.action == action && of(&one.activity)).count()
        };
        assert_eq!((heard("document_request.due_soon").await, heard("invoice.due_soon").await), (0, 0));
        // The invoice of the order is due in a fortnight.
        office.world.clock.advance(Duration::days(12));
        assert_eq!((heard("document_request.due_soon").await, heard("invoice.due_soon").await), (0, 1));
        office.world.clock.advance(Duration::days(10));
        assert_eq!((heard("document_request.overdue").await, heard("invoice.overdue").await), (1, 1));
        assert_eq!((heard("document_request.due_soon").await, heard("invoice.due_soon").await), (0, 1));
        // Another date is one to be reminded of anew.
        document_requests::update(erin, request, None, input(None, due(2))).await.unwrap();
        assert_eq!(heard("document_request.due_soon").await, 1);
        office.world.clock.advance(Duration::days(3));
        assert_eq!(heard("document_request.overdue").await, 2);
        assert!(document_requests::remind(&office.maya).await.is_err(), "people remind nobody");
    })
    .await;
}

#[tokio::test]
async fn nobody_is_told_of_a_seed() {
    on_both(async |world| {
        let office = office(world).await;
        domain::operations::seed::insert_benchmark_data(&office.world.operator(), 20, |_| true).await.unwrap();
        office.settle().await;
        assert_eq!((told(&office.erin).await.len(), told(&office.maya).await.len()), (0, 0));
    })
    .await;
}

/// Several processes number what happens and tell of it, each from what it has numbered itself.
#[tokio::test]
async fn nothing_is_missed_however_many_processes_follow() {
    on_both(async |world| {
        let office = office(world).await;
        let follow = || {
            let (feed, heard) = broadcast::channel(1_000);
            (tokio::spawn(activity_feed::run(office.world.operator(), feed, |_| ())), heard)
        };
        let ((one, mut heard), (other, mut heard_by_other)) = (follow(), follow());
        let notes = async |text: String| {
            let change = steps::Change { text_data: Some(text), ..steps::Change::default() };
            let step = spvs::get(&office.erin, office.spv).await.unwrap().steps[0].id;
            steps::update(&office.erin, step, None, change).await.unwrap();
        };
        // They hear of what is numbered after their first look, which may be late.
        let mut knocks = 0;
        while heard.is_empty() || heard_by_other.is_empty() {
            notes(format!("Knock {knocks}")).await;
            knocks += 1;
            assert!(knocks < 100, "somebody does not follow");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        let mut seqs = Vec::new();
        let sent = 40;
        for n in 0..sent {
            // Some of what happens is told to nobody: it must not be taken for what comes after it.
            notes(format!("Note {n}")).await;
            let input = Input { spv_id: Some(office.spv), body: format!("Number {n}"), ..Input::default() };
            messages::send(&office.erin, input).await.unwrap();
            if n % 4 == 1 {
                // One that numbers and ends before it tells.
                activity::sequence_all(&office.world.operator()).await.unwrap();
            }
            if n % 10 == 9 {
                // Whoever hears of a message finds what they are told of it.
                seqs.extend(hear(&mut heard, "message.sent", 10).await);
                assert_eq!(notifications::unread(&office.maya).await.unwrap(), n + 1);
            }
        }
        one.abort();
        other.abort();
        office.settle().await;
        assert_eq!(notifications::unread(&office.maya).await.unwrap(), sent);
        let mut by_other = Vec::new();
        while let Ok(event) = heard_by_other.try_recv() {
            by_other.extend(event.seq);
        }
        for seqs in [seqs, by_other] {
            assert!(seqs.windows(2).all(|two| two[1] == two[0] + 1), "all of it, in order, once: {seqs:?}");
        }
    })
    .await;
}

/// The numbers of what is heard until so many of an action were.
async fn hear(feed: &mut broadcast::Receiver<Arc<activity::Activity>>, action: &str, mut many: usize) -> Vec<i64> {
    let mut seqs = Vec::new();
    let all = async {
        while many > 0 {
            let event = feed.recv().await.unwrap();
            many -= usize::from(event.action == action);
            seqs.extend(event.seq);
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), all).await.expect("everything is heard of");
    seqs
}

/// Also by whoever has numbered it and does not look again.
#[tokio::test]
async fn what_is_done_quietly_is_told_to_nobody() {
    on_both(async |world| {
        let office = office(world).await;
        let (feed, mut heard) = broadcast::channel(1_000);
        let following = tokio::spawn(activity_feed::run(office.world.operator(), feed, |_| ()));
        let quiet = Ctx { silent: true, ..office.erin.clone() };
        for (n, who) in [&office.erin, &quiet, &quiet, &office.erin].into_iter().enumerate() {
            let input = Input { spv_id: Some(office.spv), body: format!("Number {n}"), ..Input::default() };
            messages::send(who, input).await.unwrap();
            hear(&mut heard, "message.sent", 1).await;
        }
        following.abort();
        assert_eq!(notifications::unread(&office.maya).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn what_nobody_is_to_be_told_of_waits_for_no_writer() {
    on_both(async |world| {
        let office = office(world).await;
        let step = spvs::get(&office.erin, office.spv).await.unwrap().steps[0].id;
        let change = steps::Change { text_data: Some("For us".to_owned()), ..steps::Change::default() };
        steps::update(&office.erin, step, None, change).await.unwrap();
        activity::sequence_all(&office.world.operator()).await.unwrap();
        let mut writer = office.world.db.begin().await.unwrap();
        writer.sql("update notified set one = 1").run().await.unwrap();
        let soon = std::time::Duration::from_secs(5);
        tokio::time::timeout(soon, notifications::process_pending(&office.world.operator())).await.unwrap().unwrap();
        drop(writer);
        office.writes(&office.erin, "For you").await;
        assert_eq!(told(&office.maya).await, ["message.sent"]);
    })
    .await;
}
