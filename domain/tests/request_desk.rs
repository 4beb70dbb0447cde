//! Request desk: who may request what, assignment and review, decisions made once, filters, order and summary.
use chrono::{Duration, NaiveDate, TimeZone, Utc};
use domain::{
    Ctx, Error,
    accounts::users,
    desk::requests::{
        self, Assignee, Change, Filter, Form, Input, Kind, Priority, Request, RequestSort, ResultKind, Status,
    },
    directory::{companies, isos},
    kernel::{
        access::Role,
        db::Sql,
        ids::{CompanyId, RequestId, UserId},
        page::{Order, PageQuery},
    },
    orders::onboarding,
    outbox::{mails, notifications},
    platform::activity,
    reporting::search,
    testing::{World, code, on_both},
};

fn request_input(kind: &str) -> Input {
    Input { kind: kind.to_owned(), message: "Please help".to_owned(), ..Input::default() }
}

fn from(kind: &str, name: &str, email: &str) -> Input {
    Input { name: name.to_owned(), email: email.to_owned(), ..request_input(kind) }
}

/// An account application as its form sends it.
fn application(account: &str) -> Input {
    let text = |text: &str| Some(text.to_owned());
    let person = Form { first_name: text("Ada"), last_name: text("Lund"), ..Form::default() };
    let form = match account {
        "client" => Form { country: text("US"), ..person },
        "employee" => {
            Form { job_title: text("Analyst"), reason: text("New here"), phone: text("+1 555 0100"), ..person }
        }
        "iso" => Form { phone: text("+1 555 0100"), business_name: text("Lund LLC"), ..person },
        _ => Form { name: text("Lund"), business_name: text("Lund LLC"), ..person },
    };
    Input {
        kind: "account".to_owned(),
        email: "ada@example.com".to_owned(),
        account_type: text(account),
        application: Some(form),
        language: text("es"),
        ..Input::default()
    }
}

fn client(company: CompanyId, request: RequestId) -> onboarding::ClientInput {
    onboarding::ClientInput {
        first_name: "Ada".to_owned(),
        last_name: "Lund".to_owned(),
        email: "ada@example.com".to_owned(),
        company_id: Some(company),
        price: Some("1250.00".to_owned()),
        request_id: Some(request),
        ..onboarding::ClientInput::default()
    }
}

async fn list_ids(ctx: &Ctx, filter: Filter) -> Vec<RequestId> {
    // Page by page, to test the cursor of every order.
    let mut page = PageQuery { limit: Some(2), cursor: None };
    let mut ids = Vec::new();
    loop {
        let found = requests::list(ctx, &filter, &page).await.unwrap();
        ids.extend(found.items.iter().map(|request| request.id));
        page.cursor = found.next_cursor;
        if page.cursor.is_none() {
            return ids;
        }
    }
}

async fn sent_mails(world: &World) -> Vec<(mails::Kind, String)> {
    let page = PageQuery { limit: Some(100), cursor: None };
    let all = mails::list(&world.operator(), None, &page).await.unwrap().items;
    all.into_iter().map(|mail| (mail.kind, mail.to_email)).collect()
}

async fn notified_actions(ctx: &Ctx) -> Vec<String> {
    activity::sequence_all(ctx).await.unwrap();
    notifications::process_pending(ctx).await.unwrap();
    let page = notifications::list(ctx, false, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|row| row.activity.action).collect()
}

fn user_id(ctx: &Ctx) -> UserId {
    ctx.actor.user_id().unwrap()
}

#[tokio::test]
async fn roles_create_only_their_request_kinds() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., maya) = world.client("Maya", company, Some(iso)).await;
        let cora = world.company_admin("Cora", company).await;
        let elias = world.employee("Elias").await;
        for (who, offered) in [
            (&maya, &["document", "support", "call", "other"][..]),
            (&ivan, &["document", "support", "other"]),
            (&cora, &["document", "support", "call", "other"]),
            (&elias, &["lead", "document", "support", "call", "other"]),
        ] {
            for kind in Kind::ALL.map(Kind::name) {
                match requests::create(who, request_input(kind)).await {
                    Ok(made) => {
                        assert!(offered.contains(&kind), "{kind}");
                        // The sender comes from the account.
                        assert_eq!((made.user_id, made.status), (Some(user_id(who)), Status::Pending));
                        assert!(made.email.ends_with("@example.com") && made.name.ends_with(" Test"));
                        assert_eq!(
                            (made.priority, made.due_at),
                            (Priority::Medium, world.clock.now() + Duration::days(3))
                        );
                    }
                    Err(e) if kind == "order" => assert!(
                        [
                            "forbidden",
                            "order.purpose required, order.proposed_names required, order.purchase_amount required",
                            "message not_allowed"
                        ]
                        .contains(&code(&e).as_str()),
                        "{}",
                        code(&e)
                    ),
                    Err(e) if kind == "account" => assert_eq!(code(&e), "account_type required, email required"),
                    Err(e) => {
                        assert!(!offered.contains(&kind), "{kind}: {}", code(&e));
                        assert_eq!(code(&e), "kind unknown");
                    }
                }
            }
        }
        let nobody = world.anonymous();
        for kind in ["lead", "document", "call", "other", "nonsense", ""] {
            let refused = requests::create(&nobody, from(kind, "A", "a@example.com")).await.unwrap_err();
            assert_eq!(code(&refused), "kind unknown");
        }
        requests::create(&nobody, from("support", "A", "a@example.com")).await.unwrap();
        // Priority and assignee are set by staff only.
        for who in [&maya, &ivan, &cora, &nobody] {
            let input = Input {
                priority: Some("high".to_owned()),
                assignee_id: Some(user_id(&elias)),
                ..from("support", "A", "a@example.com")
            };
            let refused = requests::create(who, input).await.unwrap_err();
            assert_eq!(code(&refused), "priority not_allowed, assignee_id not_allowed");
        }
    })
    .await;
}

#[tokio::test]
async fn staff_create_requests_for_others() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (maya_id, _, maya) = world.client("Maya", company, None).await;
        let (elias, nora) = (world.employee("Elias").await, world.employee("Nora").await);
        let urgent = Input {
            priority: Some("high".to_owned()),
            assignee_id: Some(user_id(&nora)),
            ..from("call", "Maya", "MAYA@example.com")
        };
        let made = requests::create(&elias, urgent).await.unwrap();
        // A person with an account sees the request there.
        assert_eq!((made.user_id, made.assignee_id), (Some(maya_id), Some(user_id(&nora))));
        assert_eq!(made.due_at, world.clock.now() + Duration::days(1));
        assert_eq!(list_ids(&maya, Filter::default()).await, [made.id]);
        assert_eq!(requests::can(&maya, &made), ["withdraw"]);
        assert!(notified_actions(&nora).await.contains(&"request.assigned".to_owned()));
        assert!(!notified_actions(&maya).await.contains(&"request.assigned".to_owned()));
        let stranger = requests::create(&elias, from("lead", "Ada", "ada@example.com")).await.unwrap();
        assert_eq!(stranger.user_id, None);
        // The person in a lead neither sees it nor is notified, with or without an account.
        let lead = requests::create(&elias, from("lead", "Maya", "maya@example.com")).await.unwrap();
        assert_eq!(lead.user_id, None);
        requests::approve(&elias, lead.id, None, Some("She is a client")).await.unwrap();
        requests::reject(&elias, stranger.id, None, "Not for us").await.unwrap();
        assert_eq!(code(&requests::get(&maya, lead.id).await.unwrap_err()), "not_found");
        assert!(!notified_actions(&maya).await.contains(&"request.approved".to_owned()));
        let answers = [mails::Kind::RequestAnswered, mails::Kind::RequestDeclined];
        assert!(!sent_mails(&world).await.iter().any(|(kind, _)| answers.contains(kind)));
        // The language of a request written by staff is not that of the person.
        let foreign = Input { language: Some("es".to_owned()), ..from("support", "Ada", "ada@example.com") };
        assert_eq!(requests::create(&elias, foreign.clone()).await.unwrap().language, None);
        assert_eq!(requests::create(&world.anonymous(), foreign).await.unwrap().language.as_deref(), Some("es"));
        for (input, refused) in [
            (Input { assignee_id: Some(maya_id), ..request_input("other") }, "assignee_id not_found"),
            (Input { priority: Some("urgent".to_owned()), ..request_input("other") }, "priority unknown"),
            (Input { message: " ".to_owned(), ..request_input("other") }, "message required"),
            (Input { name: "Ada".to_owned(), ..request_input("other") }, "email required"),
            (
                Input { email: "nobody".to_owned(), name: "Ada".to_owned(), ..request_input("other") },
                "email invalid_email",
            ),
        ] {
            assert_eq!(code(&requests::create(&elias, input).await.unwrap_err()), refused);
        }
        // The operator has no account.
        assert_eq!(
            code(&requests::create(&world.operator(), request_input("other")).await.unwrap_err()),
            "name required, email required"
        );
    })
    .await;
}

#[tokio::test]
async fn only_staff_create_requests_in_another_name() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., maya) = world.client("Maya", company, Some(iso)).await;
        let cora = world.company_admin("Cora", company).await;
        for (who, name) in [(&maya, "Maya"), (&ivan, "Ivan"), (&cora, "Cora")] {
            for claimed in [
                from("support", "Sigrid Test", "sigrid@example.com"),
                from("support", "Sigrid Test", ""),
                from("support", "", "sigrid@example.com"),
            ] {
                let made = requests::create(who, claimed).await.unwrap();
                assert_eq!((made.user_id, made.name), (Some(user_id(who)), format!("{name} Test")));
                assert_eq!(made.email, format!("{}@example.com", name.to_lowercase()));
            }
        }
        // An application carries the applicant's name and address.
        let made = requests::create(&maya, application("iso")).await.unwrap();
        assert_eq!((made.name.as_str(), made.email.as_str()), ("Ada Lund", "ada@example.com"));
    })
    .await;
}

#[tokio::test]
async fn rows_of_older_releases_are_readable() {
    on_both(async |world: World| {
        let elias = world.employee("Elias").await;
        let made = requests::create(&world.anonymous(), from("support", "Ada", "ada@example.com")).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update requests set due_at = null, updated_at = null, updated_by = null where id = $1")
            .bind(made.id)
            .run()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(list_ids(&elias, Filter::default()).await, [made.id]);
        let read = requests::get(&elias, made.id).await.unwrap();
        assert_eq!((read.due_at, read.updated_at), (made.created_at, made.created_at));
        assert_eq!(read.updated_by, "Ada");
        assert_eq!(requests::summary(&elias).await.unwrap().queue[1].requests.len(), 1);
        assert_eq!(requests::review(&elias, made.id, Some(1)).await.unwrap().status, Status::InReview);
    })
    .await;
}

#[tokio::test]
async fn requests_are_assigned_and_reviewed_by_staff_only() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., maya) = world.client("Maya", company, Some(iso)).await;
        let cora = world.company_admin("Cora", company).await;
        let (elias, sigrid) = (world.employee("Elias").await, world.super_admin("Sigrid").await);
        let request = requests::create(&maya, request_input("support")).await.unwrap();
        let id = request.id;
        let high = || Change { priority: Some("high".to_owned()), ..Change::default() };
        let to = |who: Option<&Ctx>| Change { assignee_id: Some(who.map(user_id)), ..Change::default() };
        for (stranger, refused) in [(&ivan, "not_found"), (&cora, "not_found"), (&maya, "forbidden")] {
            assert_eq!(code(&requests::update(stranger, id, None, high()).await.unwrap_err()), refused);
            assert_eq!(code(&requests::review(stranger, id, None).await.unwrap_err()), refused);
            assert_eq!(code(&requests::approve(stranger, id, None, None).await.unwrap_err()), refused);
            assert_eq!(code(&requests::reject(stranger, id, None, "No").await.unwrap_err()), refused);
            assert_eq!(code(&requests::summary(stranger).await.unwrap_err()), "forbidden");
        }
        let changed = requests::update(&elias, id, Some(1), high()).await.unwrap();
        assert_eq!((changed.priority, changed.due_at), (Priority::High, request.created_at + Duration::days(1)));
        // The conflict names the last editor.
        let Error::Conflict(stale) = requests::update(&sigrid, id, Some(1), high()).await.unwrap_err() else {
            panic!()
        };
        assert_eq!((stale.code, &stale.params["changed_by"]), ("stale", &serde_json::json!("Elias Test")));
        assert_eq!(
            code(&requests::update(&sigrid, id, None, to(Some(&maya))).await.unwrap_err()),
            "assignee_id not_found"
        );
        let given = requests::update(&sigrid, id, None, to(Some(&elias))).await.unwrap();
        assert_eq!(given.assignee_name.as_deref(), Some("Elias Test"));
        assert!(notified_actions(&elias).await.contains(&"request.assigned".to_owned()));
        assert_eq!(requests::update(&sigrid, id, None, to(None)).await.unwrap().assignee_id, None);
        let taken = requests::review(&sigrid, id, None).await.unwrap();
        assert_eq!((taken.status, taken.assignee_id), (Status::InReview, Some(user_id(&sigrid))));
        assert_eq!(code(&requests::review(&elias, id, None).await.unwrap_err()), "in_review");
        assert_eq!(notified_actions(&maya).await, ["request.in_review"]);
        assert_eq!(requests::can(&elias, &taken), ["approve", "reject", "update"]);
        // Assignments and priorities are not public.
        activity::sequence_all(&maya).await.unwrap();
        let seen = activity::since(&maya, 0, 500).await.unwrap();
        let seen: Vec<_> =
            seen.iter().filter(|row| row.subject_id == Some(id.0)).map(|row| row.action.as_str()).collect();
        assert_eq!(seen, ["request.created", "request.in_review"]);
        requests::reject(&elias, id, None, "Not ours").await.unwrap();
        for late in [
            requests::update(&elias, id, None, high()).await,
            requests::review(&elias, id, None).await,
            requests::approve(&elias, id, None, None).await,
        ] {
            assert_eq!(code(&late.unwrap_err()), "request_decided");
        }
    })
    .await;
}

#[tokio::test]
async fn requesters_are_notified_in_the_portal_or_by_mail() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (_, ivan) = world.iso("Ivan", company).await;
        let cora = world.company_admin("Cora", company).await;
        let elias = world.employee("Elias").await;
        for who in [&ivan, &cora] {
            let request = requests::create(who, request_input("document")).await.unwrap();
            requests::approve(&elias, request.id, None, Some("Here it is")).await.unwrap();
            let seen = requests::get(who, request.id).await.unwrap();
            assert_eq!((seen.status, seen.reason.as_deref()), (Status::Approved, Some("Here it is")));
            world.clock.advance(Duration::minutes(1));
            let second = requests::create(who, request_input("document")).await.unwrap();
            requests::reject(&elias, second.id, None, "We have none").await.unwrap();
            assert_eq!(notified_actions(who).await, ["request.rejected", "request.approved"]);
            let open: Vec<_> = activity::since(who, 0, 500).await.unwrap();
            assert_eq!(open.iter().filter(|row| row.subject_kind == "request").count(), 4);
        }
        assert!(sent_mails(&world).await.is_empty(), "no mails to users with an account");
        let nobody = requests::create(&world.anonymous(), from("support", "Ada", "ada@example.com")).await.unwrap();
        requests::approve(&elias, nobody.id, None, Some("Done")).await.unwrap();
        assert_eq!(sent_mails(&world).await, [(mails::Kind::RequestAnswered, "ada@example.com".to_owned())]);
        let long = "a".repeat(20_000);
        let other = requests::create(&world.anonymous(), from("support", "Ada", "ada@example.com")).await.unwrap();
        assert_eq!(code(&requests::approve(&elias, other.id, None, Some(&long)).await.unwrap_err()), "reply too_long");
    })
    .await;
}

/// Two admins approve concurrently, for each kind of request: one succeeds and one record is created.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_approvals_succeed_once() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let admins = [world.super_admin("Sigrid").await, world.super_admin("Astrid").await];
        for account in ["client", "iso", "company", "employee", "none"] {
            let input = match account {
                "none" => from("support", "Ada", "ada@example.com"),
                _ => Input { email: format!("ada.{account}@example.com"), ..application(account) },
            };
            let request = requests::create(&world.anonymous(), input).await.unwrap();
            let id = request.id;
            let email = request.email.clone();
            let attempts: Vec<_> = (0..6)
                .map(|n| {
                    let (ctx, email) = (admins[n % 2].clone(), email.clone());
                    tokio::spawn(async move {
                        let made = match account {
                            "client" => {
                                let input = onboarding::ClientInput { email, ..client(company, id) };
                                onboarding::create_client(&ctx, onboarding::Setup::Quick, input).await.map(drop)
                            }
                            "iso" => {
                                let input = isos::Input {
                                    first_name: "Ada".to_owned(),
                                    last_name: "Lund".to_owned(),
                                    email,
                                    phone: None,
                                    company_id: Some(company),
                                    request_id: Some(id),
                                };
                                isos::create(&ctx, input).await.map(drop)
                            }
                            "company" => {
                                let input = companies::Input {
                                    name: Some("Lund".to_owned()),
                                    business_name: Some("Lund LLC".to_owned()),
                                    request_id: Some(id),
                                    ..companies::Input::default()
                                };
                                companies::create(&ctx, input).await.map(drop)
                            }
                            _ => requests::approve(&ctx, id, None, None).await.map(drop),
                        };
                        made.map_err(|e| code(&e))
                    })
                })
                .collect();
            let mut made = 0;
            for one in attempts {
                match one.await.expect("no panic") {
                    Ok(()) => made += 1,
                    Err(code) => assert_eq!(code, "request_decided", "{account}"),
                }
            }
            assert_eq!(made, 1, "{account}");
            let seen = requests::get(&admins[0], id).await.unwrap();
            assert_eq!(seen.status, Status::Approved);
            let (kind, role) = match account {
                "client" => (Some(ResultKind::Client), Some(Role::Client)),
                "iso" => (Some(ResultKind::Iso), Some(Role::Iso)),
                "company" => (Some(ResultKind::Company), Some(Role::CompanyAdmin)),
                "employee" => (Some(ResultKind::User), Some(Role::Employee)),
                _ => (None, None),
            };
            assert_eq!((seen.made_kind, seen.made_id.is_some()), (kind, kind.is_some()));
            assert_eq!(seen.spv_id.is_some(), account == "client");
            if let Some(role) = role {
                let user = users::find(&admins[0], &email).await.unwrap();
                assert_eq!((user.role, user.status, user.first_name.as_str()), (role, users::Status::Pending, "Ada"));
                let mine = sent_mails(&world)
                    .await
                    .into_iter()
                    .filter(|sent| *sent == (mails::Kind::PasswordSetup, email.clone()));
                assert_eq!(mine.count(), 1, "{account}");
            }
        }
        let named = companies::list(
            &admins[0],
            &companies::Filter { q: Some("Lund".to_owned()), ..Default::default() },
            &PageQuery::default(),
        )
        .await
        .unwrap()
        .items;
        assert_eq!(named.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn applications_are_approved_by_a_matching_account_only() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let (elias, sigrid) = (world.employee("Elias").await, world.super_admin("Sigrid").await);
        let make = async |id: RequestId| {
            onboarding::create_client(&elias, onboarding::Setup::Quick, client(company, id)).await.map_err(|e| code(&e))
        };
        let partner = requests::create(&world.anonymous(), application("iso")).await.unwrap();
        assert_eq!(make(partner.id).await.unwrap_err(), "not_this_account");
        assert_eq!(requests::can(&elias, &partner), ["create_iso", "reject", "review", "update"]);
        let support = requests::create(&maya, request_input("support")).await.unwrap();
        assert_eq!(make(support.id).await.unwrap_err(), "not_this_account");
        assert_eq!(make(RequestId(world.random.uuid())).await.unwrap_err(), "not_found");
        for request in [&partner, &support] {
            assert!(requests::get(&elias, request.id).await.unwrap().status.is_open());
        }
        assert_eq!(code(&requests::approve(&elias, partner.id, None, None).await.unwrap_err()), "approved_by_account");
        // Colleagues are created by super admins only.
        let colleague = requests::create(&world.anonymous(), application("employee")).await.unwrap();
        assert_eq!(requests::can(&elias, &colleague), ["reject", "review", "update"]);
        assert_eq!(requests::can(&sigrid, &colleague), ["approve", "reject", "review", "update"]);
        assert_eq!(code(&requests::approve(&elias, colleague.id, None, None).await.unwrap_err()), "forbidden");
        let known = Input { email: "maya@example.com".to_owned(), ..application("employee") };
        let known = requests::create(&world.anonymous(), known).await.unwrap();
        assert_eq!(code(&requests::approve(&sigrid, known.id, None, None).await.unwrap_err()), "email_taken");
        assert!(requests::get(&sigrid, known.id).await.unwrap().status.is_open());
        let hired = requests::approve(&sigrid, colleague.id, None, None).await.unwrap();
        let user = users::get(&sigrid, UserId(hired.made_id.unwrap())).await.unwrap();
        assert_eq!((user.phone.as_deref(), user.language.as_str()), (Some("+1 555 0100"), "es"));
        // An order request is approved by accepting it only.
        let form = requests::OrderForm {
            purpose: Some("A ship".to_owned()),
            proposed_names: vec!["Okeanos".to_owned()],
            purchase_amount: Some("1".to_owned()),
            ..Default::default()
        };
        let order = Input { kind: "order".to_owned(), order: Some(form), ..Input::default() };
        let order = requests::create(&maya, order).await.unwrap();
        assert_eq!(code(&requests::approve(&sigrid, order.id, None, None).await.unwrap_err()), "approved_by_order");
    })
    .await;
}

#[tokio::test]
async fn approved_account_has_the_applicants_address() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let elias = world.employee("Elias").await;
        let request = requests::create(&world.anonymous(), application("client")).await.unwrap();
        // Like an application through an identity provider: only a name and an address.
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update requests set data = '{}' where id = $1").bind(request.id).run().await.unwrap();
        tx.commit().await.unwrap();
        let harbor = companies::Input {
            name: Some("Lund".to_owned()),
            business_name: Some("Lund LLC".to_owned()),
            request_id: Some(request.id),
            ..companies::Input::default()
        };
        assert_eq!(code(&companies::create(&elias, harbor).await.unwrap_err()), "not_this_account");
        let make = async |email: &str| {
            let input = onboarding::ClientInput { email: email.to_owned(), ..client(company, request.id) };
            onboarding::create_client(&elias, onboarding::Setup::Quick, input).await.map_err(|e| code(&e))
        };
        assert_eq!(make("other@example.com").await.unwrap_err(), "email not_the_applicants");
        let partner = isos::Input {
            first_name: "Ada".to_owned(),
            last_name: "Lund".to_owned(),
            email: "other@example.com".to_owned(),
            phone: None,
            company_id: Some(company),
            request_id: Some(request.id),
        };
        assert_eq!(code(&isos::create(&elias, partner).await.unwrap_err()), "email not_the_applicants");
        let open = requests::get(&elias, request.id).await.unwrap();
        assert_eq!(requests::can(&elias, &open), ["create_client", "create_iso", "reject", "review", "update"]);
        make("ADA@example.com").await.unwrap();
        assert_eq!(requests::get(&elias, request.id).await.unwrap().status, Status::Approved);
    })
    .await;
}

#[tokio::test]
async fn list_filters_and_sorts() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let mut made: Vec<Request> = Vec::new();
        for (kind, priority) in
            [("call", "low"), ("support", "medium"), ("document", "high"), ("call", "high"), ("other", "medium")]
        {
            let input = Input { priority: Some(priority.to_owned()), ..from(kind, "Ada Lund", "ada@example.com") };
            made.push(requests::create(&elias, input).await.unwrap());
            world.clock.advance(Duration::hours(1));
        }
        let ids = |of: &[usize]| of.iter().map(|n| made[*n].id).collect::<Vec<_>>();
        let by = |order: Order<RequestSort>| Filter { order, ..Filter::default() };
        assert_eq!(list_ids(&elias, by(Order::descending(RequestSort::CreatedAt))).await, ids(&[4, 3, 2, 1, 0]));
        assert_eq!(list_ids(&elias, by(Order::ascending(RequestSort::CreatedAt))).await, ids(&[0, 1, 2, 3, 4]));
        assert_eq!(list_ids(&elias, by(Order::ascending(RequestSort::DueAt))).await, ids(&[2, 3, 1, 4, 0]));
        assert_eq!(list_ids(&elias, by(Order::ascending(RequestSort::Priority))).await, ids(&[2, 3, 1, 4, 0]));
        requests::reject(&elias, made[2].id, None, "No").await.unwrap();
        requests::review(&elias, made[0].id, None).await.unwrap();
        let open = Filter { open: true, ..by(Order::ascending(RequestSort::Priority)) };
        assert_eq!(list_ids(&elias, open).await, ids(&[3, 1, 4, 0]));
        let calls = Filter { kind: Some(Kind::Call), ..Filter::default() };
        assert_eq!(list_ids(&elias, calls).await, ids(&[3, 0]));
        let mine = Filter { assignee: Some(Assignee::One(user_id(&elias))), ..Filter::default() };
        assert_eq!(list_ids(&elias, mine).await, ids(&[0]));
        let nobodys =
            Filter { assignee: Some(Assignee::Unassigned), priority: Some(Priority::High), ..Filter::default() };
        assert_eq!(list_ids(&elias, nobodys).await, ids(&[3, 2]));
        let reference = made[1].reference();
        for q in ["lund ada", &reference.to_lowercase(), "ada@example.com"] {
            assert!(
                list_ids(&elias, Filter { q: Some(q.to_owned()), ..Filter::default() }).await.contains(&made[1].id),
                "{q}"
            );
        }
        // A cursor of another order is invalid.
        let first = PageQuery { limit: Some(1), cursor: None };
        let cursor =
            requests::list(&elias, &by(Order::ascending(RequestSort::DueAt)), &first).await.unwrap().next_cursor;
        let next = PageQuery { limit: Some(1), cursor };
        let wrong = requests::list(&elias, &by(Order::descending(RequestSort::CreatedAt)), &next).await.unwrap_err();
        assert_eq!(code(&wrong), "cursor invalid_cursor");
        for (filter, refused) in [
            (Filter { priority: Some(Priority::High), ..Filter::default() }, "priority not_allowed"),
            (Filter { assignee: Some(Assignee::Unassigned), ..Filter::default() }, "assignee_id not_allowed"),
            (Filter { sender: Some(user_id(&elias)), ..Filter::default() }, "user_id not_allowed"),
            (by(Order::ascending(RequestSort::Priority)), "order not_allowed"),
        ] {
            let own = requests::list(&maya, &filter, &PageQuery::default()).await.unwrap_err();
            assert_eq!(code(&own), refused);
        }
        // Global search finds them for staff.
        let hits = async |ctx: &Ctx| {
            let found = search::find(ctx, &reference).await.unwrap();
            found.into_iter().map(|hit| hit.title).collect::<Vec<_>>()
        };
        assert_eq!(hits(&elias).await, std::slice::from_ref(&reference));
        assert!(hits(&maya).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn desk_summary_counts_by_the_viewers_weeks() {
    on_both(async |world: World| {
        let elias = world.employee("Elias").await;
        let mut tokyo = users::get(&world.operator(), user_id(&elias)).await.unwrap();
        tokyo.time_zone = "Asia/Tokyo".to_owned();
        let tokyo = world.signed_in(&tokyo);
        // Sunday evening UTC is Monday in Tokyo.
        let sunday = Utc.with_ymd_and_hms(2026, 11, 15, 20, 0, 0).unwrap();
        let then = Ctx { clock: domain::kernel::clock::Clock::fixed(sunday), ..elias.clone() };
        let early = requests::create(&then, request_input("other")).await.unwrap();
        let late = requests::create(&elias, Input { priority: Some("high".to_owned()), ..request_input("call") })
            .await
            .unwrap();
        requests::reject(&elias, late.id, None, "No").await.unwrap();
        requests::review(&elias, early.id, None).await.unwrap();
        let low = requests::create(&elias, Input { priority: Some("low".to_owned()), ..request_input("call") })
            .await
            .unwrap();
        activity::sequence_all(&elias).await.unwrap();

        let desk = requests::summary(&elias).await.unwrap();
        let counts: Vec<i64> = desk.statuses.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 1, 0, 1, 0]);
        assert_eq!(desk.weeks.len(), requests::WEEKS);
        let last = |desk: &requests::RequestSummary| {
            desk.weeks[requests::WEEKS - 2..]
                .iter()
                .map(|week| (week.received, week.rejected, week.open))
                .collect::<Vec<_>>()
        };
        assert_eq!(desk.weeks[requests::WEEKS - 1].begins, NaiveDate::from_ymd_opt(2026, 11, 16).unwrap());
        assert_eq!(last(&desk), [(1, 0, 1), (2, 1, 1)]);
        assert_eq!(last(&requests::summary(&tokyo).await.unwrap()), [(0, 0, 0), (3, 1, 2)]);
        let queue: Vec<_> = desk.queue.iter().map(|queue| (queue.priority, queue.open, queue.overdue)).collect();
        assert_eq!(queue, [(Priority::High, 0, 0), (Priority::Medium, 1, 1), (Priority::Low, 1, 0)]);
        assert_eq!(desk.queue[1].requests[0].id, early.id);
        assert!(desk.queue[1].requests[0].is_overdue(world.clock.now()));
        assert_eq!(desk.queue[2].requests[0].id, low.id);
        assert_eq!(desk.activity.len(), 5);
        assert!(desk.activity.iter().all(|row| row.subject_kind == "request"));
        // Withdrawn requests are in no column, so that the columns add up.
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let gone = requests::create(&maya, request_input("call")).await.unwrap();
        requests::withdraw(&maya, gone.id, None).await.unwrap();
        assert_eq!(last(&requests::summary(&elias).await.unwrap()), [(1, 0, 1), (2, 1, 1)]);
    })
    .await;
}
