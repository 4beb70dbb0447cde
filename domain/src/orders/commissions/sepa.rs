//! SEPA credit transfers of a payout run: ISO 20022 pain.001.001.09, for banks that import it.
use super::{RunDetail, model::RunStatus, runs};
use crate::{
    directory::isos::{self, PayoutAccount},
    kernel::{
        bank_account,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        ids::{IsoId, PayoutRunId},
        money::Currency,
    },
    orders::commissions::Payout,
    platform::{
        activity::{self, Event},
        settings::{self, Bank, BankKind},
    },
};
use chrono::SecondsFormat;
use std::{collections::BTreeMap, fmt::Write};

/// Longest name and text of the schema, in characters.
const MAX_NAME: usize = 70;
const MAX_TEXT: usize = 140;

/// The transfers of a run in euros as a pain.001 file; logged as an export. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `run_ended` for a discarded run, `no_euro_payouts`, `office_iban_missing`, and
/// `payout_accounts_missing` with the partners who have no confirmed IBAN, `payouts_outside_sepa` with those whose IBAN SEPA
/// does not reach.
#[tracing::instrument(level = "debug", name = "commissions.sepa", skip_all, fields(payout_run_id = %id))]
pub async fn sepa(ctx: &Ctx, id: PayoutRunId) -> Result<String> {
    let detail = runs::run(ctx, id).await?;
    if detail.run.status == RunStatus::Discarded {
        return Err(Error::Conflict(Problem::new("run_ended").with("name", detail.run.name())));
    }
    let accounts = isos::confirmed_accounts(&mut ctx.db()).await?;
    let office = settings::get(ctx).await?;
    let bank = office.billing.bank.clone().filter(|bank| bank.kind == BankKind::Iban);
    let bank = bank.ok_or_else(|| Error::conflict("office_iban_missing"))?;
    let name = office.billing.legal_name.clone().unwrap_or_else(|| bank.account_holder.clone());
    let created = ctx.now().to_rfc3339_opts(SecondsFormat::Secs, true);
    let text = file(&detail, &accounts, (&name, &bank), &created, &office.day(ctx.now()).to_string())?;
    let event = &Event::new("export.made", "export", id.0, detail.run.name());
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await?;
    Ok(text)
}

fn file(
    RunDetail { run, payouts, .. }: &RunDetail,
    accounts: &BTreeMap<IsoId, PayoutAccount>,
    (name, bank): (&str, &Bank),
    created: &str,
    execution_date: &str,
) -> Result<String> {
    let euros: Vec<&Payout> = payouts.iter().filter(|payout| payout.currency == Currency::Eur).collect();
    if euros.is_empty() {
        return Err(Error::Conflict(Problem::new("no_euro_payouts").with("name", run.name())));
    }
    let iban_of = |payout: &Payout| accounts.get(&payout.iso_id)?.iban.clone();
    let missing: Vec<String> =
        euros.iter().filter(|payout| iban_of(payout).is_none()).map(|payout| payout.iso_name()).collect();
    if !missing.is_empty() {
        return Err(Error::Conflict(Problem::new("payout_accounts_missing").with("names", missing.join(", "))));
    }
    let outside: Vec<String> = euros
        .iter()
        .filter(|payout| iban_of(payout).is_some_and(|iban| !bank_account::is_in_sepa(&iban)))
        .map(|payout| payout.iso_name())
        .collect();
    if !outside.is_empty() {
        return Err(Error::Conflict(Problem::new("payouts_outside_sepa").with("names", outside.join(", "))));
    }
    let sum = Currency::Eur.format(euros.iter().map(|payout| payout.amount_minor).sum());
    let (count, name, run_name) = (euros.len(), text(name, MAX_NAME), run.name());
    let mut xml = String::new();
    let _ = write!(
        xml,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.001.001.09\">\n<CstmrCdtTrfInitn>\n\
         <GrpHdr><MsgId>{run_name}</MsgId><CreDtTm>{created}</CreDtTm><NbOfTxs>{count}</NbOfTxs>\
         <CtrlSum>{sum}</CtrlSum><InitgPty><Nm>{name}</Nm></InitgPty></GrpHdr>\n\
         <PmtInf><PmtInfId>{run_name}</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>\
         <NbOfTxs>{count}</NbOfTxs><CtrlSum>{sum}</CtrlSum>\
         <PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt><Dt>{execution_date}</Dt></ReqdExctnDt>\
         <Dbtr><Nm>{name}</Nm></Dbtr><DbtrAcct><Id><IBAN>{}</IBAN></Id></DbtrAcct>{}<ChrgBr>SLEV</ChrgBr>\n",
        bank.account_number,
        agent("DbtrAgt", bank.bank_code.as_deref(), true),
    );
    for payout in euros {
        let Some(account) = accounts.get(&payout.iso_id) else { continue };
        let _ = writeln!(
            xml,
            "<CdtTrfTxInf><PmtId><EndToEndId>{}</EndToEndId></PmtId>\
             <Amt><InstdAmt Ccy=\"EUR\">{}</InstdAmt></Amt>{}<Cdtr><Nm>{}</Nm></Cdtr>\
             <CdtrAcct><Id><IBAN>{}</IBAN></Id></CdtrAcct><RmtInf><Ustrd>{}</Ustrd></RmtInf></CdtTrfTxInf>",
            // At most 35 characters, and the same when the file is made again.
            &payout.id.0.simple(),
            Currency::Eur.format(payout.amount_minor),
            agent("CdtrAgt", account.bic.as_deref(), false),
            text(&account.account_holder, MAX_NAME),
            account.iban.as_deref().unwrap_or(""),
            text(&runs::reference(run, payout), MAX_TEXT),
        );
    }
    xml.push_str("</PmtInf>\n</CstmrCdtTrfInitn>\n</Document>\n");
    Ok(xml)
}

/// The bank of an account by its BIC; without one it follows from the IBAN.
fn agent(element: &str, bic: Option<&str>, is_required: bool) -> String {
    let id = match bic {
        Some(bic) => format!("<BICFI>{bic}</BICFI>"),
        None if is_required => "<Othr><Id>NOTPROVIDED</Id></Othr>".to_owned(),
        None => return String::new(),
    };
    format!("<{element}><FinInstnId>{id}</FinInstnId></{element}>")
}

/// A text of the file, escaped and shortened.
fn text(value: &str, max: usize) -> String {
    let short: String = value.chars().take(max).collect();
    short.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
