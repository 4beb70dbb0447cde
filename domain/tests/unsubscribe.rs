//! One-click unsubscribe: which mails carry a link and what it stops. Undeliverable addresses.
use chrono::Duration;
use domain::{
    Actor, Ctx, Error,
    accounts::mail_delivery,
    desk::messages::{self, Input},
    directory::clients,
    kernel::{
        ids::{MailId, SpvId, UserId},
        page::PageQuery,
    },
    outbox::{
        mails::{self, Kind, Mail},
        notifications::{self, Channels, MailFrequency, SetChoice},
    },
    platform::activity,
    reporting::{reports, unsubscribe},
    testing::{World, on_both},
};
use std::collections::BTreeMap;

fn id(ctx: &Ctx) -> UserId {
    ctx.actor.user_id().unwrap()
}

fn job_ctx(world: &World) -> Ctx {
    world.as_actor(Actor::System("mails"))
}

async fn outbox(world: &World, kind: Kind) -> Vec<Mail> {
    let page = PageQuery { limit: Some(100), cursor: None };
    let mut mails = mails::list(&world.operator(), None, &page).await.unwrap().items;
    mails.retain(|mail| mail.kind == kind);
    mails
}

/// The unsubscribe token that a delivery attempt of this mail carries.
async fn token(world: &World, mail: MailId) -> Option<String> {
    let link = mail_delivery::load_for_sending(&job_ctx(world), mail).await.unwrap().unwrap().unsubscribe?;
    let token = link.strip_prefix(&format!("{}/unsubscribe?token=", world.operator().options.public_url));
    Some(token.unwrap().to_owned())
}

/// Sends a message and processes its notification.
async fn send_message(world: &World, who: &Ctx, spv: SpvId) {
    let input = Input { spv_id: Some(spv), body: "When?".to_owned(), ..Input::default() };
    messages::send(who, input).await.unwrap();
    activity::sequence_all(&world.operator()).await.unwrap();
    notifications::process_pending(&world.operator()).await.unwrap();
}

async fn choices(ctx: &Ctx) -> BTreeMap<String, Channels> {
    let all = notifications::choices(ctx).await.unwrap();
    all.into_iter().map(|choice| (choice.event.name(), choice.channels)).collect()
}

#[tokio::test]
async fn unsubscribe_from_notices_stops_immediate_mails_only() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let erin = world.employee("Erin").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let hidden =
            SetChoice { event: "invoices".to_owned(), channels: Channels { in_app: false, mail: MailFrequency::Now } };
        notifications::choose(&maya, &[hidden]).await.unwrap();
        let before = choices(&maya).await;
        send_message(&world, &erin, spv).await;
        world.clock.advance(notifications::READ_GRACE);
        assert!(notifications::send_immediate_mail(&job_ctx(&world), id(&maya)).await.unwrap());
        let mail = outbox(&world, Kind::Notices).await.remove(0);
        // The link of every attempt works, because an earlier one may have been delivered.
        let (first, second) = (token(&world, mail.id).await.unwrap(), token(&world, mail.id).await.unwrap());
        assert_ne!(first, second);

        send_message(&world, &erin, spv).await;
        for token in [&first, &first, &second] {
            assert_eq!(unsubscribe::unsubscribe(&world.anonymous(), token).await.unwrap(), Kind::Notices);
        }
        world.clock.advance(notifications::READ_GRACE);
        assert!(
            !notifications::send_immediate_mail(&job_ctx(&world), id(&maya)).await.unwrap(),
            "what waited is not mailed"
        );
        assert_eq!(notifications::unread(&maya).await.unwrap(), 2, "notifications in the portal continue");
        let own = ["progress.spv.created", "progress.spv.closed"];
        let own_tasks = ["tasks.document_request.created", "tasks.document_request.returned"];
        for (event, way) in choices(&maya).await {
            let stays =
                before[&event].mail != MailFrequency::Now || [own, own_tasks].concat().contains(&event.as_str());
            let mail = if stays { before[&event].mail } else { MailFrequency::Off };
            assert_eq!(way, Channels { mail, ..before[&event] }, "{event}");
        }
    })
    .await;
}

#[tokio::test]
async fn unsubscribe_from_a_digest_stops_digests() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let erin = world.employee("Erin").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let daily =
            SetChoice { event: "messages".to_owned(), channels: Channels { in_app: true, mail: MailFrequency::Daily } };
        notifications::choose(&maya, &[daily]).await.unwrap();
        send_message(&world, &erin, spv).await;
        world.clock.advance(Duration::hours(26));
        assert_eq!(notifications::send_digests(&job_ctx(&world)).await.unwrap(), 1);
        let mail = outbox(&world, Kind::Digest).await.remove(0);
        let token = token(&world, mail.id).await.unwrap();
        let before = choices(&maya).await;
        assert_eq!(unsubscribe::unsubscribe(&world.anonymous(), &token).await.unwrap(), Kind::Digest);
        for (event, way) in choices(&maya).await {
            let mail =
                if before[&event].mail == MailFrequency::Daily { MailFrequency::Off } else { before[&event].mail };
            assert_eq!(way.mail, mail, "{event}");
        }
        send_message(&world, &erin, spv).await;
        world.clock.advance(Duration::hours(26));
        assert_eq!(notifications::send_digests(&job_ctx(&world)).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn unsubscribe_from_a_report_removes_the_recipient() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (clara, carl) = (world.company_admin("Clara", company).await, world.company_admin("Carl", company).await);
        let input = reports::Input {
            report: Some("portfolio".to_owned()),
            every: Some("weekly".to_owned()),
            recipients: vec![id(&clara), id(&carl)],
            ..reports::Input::default()
        };
        let made = reports::create(&clara, input).await.unwrap();
        world.clock.advance(Duration::hours(50));
        assert_eq!(reports::mail_due(&job_ctx(&world)).await.unwrap(), 2);
        let mails = outbox(&world, Kind::Report).await;
        let to_carl = mails.iter().find(|mail| mail.user_id == Some(id(&carl))).unwrap();
        let token = token(&world, to_carl.id).await.unwrap();
        for _ in 0..2 {
            assert_eq!(unsubscribe::unsubscribe(&world.anonymous(), &token).await.unwrap(), Kind::Report);
        }
        let left = reports::get(&clara, made.id).await.unwrap();
        assert_eq!((left.recipients.len(), left.recipients[0].id, left.version), (1, id(&clara), 2));
        world.clock.advance(Duration::days(7));
        assert_eq!(reports::mail_due(&job_ctx(&world)).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn transactional_mails_have_no_unsubscribe_link() {
    on_both(async |world| {
        let sam = world.super_admin("Sam").await;
        let test = mails::test(&sam).await.unwrap();
        assert_eq!(token(&world, test).await, None);
        for unknown in ["", "abc", &"A".repeat(43)] {
            let refused = unsubscribe::unsubscribe(&world.anonymous(), unknown).await;
            assert!(matches!(refused, Err(Error::NotFound(_))), "{unknown}");
        }
    })
    .await;
}

#[tokio::test]
async fn staff_see_undeliverable_addresses() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (erin, sam) = (world.employee("Erin").await, world.super_admin("Sam").await);
        let (maya, _, as_maya) = world.client("Maya", acme, None).await;
        let seen = async |who: &Ctx| {
            let found = mails::email_failures(who, &[maya, id(&sam)]).await.unwrap();
            found.into_iter().map(|(user, failure)| (user, failure.reason)).collect::<Vec<_>>()
        };
        clients::invite(&erin, maya).await.unwrap();
        let sent = outbox(&world, Kind::PasswordSetup).await;
        let mail = sent.iter().find(|mail| mail.user_id == Some(maya)).unwrap();
        mails::mark_failed(&job_ctx(&world), mail.id, "421 later", false).await.unwrap();
        assert_eq!(seen(&erin).await, [], "it will be retried");
        mails::mark_failed(&job_ctx(&world), mail.id, "550 no such user", true).await.unwrap();
        for staff in [&sam, &world.operator()] {
            assert_eq!(seen(staff).await, [(maya, Some("550 no such user".to_owned()))]);
        }
        assert_eq!(seen(&erin).await, [(maya, None)], "the server's response names hosts");
        assert_eq!(seen(&as_maya).await, []);
        // A mail that is no longer to be sent does not affect the address's status.
        let test = mails::test(&sam).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        use domain::kernel::db::Sql;
        tx.sql("update users set email = 'new@example.com', email_key = 'new@example.com' where id = $1")
            .bind(id(&sam))
            .run()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert!(mail_delivery::load_for_sending(&job_ctx(&world), test).await.unwrap().is_none());
        assert_eq!(seen(&erin).await.len(), 1);
        // A delivered mail clears the failure.
        mails::resend(&erin, mail.id).await.unwrap();
        assert_eq!(seen(&erin).await, []);
        mails::mark_failed(&job_ctx(&world), mail.id, "550 no such user", true).await.unwrap();
        assert_eq!(seen(&erin).await.len(), 1);
        world.clock.advance(Duration::hours(1));
        mails::mark_sent(&job_ctx(&world), mail.id, None).await.unwrap();
        assert_eq!(seen(&erin).await, []);
    })
    .await;
}
