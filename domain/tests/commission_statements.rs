//! Commission statements are built in memory, so their number of rows is limited. On both databases.
use domain::{
    Error,
    kernel::db::{Dialect, Sql},
    orders::{commissions, spvs, steps},
    testing::on_both,
};

#[tokio::test]
async fn statement_above_the_row_limit_is_refused() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (iso, ingrid) = world.iso("Ingrid", acme).await;
        let (_, spv, _) = world.client("Maya", acme, Some(iso)).await;
        let operator = world.operator();
        for step in spvs::get(&operator, spv).await.unwrap().steps {
            let done = steps::Change { status: Some("completed".to_owned()), ..steps::Change::default() };
            steps::update(&operator, step.id, None, done).await.unwrap();
        }
        let (from, to) = ("2026-01-01".parse().unwrap(), "2026-12-31".parse().unwrap());
        let one = commissions::statement(&ingrid, None, from, to).await.unwrap();
        assert_eq!(one.rows.len(), 1);

        let mut tx = world.db.begin().await.unwrap();
        let id = match tx.dialect() {
            Dialect::Sqlite => "randomblob(16)",
            Dialect::Postgres => "gen_random_uuid()",
        };
        let columns = "iso_id, company_id, spv_id, client_id, kind, rule, rate, base_minor, currency, amount_minor, \
            status, earned_date, created_at, updated_at, updated_by";
        // One statement for all 50,000 rows can exceed the statement timeout on a loaded machine.
        for _ in 0..10 {
            let rows = format!(
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000) \
                 insert into commissions (id, {columns}) select {id}, {columns} \
                 from (select * from commissions limit 1) as original, n"
            );
            tx.sql_built(rows).run().await.unwrap();
        }
        tx.commit().await.unwrap();
        let Err(Error::Invalid(fields)) = commissions::statement(&ingrid, None, from, to).await else { panic!() };
        assert_eq!((fields[0].field.as_str(), fields[0].problem.code), ("period", "too_many_rows"));
    })
    .await;
}
