//! Notifications: recipients, preferences, delayed mails that reading cancels, daily digests in the reader's morning,
//! and reminders that are sent once.
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
    office.process_log().await;
    office
}

impl Office {
    /// Sequences the log and processes pending notifications.
    async fn process_log(&self) {
        activity::sequence_all(&self.world.operator()).await.unwrap();
        notifications::process_pending(&self.world.operator()).await.unwrap();
    }

    fn job_ctx(&self) -> Ctx {
        self.world.as_actor(Actor::System("notifications"))
    }

    async fn send_message(&self, who: &Ctx, body: &str) {
        let input = Input { spv_id: Some(self.spv), body: body.to_owned(), ..Input::default() };
        messages::send(who, input).await.unwrap();
        self.process_log().await;
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

async fn notified_actions(ctx: &Ctx) -> Vec<String> {
    let page = notifications::list(ctx, false, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|one| one.activity.action).collect()
}

async fn choose_topic(ctx: &Ctx, topic: Topic, in_app: bool, mail: MailFrequency) {
    choose_event(ctx, topic.name(), in_app, mail).await;
}

async fn choose_event(ctx: &Ctx, event: &str, in_app: bool, mail: MailFrequency) {
    let choice = SetChoice { event: event.to_owned(), channels: Channels { in_app, mail } };
    notifications::choose(ctx, &[choice]).await.unwrap();
}

#[tokio::test]
async fn messages_notify_the_other_side_only() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        office.send_message(&office.maya, "When?").await;
        assert_eq!(
            (notified_actions(&office.maya).await.len(), notified_actions(&office.erin).await),
            (0, vec!["message.sent".to_owned()])
        );
        office.send_message(&office.erin, "On Monday.").await;
        assert_eq!(notified_actions(&office.maya).await, ["message.sent"]);
        assert_eq!((notified_actions(&office.erin).await.len(), notified_actions(&sam).await.len()), (1, 1));
        let note = Input { spv_id: Some(office.spv), body: "hm".to_owned(), internal: true, ..Input::default() };
        messages::send(&office.erin, note).await.unwrap();
        office.process_log().await;
        assert_eq!((notified_actions(&office.maya).await.len(), notified_actions(&sam).await.len()), (1, 2));
        // Processing again creates no duplicates.
        office.process_log().await;
        assert_eq!(notified_actions(&sam).await, ["note.written", "message.sent"]);
        // Reading the conversation marks its notifications as read; Erin's are, as she has answered.
        let thread =
            messages::threads(&sam, &messages::Filter::default(), &PageQuery::default()).await.unwrap().items[0].id;
        messages::read(&sam, thread).await.unwrap();
        assert_eq!(notifications::unread(&sam).await.unwrap(), 0);
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn mail_is_delayed_and_dropped_when_read_in_the_app() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        office.send_message(&office.erin, "The fee is 1250.00").await;
        office.send_message(&office.erin, "And one more thing").await;
        let jobs = queue::list(&office.world.operator(), None, &PageQuery::default()).await.unwrap().items;
        let waiting: Vec<_> = jobs.iter().filter(|job| job.job == "notifications.mail").collect();
        assert_eq!(waiting.len(), 1, "one mail for both messages");
        assert_eq!(waiting[0].run_at, Some(office.world.clock.now() + notifications::READ_GRACE));
        assert!(office.mails(Kind::Notices).await.is_empty());

        office.world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap(), "each is mailed once");
        let mails = office.mails(Kind::Notices).await;
        assert_eq!((mails.len(), mails[0].user_id, mails[0].data["count"].as_i64()), (1, Some(maya), Some(2)));
        assert!(!serde_json::to_string(&mails[0].data).unwrap().contains("1250"), "mails contain no message text");

        office.send_message(&office.erin, "Seen?").await;
        notifications::read(&office.maya, &[], true).await.unwrap();
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap(), "it was read in the app");
        assert!(office.maya.can(Action::View, domain::kernel::access::Resource::Thread { client_id: maya }));
        assert!(notifications::send_immediate_mail(&office.maya, maya).await.is_err(), "users cannot send mails");
    })
    .await;
}

#[tokio::test]
async fn mail_about_a_step_is_dropped_when_the_change_is_undone() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        choose_topic(&office.maya, Topic::Progress, true, MailFrequency::Now).await;
        let all = steps::list(&office.erin, office.spv).await.unwrap();
        let set = async |n: usize, status: &str| {
            let change = steps::Change { status: Some(status.to_owned()), ..Default::default() };
            steps::update(&office.erin, all[n].id, None, change).await.unwrap();
            office.process_log().await;
        };
        let mailed_steps = async || -> Vec<Option<String>> {
            let mut mails = office.mails(Kind::Notices).await;
            mails.sort_by_key(|mail| mail.created_at);
            let last = mails.last().unwrap().data["events"].as_array().unwrap().clone();
            let changes = last.into_iter().filter(|event| event["action"] == "step.updated");
            changes.map(|event| event["step_name"].as_str().map(str::to_owned)).collect()
        };
        set(0, "completed").await;
        set(1, "completed").await;
        office.world.clock.advance(Duration::seconds(5));
        set(1, "pending").await;
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        assert_eq!(mailed_steps().await, [Some(all[0].step_name.clone())]);
        let of_step = activity::Filter { subject_id: Some(all[1].id.0), ..Default::default() };
        let log = activity::list(&office.erin, &of_step, &PageQuery::default()).await.unwrap();
        assert_eq!(log.items.len(), 2, "both changes stay in the log");

        // Undone alone: no mail at all.
        set(1, "completed").await;
        set(1, "pending").await;
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());

        // A change just before the mail may still be undone, so it waits for the next one.
        set(1, "completed").await;
        office.world.clock.advance(notifications::READ_GRACE - Duration::seconds(1));
        set(2, "completed").await;
        office.world.clock.advance(Duration::seconds(1));
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        assert_eq!(mailed_steps().await, [Some(all[1].step_name.clone())]);
        office.world.clock.advance(notifications::READ_GRACE);
        let jobs = queue::list(&office.world.operator(), None, &PageQuery::default()).await.unwrap().items;
        assert!(jobs.iter().any(|job| job.run_at == Some(office.world.clock.now())), "with a job of its own");
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        assert_eq!(mailed_steps().await, [Some(all[2].step_name.clone())]);
    })
    .await;
}

#[tokio::test]
async fn role_change_drops_earlier_notifications() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        choose_topic(&office.erin, Topic::Messages, true, MailFrequency::Daily).await;
        office.send_message(&office.maya, "When?").await;
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 1);
        people::set_role(&sam, id(&office.erin), Role::SuperAdmin, None, None, None).await.unwrap();
        office.world.clock.advance(Duration::days(2));
        assert_eq!(notifications::send_digests(&office.job_ctx()).await.unwrap(), 0);
        assert_eq!(office.mails(Kind::Digest).await.len(), 0);
        assert_eq!(notifications::unread(&office.erin).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn notifications_without_access_are_neither_listed_nor_counted() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let mut row = office.world.user(Role::CompanyAdmin, "Clara", Some(company), None).await;
        let clara = office.world.signed_in(&row);
        let request =
            requests::Input { kind: "support".to_owned(), message: "Please help".to_owned(), ..Default::default() };
        let request = requests::create(&clara, request).await.unwrap().id;
        requests::reject(&office.erin, request, None, "Answered by phone").await.unwrap();
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        office.process_log().await;
        assert_eq!((notified_actions(&clara).await.len(), notifications::unread(&clara).await.unwrap()), (2, 2));
        // She belongs to another company now: she sees the result of her own request, not the order.
        row.company_id = Some(office.world.company("Bolt").await);
        let moved = office.world.signed_in(&row);
        assert_eq!(notified_actions(&moved).await, ["request.rejected"]);
        assert_eq!(notifications::unread(&moved).await.unwrap(), 1);
        row.company_id = None;
        assert_eq!(notifications::unread(&office.world.signed_in(&row)).await.unwrap(), 1);
        notifications::read(&moved, &[], true).await.unwrap();
        assert_eq!(notifications::unread(&moved).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn archived_companies_get_no_notifications() {
    on_both(async |world| {
        let office = office(world).await;
        let sam = office.world.super_admin("Sam").await;
        let order = spvs::get(&sam, office.spv).await.unwrap();
        office.send_message(&office.erin, "On Monday.").await;
        companies::archive(&sam, order.spv.company_id, None).await.unwrap();
        office.send_message(&sam, "On Tuesday.").await;
        let recipients: i64 = office
            .world
            .db
            .clone()
            .sql("select count(*) from notifications where user_id = $1")
            .bind(id(&office.maya))
            .scalar()
            .await
            .unwrap();
        assert_eq!(recipients, 1, "only the one from before the company was archived");
    })
    .await;
}

#[tokio::test]
async fn preferences_choose_the_channels() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        choose_topic(&office.maya, Topic::Messages, false, MailFrequency::Now).await;
        office.send_message(&office.erin, "One").await;
        assert_eq!(
            (notified_actions(&office.maya).await.len(), notifications::unread(&office.maya).await.unwrap()),
            (0, 0)
        );
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        choose_topic(&office.maya, Topic::Messages, true, MailFrequency::Off).await;
        office.send_message(&office.erin, "Two").await;
        assert_eq!(notified_actions(&office.maya).await.len(), 1);
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        choose_topic(&office.maya, Topic::Messages, false, MailFrequency::Off).await;
        office.send_message(&office.erin, "Three").await;
        assert_eq!(notified_actions(&office.maya).await.len(), 1);
        for others in ["progress", "progress.spv.held", "messages.spv.held"] {
            let channels = Channels { in_app: true, mail: MailFrequency::Now };
            let choice = SetChoice { event: others.to_owned(), channels };
            assert!(
                notifications::choose(&office.erin, &[choice]).await.is_err(),
                "the staff are not notified of {others}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn event_preference_overrides_its_topic() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        let way = async |event: &str| {
            let all = notifications::choices(&office.maya).await.unwrap();
            let choice = all.into_iter().find(|choice| choice.event.name() == event).unwrap();
            (choice.channels.in_app, choice.channels.mail)
        };
        assert_eq!(way("progress.spv.held").await, (true, MailFrequency::Daily));
        // A preference of a whole topic, as stored before single events could be chosen.
        choose_topic(&office.maya, Topic::Progress, true, MailFrequency::Now).await;
        choose_event(&office.maya, "progress.spv.resumed", false, MailFrequency::Off).await;
        assert_eq!(way("progress.spv.held").await, (true, MailFrequency::Now));
        assert_eq!(way("progress.spv.resumed").await, (false, MailFrequency::Off));
        notifications::read(&office.maya, &[], true).await.unwrap();
        let before = notified_actions(&office.maya).await.len();
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        spvs::resume(&office.erin, office.spv, None).await.unwrap();
        office.process_log().await;
        let hers = notified_actions(&office.maya).await;
        assert_eq!((hers.len(), hers[0].as_str()), (before + 1, "spv.held"));
        office.world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        assert_eq!(office.mails(Kind::Notices).await[0].data["count"].as_i64(), Some(1));
        // One action belongs to two topics: tasks if it waits for her, progress otherwise.
        choose_event(&office.maya, "tasks.step.updated", false, MailFrequency::Off).await;
        assert_eq!(way("progress.step.updated").await, (true, MailFrequency::Now));
        // Events with a mail of their own follow the preference too.
        choose_event(&office.maya, "tasks.document_request.created", true, MailFrequency::Off).await;
        choose_event(&office.erin, "reminders.step.overdue", true, MailFrequency::Off).await;
        let before = office.mails(Kind::DocumentRequested).await.len();
        let input = document_requests::Input { name: Some("Passport".to_owned()), ..Default::default() };
        document_requests::create(&office.erin, office.spv, input).await.unwrap();
        assert_eq!(office.mails(Kind::DocumentRequested).await.len(), before);
        office.world.clock.advance(Duration::days(365));
        steps::remind_overdue(&office.world.operator()).await.unwrap();
        assert!(office.mails(Kind::StepOverdue).await.is_empty());
        // Choosing a topic again overrides all of its events.
        choose_topic(&office.maya, Topic::Progress, true, MailFrequency::Off).await;
        assert_eq!(way("progress.spv.resumed").await, (true, MailFrequency::Off));
        assert_eq!(way("tasks.step.updated").await, (false, MailFrequency::Off));
    })
    .await;
}

#[tokio::test]
async fn dedicated_mails_follow_the_preferences() {
    on_both(async |world| {
        let office = office(world).await;
        let maya = id(&office.maya);
        let asks = async |name: &str| {
            let input = document_requests::Input { name: Some(name.to_owned()), ..Default::default() };
            document_requests::create(&office.erin, office.spv, input).await.unwrap();
            office.process_log().await;
            office.mails(Kind::DocumentRequested).await.len()
        };
        let before = office.mails(Kind::DocumentRequested).await.len();
        assert_eq!(asks("Passport").await, before + 1, "at once by default");
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap(), "and not a second time");
        choose_topic(&office.maya, Topic::Tasks, true, MailFrequency::Off).await;
        assert_eq!(asks("Proof of address").await, before + 1);
        choose_topic(&office.maya, Topic::Tasks, false, MailFrequency::Daily).await;
        assert_eq!(asks("Source of funds").await, before + 1);
        assert!(!notifications::send_immediate_mail(&office.job_ctx(), maya).await.unwrap());
        office.world.clock.advance(Duration::hours(26));
        notifications::send_digests(&office.job_ctx()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        let to_maya = digests.iter().find(|mail| mail.to_email.starts_with("maya")).expect("a digest");
        let lines = to_maya.data["events"].as_array().unwrap();
        assert_eq!(lines.iter().filter(|line| line["action"] == "document_request.created").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn closed_order_mail_follows_the_preferences() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let (_, his, _) = office.world.client("Nils", company, None).await;
        let (_, hers, nora) = office.world.client("Nora", company, None).await;
        choose_topic(&office.maya, Topic::Progress, true, MailFrequency::Off).await;
        choose_event(&nora, "progress.spv.closed", true, MailFrequency::Daily).await;
        for spv in [office.spv, his, hers] {
            let ids: Vec<_> = steps::list(&office.erin, spv).await.unwrap().into_iter().map(|step| step.id).collect();
            steps::complete(&office.erin, spv, None, &ids).await.unwrap();
        }
        let notified: Vec<_> = office.mails(Kind::SpvClosed).await.into_iter().map(|mail| mail.to_email).collect();
        assert_eq!(notified, ["nils@example.com"]);
        office.process_log().await;
        office.world.clock.advance(Duration::hours(26));
        notifications::send_digests(&office.job_ctx()).await.unwrap();
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
async fn daily_reminders_are_only_in_the_digest() {
    on_both(async |world| {
        let office = office(world).await;
        choose_topic(&office.erin, Topic::Reminders, true, MailFrequency::Daily).await;
        // Noon UTC is 7:00 in New York; digests are sent at 8:00.
        office.world.clock.advance(Duration::days(365) + Duration::hours(2));
        steps::remind_overdue(&office.world.operator()).await.unwrap();
        office.process_log().await;
        assert!(office.mails(Kind::StepOverdue).await.is_empty());
        notifications::send_digests(&office.job_ctx()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        let hers = digests.iter().find(|mail| mail.to_email.starts_with("erin")).expect("a digest");
        let lines = hers.data["events"].as_array().unwrap();
        assert!(lines.iter().any(|line| line["action"] == "step.overdue"), "{lines:?}");
    })
    .await;
}

#[tokio::test]
async fn digest_is_sent_once_a_day_in_the_readers_morning() {
    on_both(async |world| {
        let office = office(world).await;
        let zone = users::Preferences { time_zone: Some("America/New_York".to_owned()), ..Default::default() };
        users::set_preferences(&office.maya, zone).await.unwrap();
        choose_topic(&office.maya, Topic::Messages, true, MailFrequency::Daily).await;
        let digests = async || notifications::send_digests(&office.job_ctx()).await.unwrap();
        // Noon UTC is 7:00 in New York.
        office.send_message(&office.erin, "One").await;
        assert_eq!(digests().await, 0);
        office.world.clock.advance(Duration::hours(1));
        assert_eq!((digests().await, digests().await), (1, 0));
        office.send_message(&office.erin, "Two").await;
        office.world.clock.advance(Duration::hours(3));
        assert_eq!(digests().await, 0, "one a day");
        office.world.clock.advance(Duration::days(5));
        assert_eq!((digests().await, digests().await), (1, 0), "not one per missed day");
        office.send_message(&office.erin, "Three").await;
        notifications::read(&office.maya, &[], true).await.unwrap();
        office.world.clock.advance(Duration::days(1));
        assert_eq!(digests().await, 0, "read notifications are left out");
        assert_eq!(office.mails(Kind::Digest).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn company_admin_digest_uses_the_company_time_zone() {
    on_both(async |world| {
        let office = office(world).await;
        let company = spvs::get(&office.erin, office.spv).await.unwrap().spv.company_id;
        let clara = office.world.company_admin("Clara", company).await;
        // The admin was created with the company's time zone of that time.
        let there = companies::SettingsInput { time_zone: Some("Asia/Singapore".to_owned()), ..Default::default() };
        companies::set(&clara, company, None, there).await.unwrap();
        choose_topic(&clara, Topic::Progress, true, MailFrequency::Daily).await;
        spvs::hold(&office.erin, office.spv, None, "A paper is missing").await.unwrap();
        office.process_log().await;
        // 7:00 in New York, 20:00 in Singapore.
        notifications::send_digests(&office.job_ctx()).await.unwrap();
        let digests = office.mails(Kind::Digest).await;
        assert!(digests.iter().any(|mail| mail.to_email.starts_with("clara")), "{digests:?}");
    })
    .await;
}

#[tokio::test]
async fn step_reminders_are_sent_once_before_and_once_after_the_due_date() {
    on_both(async |world| {
        let office = office(world).await;
        let detail = spvs::get(&office.erin, office.spv).await.unwrap();
        let first = detail.steps[0].clone();
        let due = first.due_date.unwrap();
        // Erin is assigned to the client's step and to a staff step.
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
            office.process_log().await;
        };
        remind().await;
        remind().await;
        assert_eq!(notified_actions(&office.maya).await, ["step.due_soon"], "{} is the client's", first.step_name);
        assert_eq!(notified_actions(&office.erin).await, ["step.due_soon"], "{} is hers", detail.steps[1].step_name);
        // The assignee is visible to staff only.
        let page = notifications::list(&office.maya, false, &PageQuery::default()).await.unwrap();
        assert!(page.items.iter().all(|one| !one.activity.data.contains_key("assignee_id")));
        // After a week without a server, one reminder is sent, not one per day.
        office.world.clock.advance(Duration::days(7));
        remind().await;
        remind().await;
        let hers = notified_actions(&office.maya).await;
        assert_eq!(hers.iter().filter(|action| *action == "step.overdue").count(), 1, "{hers:?}");
        let staffs = notified_actions(&office.erin).await;
        assert!(staffs.iter().any(|action| action == "step.overdue"), "{staffs:?}");
        assert_eq!(office.mails(Kind::StepOverdue).await.len(), 1, "one mail for all overdue steps");
        assert!(office.mails(Kind::Notices).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn former_staff_get_no_reminders() {
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
        office.process_log().await;
        let reminded = async |who: &Ctx| -> i64 {
            steps::remind_overdue(&office.world.operator()).await.unwrap();
            office.process_log().await;
            let sql = "select count(*) from notifications where user_id = $1 and topic = 'reminders'";
            office.world.db.clone().sql(sql).bind(id(who)).scalar().await.unwrap()
        };
        let company = Some(detail.spv.company_id);
        people::set_role(&sam, id(&emil), Role::Client, company, None, None).await.unwrap();
        assert_eq!((reminded(&emil).await, reminded(&office.erin).await), (0, 1), "he has no access to the order");
    })
    .await;
}

#[tokio::test]
async fn document_and_invoice_reminders_are_sent_once_before_and_once_after_the_due_date() {
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
        let notified_count = async |action: &str| {
            for _ in 0..2 {
                document_requests::remind(&operator).await.unwrap();
                invoices::remind(&operator).await.unwrap();
            }
            office.process_log().await;
            let page = PageQuery { limit: Some(100), cursor: None };
            let notified = notifications::list(&office.maya, false, &page).await.unwrap().items;
            // The template requests documents as well.
            let of =
                |event: &activity::Activity| event.subject_kind == "invoice" || event.subject_id == Some(request.0);
            notified.iter().filter(|one| one.activity.action == action && of(&one.activity)).count()
        };
        assert_eq!(
            (notified_count("document_request.due_soon").await, notified_count("invoice.due_soon").await),
            (0, 0)
        );
        // The order's invoice is due in 14 days.
        office.world.clock.advance(Duration::days(12));
        assert_eq!(
            (notified_count("document_request.due_soon").await, notified_count("invoice.due_soon").await),
            (0, 1)
        );
        office.world.clock.advance(Duration::days(10));
        assert_eq!((notified_count("document_request.overdue").await, notified_count("invoice.overdue").await), (1, 1));
        assert_eq!(
            (notified_count("document_request.due_soon").await, notified_count("invoice.due_soon").await),
            (0, 1)
        );
        // A changed due date is reminded of again.
        document_requests::update(erin, request, None, input(None, due(2))).await.unwrap();
        assert_eq!(notified_count("document_request.due_soon").await, 1);
        office.world.clock.advance(Duration::days(3));
        assert_eq!(notified_count("document_request.overdue").await, 2);
        assert!(document_requests::remind(&office.maya).await.is_err(), "users cannot run the reminders");
    })
    .await;
}

#[tokio::test]
async fn seeding_notifies_no_one() {
    on_both(async |world| {
        let office = office(world).await;
        domain::operations::seed::insert_benchmark_data(&office.world.operator(), 20, |_| true).await.unwrap();
        office.process_log().await;
        assert_eq!((notified_actions(&office.erin).await.len(), notified_actions(&office.maya).await.len()), (0, 0));
    })
    .await;
}

/// Several processes sequence the log and process notifications, each for the entries it sequenced itself.
#[tokio::test]
async fn concurrent_sequencers_notify_each_entry_once() {
    on_both(async |world| {
        let office = office(world).await;
        let follow = || {
            let (feed, events) = broadcast::channel(1_000);
            (tokio::spawn(activity_feed::run(office.world.operator(), feed, |_| ())), events)
        };
        let ((one, mut events), (other, mut other_events)) = (follow(), follow());
        let notes = async |text: String| {
            let change = steps::Change { text_data: Some(text), ..steps::Change::default() };
            let step = spvs::get(&office.erin, office.spv).await.unwrap().steps[0].id;
            steps::update(&office.erin, step, None, change).await.unwrap();
        };
        // A sequencer starts at the head of its first poll, which may be late.
        let mut attempts = 0;
        while events.is_empty() || other_events.is_empty() {
            notes(format!("Knock {attempts}")).await;
            attempts += 1;
            assert!(attempts < 100, "a sequencer does not run");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        let mut seqs = Vec::new();
        let sent = 40;
        for n in 0..sent {
            // Entries without recipients must not be mistaken for the ones after them.
            notes(format!("Note {n}")).await;
            let input = Input { spv_id: Some(office.spv), body: format!("Number {n}"), ..Input::default() };
            messages::send(&office.erin, input).await.unwrap();
            if n % 4 == 1 {
                // A process that sequences and ends before it notifies.
                activity::sequence_all(&office.world.operator()).await.unwrap();
            }
            if n % 10 == 9 {
                // The notification exists before the message is broadcast.
                seqs.extend(receive_until(&mut events, "message.sent", 10).await);
                assert_eq!(notifications::unread(&office.maya).await.unwrap(), n + 1);
            }
        }
        one.abort();
        other.abort();
        office.process_log().await;
        assert_eq!(notifications::unread(&office.maya).await.unwrap(), sent);
        let mut by_other = Vec::new();
        while let Ok(event) = other_events.try_recv() {
            by_other.extend(event.seq);
        }
        for seqs in [seqs, by_other] {
            assert!(seqs.windows(2).all(|two| two[1] == two[0] + 1), "every entry once and in order: {seqs:?}");
        }
    })
    .await;
}

/// Sequence numbers of broadcast entries up to and including the n-th entry of an action.
async fn receive_until(
    feed: &mut broadcast::Receiver<Arc<activity::Activity>>,
    action: &str,
    mut many: usize,
) -> Vec<i64> {
    let mut seqs = Vec::new();
    let all = async {
        while many > 0 {
            let event = feed.recv().await.unwrap();
            many -= usize::from(event.action == action);
            seqs.extend(event.seq);
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), all).await.expect("every entry is broadcast");
    seqs
}

/// Holds too for the process that sequenced the entries and does not process them again.
#[tokio::test]
async fn silent_context_sends_no_notifications() {
    on_both(async |world| {
        let office = office(world).await;
        let (feed, mut events) = broadcast::channel(1_000);
        let following = tokio::spawn(activity_feed::run(office.world.operator(), feed, |_| ()));
        let quiet = Ctx { suppress_notifications: true, ..office.erin.clone() };
        for (n, who) in [&office.erin, &quiet, &quiet, &office.erin].into_iter().enumerate() {
            let input = Input { spv_id: Some(office.spv), body: format!("Number {n}"), ..Input::default() };
            messages::send(who, input).await.unwrap();
            receive_until(&mut events, "message.sent", 1).await;
        }
        following.abort();
        assert_eq!(notifications::unread(&office.maya).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn entries_without_recipients_take_no_lock() {
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
        office.send_message(&office.erin, "For you").await;
        assert_eq!(notified_actions(&office.maya).await, ["message.sent"]);
    })
    .await;
}
