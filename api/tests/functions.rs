//! Server functions (decision 30): mails to known people with our own links.
use crate::support::on_both;
use domain::{
    kernel::{db::Sql, page::PageQuery},
    outbox::mails::{self, Kind},
};
use serde_json::json;

#[tokio::test]
async fn notifications_go_to_known_people_with_own_links() {
    on_both(|app| async move {
        let (erin, maya) = (app.employee("Erin").await, app.client("Maya").await);
        // Mails from creating their accounts.
        app.deliver_mails().await;
        let path = "/functions/v1/send-notifications";
        let wanted = |kind: &str, to: &str| {
            let data = json!({ "userName": "Mallory", "resetLink": "https://mallory.example/reset" });
            json!({ "type": kind, "to": to, "data": data })
        };
        maya.post(path, wanted("welcome", "erin@example.com")).await.refused(403, "forbidden");
        assert_eq!(erin.post(path, wanted("welcome", "nobody@example.com")).await.fields(), ["to not_found"]);
        assert_eq!(erin.post(path, wanted("invoice", "maya@example.com")).await.fields(), ["type unknown"]);
        assert!(app.deliver_mails().await.is_empty());

        erin.post(path, wanted("password_setup", "MAYA@example.com")).await.ok();
        let letter = app.only_mail().await;
        assert_eq!((letter.kind, letter.to.as_str()), (Kind::PasswordSetup, "maya@example.com"));
        assert!(letter.url.contains(&letter.token) && !letter.token.is_empty(), "{letter:?}");
        assert!(!letter.url.contains("mallory"), "{letter:?}");

        // A user with a password is welcomed without a set-up link.
        erin.post(path, wanted("welcome", "maya@example.com")).await.ok();
        let letter = app.only_mail().await;
        assert_eq!((letter.kind, letter.token.as_str()), (Kind::Welcome, ""));
        let context = async || {
            let page = PageQuery { limit: Some(100), cursor: None };
            let newest = mails::list(&app.world.operator(), None, &page).await.unwrap().items;
            let mail =
                newest.into_iter().find(|mail| [Kind::Welcome, Kind::WelcomeSetup].contains(&mail.kind)).unwrap();
            (mail.kind, mail.data.get("context").cloned())
        };
        assert_eq!(context().await, (Kind::Welcome, Some("own_password".into())), "it has chosen one itself");
        for (column, kind) in [
            ("must_change_password = true", Kind::Welcome),
            ("password_hash = null, last_sign_in_at = null", Kind::WelcomeSetup),
        ] {
            let mut tx = app.world.db.begin().await.unwrap();
            tx.sql_built(format!("update users set {column} where id = $1")).bind(maya.id).run().await.unwrap();
            tx.commit().await.unwrap();
            app.world.clock.advance(chrono::Duration::minutes(1));
            erin.post(path, wanted("welcome", "maya@example.com")).await.ok();
            assert_eq!(context().await, (kind, None), "{column}");
        }

        let client = format!("/rest/v1/clients/{}", maya.id);
        erin.post(&format!("{client}/archive"), json!({})).await.ok();
        assert_eq!(erin.post(path, wanted("welcome", "maya@example.com")).await.fields(), ["to not_found"]);
    })
    .await;
}
