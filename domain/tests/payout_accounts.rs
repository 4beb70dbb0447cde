//! Bank accounts of ISO partners: entered by the partner, confirmed by the staff, and the bank's files with them.
use domain::{
    Ctx,
    directory::isos::{self, NewPayoutAccount},
    kernel::ids::{CompanyId, IsoId, SpvId, UserId},
    orders::{
        commissions::{self, Filter},
        onboarding, spvs, steps,
    },
    platform::{
        activity,
        settings::{self, Bank, BankKind},
    },
    testing::{code, on_both},
};

const IBAN: &str = "DE89 3704 0044 0532 0130 00";

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn by_iban(iban: &str) -> NewPayoutAccount {
    NewPayoutAccount { account_holder: text("Ingrid & Sons"), iban: text(iban), ..NewPayoutAccount::default() }
}

#[tokio::test]
async fn partner_enters_the_account_and_staff_confirm_it_by_its_number() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (_, ivan) = world.iso("Ivan", company).await;
        let clara = world.company_admin("Clara", company).await;
        let elias = world.employee("Elias").await;
        assert!(isos::payout_account(&ingrid, iso).await.unwrap().is_none());
        for (wrong, refused) in [
            (NewPayoutAccount::default(), "account_holder required, iban required"),
            (by_iban("DE88 3704 0044 0532 0130 00"), "iban iban_check_digits"),
            (by_iban("DE86 3704 0044 0532 0130"), "iban invalid_iban"),
            (
                NewPayoutAccount { account_number: text("12345678"), ..by_iban(IBAN) },
                "account_number not_allowed, routing_number required",
            ),
            (
                NewPayoutAccount {
                    iban: None,
                    account_number: text("12345678"),
                    routing_number: text("021000022"),
                    ..by_iban("")
                },
                "routing_number invalid_routing_number",
            ),
            (NewPayoutAccount { bic: text("DEUT"), ..by_iban(IBAN) }, "bic invalid_bic"),
        ] {
            assert_eq!(code(&isos::set_payout_account(&ingrid, iso, None, wrong).await.unwrap_err()), refused);
        }
        let entered = isos::set_payout_account(&ingrid, iso, None, by_iban(IBAN)).await.unwrap();
        assert_eq!((entered.masked().as_str(), entered.is_confirmed(), entered.version), ("•••• 3000", false, 1));
        for outsider in [&ivan, &clara] {
            assert_eq!(code(&isos::payout_account(outsider, iso).await.unwrap_err()), "not_found");
            let foreign = isos::set_payout_account(outsider, iso, None, by_iban(IBAN)).await.unwrap_err();
            assert_eq!(code(&foreign), "not_found");
        }
        let by_staff = isos::set_payout_account(&elias, iso, None, by_iban(IBAN)).await.unwrap_err();
        assert_eq!(code(&by_staff), "forbidden");
        let own = isos::confirm_payout_account(&ingrid, iso, None, IBAN).await.unwrap_err();
        assert_eq!(code(&own), "forbidden");
        let other = isos::confirm_payout_account(&elias, iso, None, "GB29 NWBK 6016 1331 9268 19").await.unwrap_err();
        assert_eq!(code(&other), "number account_differs");
        let confirmed = isos::confirm_payout_account(&elias, iso, Some(1), IBAN).await.unwrap();
        assert!(confirmed.is_confirmed());
        let twice = isos::confirm_payout_account(&elias, iso, None, IBAN).await.unwrap_err();
        assert_eq!(code(&twice), "account_confirmed");
        // Another account is confirmed anew.
        let stale = isos::set_payout_account(&ingrid, iso, Some(1), by_iban(IBAN)).await.unwrap_err();
        assert_eq!(code(&stale), "stale");
        let american = NewPayoutAccount {
            iban: None,
            account_number: text("1234-5678"),
            routing_number: text("021000021"),
            ..by_iban("")
        };
        let again = isos::set_payout_account(&ingrid, iso, Some(2), american).await.unwrap();
        assert_eq!((again.masked().as_str(), again.is_confirmed(), again.version), ("•••• 5678", false, 3));
        activity::sequence_all(&elias).await.unwrap();
        let log = serde_json::to_string(
            &activity::since(&elias, 0, 500).await.unwrap().iter().map(|row| row.data.clone()).collect::<Vec<_>>(),
        );
        assert!(!log.unwrap().contains("3704"), "no numbers in the log");
        assert!(activity::since(&clara, 0, 500).await.unwrap().iter().all(|row| !row.action.contains("account")));
    })
    .await;
}

async fn approved(ctx: &Ctx, client: UserId, company: CompanyId, iso: IsoId, currency: &str, amount: &str) -> SpvId {
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        iso_id: Some(iso),
        currency: text(currency),
        purchase_amount: text(amount),
        iso_commission_percentage: text("10"),
        ..onboarding::OrderInput::default()
    };
    let id = onboarding::create_order(ctx, input).await.unwrap().spv.id;
    spvs::start(ctx, id, None).await.unwrap();
    let all: Vec<_> = spvs::get(ctx, id).await.unwrap().steps.iter().map(|step| step.id).collect();
    steps::complete(ctx, id, None, &all).await.unwrap();
    let filter = Filter { spv_id: Some(id), ..Filter::default() };
    let rows = commissions::list(ctx, &filter, &Default::default()).await.unwrap().items;
    commissions::approve(ctx, &rows.iter().map(|row| row.id).collect::<Vec<_>>()).await.unwrap();
    id
}

#[tokio::test]
async fn bank_files_have_the_confirmed_accounts_and_sepa_the_euros() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, ..) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        approved(&sam, client, company, iso, "USD", "100").await;
        let dollars = commissions::open(&sam).await.unwrap().run.id;
        approved(&sam, client, company, iso, "EUR", "1234.50").await;
        approved(&sam, client, company, iso, "USD", "50").await;
        let run = commissions::open(&sam).await.unwrap().run;
        let refusal = async |id| code(&commissions::sepa(&sam, id).await.unwrap_err());
        assert_eq!(refusal(run.id).await, "office_iban_missing");
        settings::set(&sam, |mut now| {
            now.billing.legal_name = text("Office <Ltd>");
            now.billing.bank = Some(Bank {
                kind: BankKind::Iban,
                account_holder: "Office".to_owned(),
                bank_name: "Bank".to_owned(),
                account_number: "GB29 NWBK 6016 1331 9268 19".to_owned(),
                bank_code: None,
            });
            now
        })
        .await
        .unwrap();
        assert_eq!(refusal(dollars).await, "no_euro_payouts");
        isos::set_payout_account(&ingrid, iso, None, by_iban(IBAN)).await.unwrap();
        assert_eq!(refusal(run.id).await, "payout_accounts_missing", "it is not confirmed");
        assert!(!commissions::bank(&sam, run.id).await.unwrap().contains("DE89"));
        isos::confirm_payout_account(&sam, iso, None, IBAN).await.unwrap();
        let csv = commissions::bank(&sam, run.id).await.unwrap();
        let row =
            "Ingrid Test,ingrid@example.com,Meridian,Ingrid & Sons,DE89370400440532013000,,,,123.45,EUR,PAY-2026-002 ";
        assert!(csv.contains(row), "{csv}");
        let xml = commissions::sepa(&sam, run.id).await.unwrap();
        for part in [
            "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
            "<MsgId>PAY-2026-002</MsgId>",
            "<NbOfTxs>1</NbOfTxs><CtrlSum>123.45</CtrlSum>",
            "<Dbtr><Nm>Office &lt;Ltd&gt;</Nm></Dbtr><DbtrAcct><Id><IBAN>GB29NWBK60161331926819</IBAN>",
            "<InstdAmt Ccy=\"EUR\">123.45</InstdAmt></Amt><Cdtr><Nm>Ingrid &amp; Sons</Nm></Cdtr>",
            "<IBAN>DE89370400440532013000</IBAN>",
            "<Ustrd>PAY-2026-002 ",
        ] {
            assert!(xml.contains(part), "{part} in {xml}");
        }
        assert_eq!(code(&commissions::sepa(&ingrid, run.id).await.unwrap_err()), "forbidden");
    })
    .await;
}

#[tokio::test]
async fn partner_with_an_account_can_be_deleted() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        isos::set_payout_account(&ingrid, iso, None, by_iban(IBAN)).await.unwrap();
        isos::delete(&sam, iso, None).await.unwrap();
        assert_eq!(code(&isos::payout_account(&sam, iso).await.unwrap_err()), "not_found");
    })
    .await;
}

#[tokio::test]
async fn sepa_file_refuses_accounts_outside_of_sepa() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, ..) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        approved(&sam, client, company, iso, "EUR", "100").await;
        let run = commissions::open(&sam).await.unwrap().run;
        settings::set(&sam, |mut now| {
            now.billing.bank = Some(Bank {
                kind: BankKind::Iban,
                account_holder: "Office".to_owned(),
                bank_name: "Bank".to_owned(),
                account_number: IBAN.to_owned(),
                bank_code: None,
            });
            now
        })
        .await
        .unwrap();
        let dubai = "AE070331234567890123456";
        isos::set_payout_account(&ingrid, iso, None, by_iban(dubai)).await.unwrap();
        isos::confirm_payout_account(&sam, iso, None, dubai).await.unwrap();
        assert_eq!(code(&commissions::sepa(&sam, run.id).await.unwrap_err()), "payouts_outside_sepa");
        assert!(commissions::bank(&sam, run.id).await.unwrap().contains(dubai), "the CSV has it");
    })
    .await;
}
