//! Step templates: dependencies of new orders, import of several countries, translations.
use domain::{
    Error,
    kernel::ids::StepId,
    orders::{
        spvs::Country,
        steps::{self, Change, Step},
        templates::{self, Input, StepInput},
    },
    testing::{code, on_both},
};

fn step(name: &str, depends_on: &[i64]) -> StepInput {
    StepInput {
        step_name: name.to_owned(),
        owner: "staff".to_owned(),
        business_days: 1,
        depends_on: depends_on.to_vec(),
        ..StepInput::default()
    }
}

/// Names of the steps that each step depends on, sorted.
fn dependency_names(steps: &[Step]) -> Vec<Vec<&str>> {
    let name = |id: &StepId| steps.iter().find(|other| other.id == *id).unwrap().step_name.as_str();
    let named = |step: &Step| {
        let mut names: Vec<&str> = step.depends_on.iter().map(name).collect();
        names.sort_unstable();
        names
    };
    steps.iter().map(named).collect()
}

#[tokio::test]
async fn order_steps_get_the_dependencies_of_their_template() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (sam, erin) = (world.super_admin("Sam").await, world.employee("Erin").await);
        let (_, old, _) = world.client("Maya", acme, None).await;
        // A step may depend on a later one.
        let input = |steps| Input { name: "LLC".to_owned(), steps };
        let first = vec![step("Papers", &[]), step("Signing", &[3]), step("Filing", &[1]), step("Binder", &[3, 2])];
        let saved = templates::set(&sam, Country::Us, None, input(first)).await.unwrap();
        assert_eq!(templates::get(&erin, Country::Us).await.unwrap(), saved, "kept as it was answered");

        let (_, spv, _) = world.client("Nils", acme, None).await;
        let made = steps::list(&erin, spv).await.unwrap();
        assert_eq!(dependency_names(&made), [vec![], vec!["Filing"], vec!["Papers"], vec!["Filing", "Signing"]]);
        let begin = Change { status: Some("in_progress".to_owned()), ..Change::default() };
        let refused = steps::update(&erin, made[1].id, None, begin.clone()).await;
        assert!(matches!(refused, Err(Error::Conflict(problem)) if problem.code == "step_waits"));
        steps::update(&erin, made[0].id, None, begin).await.unwrap();

        // Changing the template changes neither existing orders nor those created before it.
        templates::set(&sam, Country::Us, None, input(vec![step("Papers", &[2]), step("Visa", &[])])).await.unwrap();
        assert_eq!(dependency_names(&steps::list(&erin, spv).await.unwrap()), dependency_names(&made));
        assert!(steps::list(&erin, old).await.unwrap().iter().all(|step| step.depends_on.is_empty()));
        let (_, spv, _) = world.client("Ola", acme, None).await;
        assert_eq!(dependency_names(&steps::list(&erin, spv).await.unwrap()), [vec!["Visa"], vec![]]);
    })
    .await;
}

#[tokio::test]
async fn template_import_is_atomic() {
    on_both(async |world| {
        let (sam, erin) = (world.super_admin("Sam").await, world.employee("Erin").await);
        let before = templates::list(&erin).await.unwrap();
        let input = |steps| Input { name: "LLC".to_owned(), steps };
        let wanted = [(Country::Us, input(vec![step("Papers", &[])])), (Country::Jp, input(vec![step("Seal", &[])]))];
        assert_eq!(code(&templates::import(&erin, &wanted).await.unwrap_err()), "forbidden");
        let twice = [(Country::Us, input(vec![step("Papers", &[])])), (Country::Us, input(vec![step("", &[7])]))];
        let refused = templates::import(&sam, &twice).await.unwrap_err();
        assert_eq!(
            code(&refused),
            "US.country duplicate, US.steps.0.step_name required, US.steps.0.depends_on not_found".to_owned()
        );
        assert_eq!(templates::list(&erin).await.unwrap(), before);

        let changed: Vec<(Country, bool, i64)> = templates::import(&sam, &wanted)
            .await
            .unwrap()
            .iter()
            .map(|(template, changed)| (template.country, *changed, template.version))
            .collect();
        assert_eq!(changed, [(Country::Jp, true, 2), (Country::Us, true, 2)]);
        // An identical template keeps its version.
        let again = templates::import(&sam, &wanted[..1]).await.unwrap();
        assert!(matches!(&again[..], [(template, false)] if template.version == 2), "{again:?}");
        let logged: i64 = {
            let mut db = world.db.clone();
            domain::kernel::db::Sql::sql(&mut db, "select count(*) from activity where action = 'template.updated'")
                .scalar()
                .await
                .unwrap()
        };
        assert_eq!(logged, 2);
    })
    .await;
}

#[tokio::test]
async fn shipped_templates_are_translated() {
    on_both(async |world| {
        let erin = world.employee("Erin").await;
        for template in templates::list(&erin).await.unwrap() {
            let steps = template.steps.iter().map(|step| &step.step_name);
            let documents = template.steps.iter().flat_map(|step| &step.documents).map(|document| &document.name);
            for name in std::iter::once(&template.name).chain(steps).chain(documents) {
                let known = templates::names::in_every_language(name);
                assert_eq!(known.len(), 2, "{name:?} of {:?} is not translated", template.country);
            }
        }
    })
    .await;
}
