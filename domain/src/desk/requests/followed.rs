//! What partners ask for in forms of its own: somebody they bring, a call. Each is on the desk from the transaction on
//! that makes it, follows what it is of from then on, and is answered there, wherever somebody says so: by converting the
//! lead, by confirming a time. Nobody is told twice: the lead and the call have their own news.
use super::{
    Request,
    decide::{decided, inside, touched},
    index,
    model::{Kind, Made, Priority, Status},
    store,
};
use crate::{
    directory::{
        calls::{self, Call},
        isos,
        leads::{self, Lead},
    },
    kernel::{
        clock,
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::{CallId, IsoId, LeadId},
    },
    platform::activity,
};
use chrono::Days;
use serde_json::Map;

/// What a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Lead(LeadId),
    Call(CallId),
}

impl Request {
    pub(crate) fn source(&self) -> Option<Source> {
        self.lead_id.map(Source::Lead).or(self.call_id.map(Source::Call))
    }
}

impl Source {
    /// Refuses it for the office, with what the staff say of it.
    pub(super) async fn refuse(self, ctx: &Ctx, reason: &str) -> Result<()> {
        match self {
            Self::Lead(id) => leads::lose(ctx, id, Some(reason)).await.map(drop),
            Self::Call(id) => calls::decline(ctx, id, None, reason).await.map(drop),
        }
    }

    /// Takes it back for the partner.
    pub(super) async fn withdraw(self, ctx: &Ctx) -> Result<()> {
        match self {
            Self::Lead(id) => leads::lose(ctx, id, None).await.map(drop),
            Self::Call(id) => {
                let call = calls::get(ctx, id).await?;
                // What was confirmed in the meantime is cancelled as such, or not at all.
                if call.status != calls::Status::Requested {
                    return Err(calls::answered(&call));
                }
                calls::cancel(ctx, id, Some(call.version)).await.map(drop)
            }
        }
    }

    /// What approves it instead of a word.
    pub(super) fn approved_by(self) -> Error {
        Error::conflict(match self {
            Self::Lead(_) => "approved_by_lead",
            Self::Call(_) => "approved_by_call",
        })
    }
}

/// Puts a new lead on the desk, in the transaction that makes it. The partner works on it until it is ready: it is due
/// when its protection ends by the clock of the partner's company, unless the staff find it more urgent.
pub(crate) async fn brought(tx: &mut Tx, ctx: &Ctx, lead: &Lead) -> Result<()> {
    let zone = lead.time_zone.parse().unwrap_or(chrono_tz::UTC);
    let message = lead.note.clone().unwrap_or_default();
    let request = Request {
        lead_id: Some(lead.id),
        priority: Priority::Low,
        due_at: clock::start_of_day(lead.protected_until + Days::new(1), zone),
        ..Request::new(ctx, Kind::Lead, lead.name(), lead.email.clone(), message, Map::new())
    };
    place(tx, ctx, lead.iso_id, request).await
}

/// Puts a call that is asked for on the desk, in the transaction that makes it. It is due before the first of the times.
pub(crate) async fn called(tx: &mut Tx, ctx: &Ctx, call: &Call) -> Result<()> {
    let message = call.note.as_deref().map_or_else(|| call.topic.clone(), |note| format!("{}\n\n{note}", call.topic));
    let request = Request::new(ctx, Kind::Call, call.iso_name(), call.iso_email.clone(), message, Map::new());
    let due_at = call.proposed.first().map_or(request.due_at, |first| request.due_at.min(*first));
    place(tx, ctx, call.iso_id, Request { call_id: Some(call.id), due_at, ..request }).await
}

async fn place(tx: &mut Tx, ctx: &Ctx, iso: IsoId, request: Request) -> Result<()> {
    let request = Request { user_id: isos::store::account(tx, iso).await?, ..request };
    store::insert(tx, std::slice::from_ref(&request), ctx.origin.address.as_deref()).await?;
    index(tx, &request).await?;
    activity::append(tx, ctx, inside("request.created", &request)).await
}

/// The lead has other facts, is given up or goes on after all. Its row is locked.
pub(crate) async fn moved(tx: &mut Tx, ctx: &Ctx, lead: &Lead, reason: Option<String>) -> Result<()> {
    let lost = lead.stage == leads::Stage::Lost;
    let Some(request) = store::lock_of(tx, Source::Lead(lead.id)).await? else {
        // Given up before leads came on the desk.
        return if lost { Ok(()) } else { brought(tx, ctx, lead).await };
    };
    let known = Request {
        name: lead.name(),
        email: lead.email.clone(),
        message: lead.note.clone().unwrap_or_default(),
        ..request.clone()
    };
    let request = if known == request {
        request
    } else {
        // Whoever has read what it said is to read this before they decide.
        let known = touched(ctx, &known);
        store::reword(tx, &known).await?;
        index(tx, &known).await?;
        known
    };
    match (lost, request.status.is_open()) {
        (true, true) => settle(tx, ctx, &request, given_up(ctx), reason, None).await,
        (false, false) => {
            let again = Request { decided_at: None, decided_by: None, ..decided(ctx, &request, Status::Pending, None) };
            store::save(tx, &again).await?;
            activity::append(tx, ctx, inside("request.reopened", &again)).await
        }
        _ => Ok(()),
    }
}

/// The lead is a client with an order.
pub(crate) async fn won(tx: &mut Tx, ctx: &Ctx, lead: LeadId, made: Made) -> Result<()> {
    match store::lock_of(tx, Source::Lead(lead)).await? {
        Some(request) => settle(tx, ctx, &request, Status::Approved, None, Some(made)).await,
        None => Ok(()),
    }
}

/// The call is answered or taken back.
pub(crate) async fn answered(tx: &mut Tx, ctx: &Ctx, call: &Call) -> Result<()> {
    let Some(request) = store::lock_of(tx, Source::Call(call.id)).await? else { return Ok(()) };
    // What was confirmed stays so, also when it is cancelled later.
    if !request.status.is_open() {
        return Ok(());
    }
    let (status, reason) = match call.status {
        calls::Status::Requested => return Ok(()),
        calls::Status::Confirmed => (Status::Approved, call.answer.clone()),
        calls::Status::Declined => (Status::Rejected, call.answer.clone()),
        calls::Status::Cancelled => (given_up(ctx), None),
    };
    settle(tx, ctx, &request, status, reason, None).await
}

/// A partner takes it back, the staff refuse it.
fn given_up(ctx: &Ctx) -> Status {
    if ctx.actor.is_staff() { Status::Rejected } else { Status::Withdrawn }
}

async fn settle(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    status: Status,
    reason: Option<String>,
    made: Option<Made>,
) -> Result<()> {
    let mut settled = decided(ctx, request, status, reason);
    if let Some((kind, id, order)) = made.map(Made::parts) {
        (settled.made_kind, settled.made_id, settled.spv_id) = (Some(kind), Some(id), order);
    }
    store::save(tx, &settled).await?;
    let event = inside(
        match status {
            Status::Approved => "request.approved",
            Status::Rejected => "request.rejected",
            _ => "request.withdrawn",
        },
        &settled,
    );
    let event = match &settled.reason {
        Some(reason) if status == Status::Rejected => event.with("reason", reason.clone()),
        _ => event,
    };
    activity::append(tx, ctx, event).await
}
