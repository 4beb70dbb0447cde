//! The log: nothing of it changes, whoever changes it all the same is found out, and what is cut off leaves it whole.
use chrono::Duration;
use domain::{
    Error, activity,
    clock::Clock,
    db::Sql,
    settings::{self, Retention, Settings},
    testing::{World, noon, on_both},
};

async fn refused(world: &World, sql: &str) {
    let mut tx = world.db.begin().await.unwrap();
    assert!(tx.sql_built(sql.to_owned()).run().await.is_err(), "the database itself refuses: {sql}");
}

async fn broken_at(world: &World) -> Option<i64> {
    match activity::verify(&world.operator()).await {
        Ok(_) => None,
        Err(Error::Conflict(problem)) => problem.params["seq"].as_i64(),
        Err(e) => panic!("{e}"),
    }
}

#[tokio::test]
async fn nothing_but_its_number_is_ever_written_into_an_entry() {
    on_both(async |world| {
        world.company("Meridian").await;
        for sql in [
            "update activity set actor_name = 'Mallory' where seq is null",
            "update activity set seq = 1, hash = 'x', subject_label = 'Other' where seq is null",
            "update activity set seq = 1 where seq is null",
            "delete from activity where seq is null",
        ] {
            refused(&world, sql).await;
        }
        activity::number_all(&world.operator()).await.unwrap();
        for sql in [
            "update activity set quiet = quiet where seq = 1",
            "update activity set hash = 'x' where seq = 1",
            "delete from activity where seq = 1",
            "update activity_checkpoint set seq = 1, hash = 'x'",
            "delete from activity_checkpoint",
        ] {
            refused(&world, sql).await;
        }
        assert_eq!(broken_at(&world).await, None);
    })
    .await;
}

#[tokio::test]
async fn whoever_goes_round_the_triggers_is_found_out() {
    for (harm, place) in [
        // One sign of one name.
        (&["update activity set subject_label = 'Meridiam' where seq = 2"][..], 2),
        (&["delete from activity where seq = 2"], 2),
        (&["delete from activity where seq = 4"], 4),
        (
            &[
                "update activity set seq = -1 where seq = 1",
                "update activity set seq = 1 where seq = 2",
                "update activity set seq = 2 where seq = -1",
            ],
            1,
        ),
        // The beginning, and the checkpoint with it.
        (
            &[
                "update activity_checkpoint set seq = 2, hash = (select hash from activity where seq = 2)",
                "delete from activity where seq <= 2",
            ],
            2,
        ),
    ] {
        on_both(async |world| {
            for name in ["Anchor", "Meridian", "Summit", "Harbor"] {
                world.company(name).await;
            }
            activity::number_all(&world.operator()).await.unwrap();
            assert_eq!(activity::verify(&world.operator()).await.unwrap(), 4);
            for sql in harm {
                world.without_triggers(sql).await;
            }
            assert_eq!(broken_at(&world).await, Some(place), "{harm:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn what_is_old_is_cut_off_and_the_rest_stays_whole() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        for name in ["Anchor", "Meridian"] {
            world.company(name).await;
        }
        let operator = world.operator();
        activity::number_all(&operator).await.unwrap();
        let old = activity::verify(&operator).await.unwrap();
        let mut later = world.clone();
        later.clock = Clock::fixed(noon() + Duration::days(200));
        later.company("Summit").await;
        let cut = activity::cut(&later.operator(), noon() + Duration::days(10)).await.unwrap();
        assert_eq!(i64::try_from(cut).unwrap(), old);
        // Before the entry that tells of it has a number, and after.
        activity::verify(&operator).await.unwrap();
        activity::number_all(&operator).await.unwrap();
        assert_eq!(activity::verify(&operator).await.unwrap(), 2, "a company, and what was cut");
        assert_eq!(activity::cut(&later.operator(), noon() + Duration::days(10)).await.unwrap(), 0);
        let newest = activity::list(&sigrid, &activity::Filter::default(), &Default::default()).await.unwrap().items;
        assert!(newest.iter().any(|row| row.action == "activity.cut"));
        assert_eq!(newest.len(), 2);
        world.without_triggers("delete from activity where action = 'activity.cut'").await;
        assert!(broken_at(&world).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn how_long_the_log_is_kept_is_a_setting_with_bounds() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        for (days, good) in [(None, true), (Some(190), true), (Some(189), false), (Some(3_651), false)] {
            let wanted = |now: Settings| Settings { retention: Retention { activity_days: days }, ..now };
            assert_eq!(settings::set(&sigrid, wanted).await.is_ok(), good, "{days:?}");
        }
        let seen = settings::get(&sigrid).await.unwrap().version;
        settings::set_seen(&sigrid, Some(seen), |now| now).await.unwrap();
        let late = settings::set_seen(&sigrid, Some(seen), |now| now).await;
        assert!(matches!(late, Err(Error::Conflict(problem)) if problem.code == "stale"));
    })
    .await;
}
