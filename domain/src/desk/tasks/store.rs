//! SQL of tasks.
use super::CompletedStep;
use crate::{
    desk::requests::{self, Request},
    kernel::{
        db::{Db, Sql},
        error::Result,
        ids::{SpvId, UserId},
        text::excerpt,
    },
    orders::{spvs, steps::Party},
};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

crate::kernel::text_enum! {
    /// What a task is.
    #[schema(as = TaskKind)]
    pub enum Kind {
        /// A step to complete.
        Step = "step",
        /// A submitted document to review.
        DocumentRequest = "document_request",
        /// A request to decide.
        Request = "request",
    }
}

/// A task, with its order if there is one.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Task {
    pub kind: Kind,
    pub id: Uuid,
    /// Name of the step or document; reference of a request.
    pub name: String,
    /// What a request asks for.
    #[sqlx(skip)]
    pub request_kind: Option<requests::Kind>,
    /// What a request is about: the first proposed name of an order, or the beginning of the message.
    #[sqlx(skip)]
    pub request_subject: Option<String>,
    /// Name of the step, also of the one that a document is for.
    pub step_name: Option<String>,
    /// Status of the step, document request or request.
    pub status: String,
    pub due_date: Option<NaiveDate>,
    /// Due time of a request. Steps and documents are due at the end of the office's day.
    #[sqlx(default)]
    pub due_at: Option<DateTime<Utc>>,
    /// See [`Request::is_overdue`] and [`crate::orders::steps::is_overdue`].
    #[sqlx(skip)]
    pub overdue: bool,
    /// Status of its order.
    pub(super) spv_status: Option<spvs::Status>,
    pub waiting_on: Option<Party>,
    pub spv_id: Option<SpvId>,
    custom_identifier: Option<String>,
    /// The name of the company that the order forms.
    pub vehicle_name: Option<String>,
    pub client_id: Option<UserId>,
    /// Name of the client, or of the person who sent the request.
    pub client_name: String,
}

impl Task {
    /// The task of a request. It is due at an instant; the date is the one in the zone of the viewer.
    pub(super) fn of(request: Request, now: DateTime<Utc>, zone: Tz) -> Self {
        Self {
            overdue: request.is_overdue(now),
            kind: Kind::Request,
            id: request.id.0,
            name: request.reference(),
            request_kind: Some(request.kind),
            request_subject: request_subject(&request),
            step_name: None,
            status: request.status.name().to_owned(),
            due_date: Some(request.due_at.with_timezone(&zone).date_naive()),
            due_at: Some(request.due_at),
            spv_status: None,
            waiting_on: None,
            spv_id: None,
            custom_identifier: None,
            vehicle_name: None,
            client_id: None,
            client_name: request.name,
        }
    }

    pub fn identifier(&self) -> Option<String> {
        Some(spvs::display_identifier(self.spv_id?, self.custom_identifier.as_deref()))
    }
}

/// See [`Task::request_subject`].
fn request_subject(request: &Request) -> Option<String> {
    let name = request.order().and_then(|order| order.proposed_names.into_iter().next());
    Some(name.unwrap_or_else(|| excerpt(&request.message))).filter(|subject| !subject.is_empty())
}

/// Open steps of an assignee, without those of closed or cancelled orders.
pub async fn steps_of(db: &mut Db, assignee: UserId, limit: usize) -> Result<Vec<Task>> {
    db.sql_built(format!(
        "select 'step' as kind, t.id, t.step_name as name, t.step_name, t.status, t.due_date, t.waiting_on, t.spv_id, \
         s.status as spv_status, s.custom_identifier, s.vehicle_name, s.client_id, c.first_name || ' ' || c.last_name as client_name \
         from spv_steps t join spvs s on s.id = t.spv_id join users c on c.id = s.client_id \
         where t.assignee_id = $1 and t.completed_at is null and {} \
         order by t.due_date is null, t.due_date, t.id limit {limit}",
        spvs::IS_OPEN
    ))
    .bind(assignee)
    .all()
    .await
}

/// Submitted documents for steps of an assignee, without orders on hold or cancelled.
pub async fn documents_of(db: &mut Db, assignee: UserId, limit: usize) -> Result<Vec<Task>> {
    db.sql_built(format!(
        // Few are submitted at a time, and they have an index. Without the hint SQLite may scan all document requests
        // of the steps.
        "with submitted as materialized (select id, name, status, due_date, spv_id, step_id \
         from document_requests where status = 'submitted') \
         select 'document_request' as kind, submitted.id, submitted.name, t.step_name, submitted.status, \
         submitted.due_date, t.waiting_on, submitted.spv_id, s.status as spv_status, \
         s.custom_identifier, s.vehicle_name, s.client_id, c.first_name || ' ' || c.last_name as client_name from submitted \
         join spvs s on s.id = submitted.spv_id join users c on c.id = s.client_id \
         join spv_steps t on t.id = submitted.step_id \
         where t.assignee_id = $1 and s.status not in ('on_hold', 'cancelled') \
         order by submitted.due_date is null, submitted.due_date, submitted.id limit {limit}"
    ))
    .bind(assignee)
    .all()
    .await
}

/// Active staff by name.
pub async fn staff(db: &mut Db) -> Result<Vec<(UserId, String, String)>> {
    db.sql(
        "select id, first_name, last_name from users where role in ('employee', 'super_admin') and status = 'active' \
         order by first_name, last_name, id limit 500",
    )
    .all()
    .await
}

/// The newest completed steps. Subqueries look up single orders, which is faster than a join for this many rows.
pub async fn completed_since(db: &mut Db, from: DateTime<Utc>, limit: usize) -> Result<Vec<CompletedStep>> {
    db.sql_built(format!(
        "select t.completed_at, t.due_date, coalesce( \
             (select max(p.completed_at) from spv_steps p where p.spv_id = t.spv_id and p.completed_at < t.completed_at), \
             (select s.created_at from spvs s where s.id = t.spv_id)) as since \
         from spv_steps t where t.completed_at >= $1 \
         order by t.completed_at desc limit {limit}"
    ))
    .bind(from)
    .all()
    .await
}

/// Counts overdue open steps of orders in progress, up to a limit, as an office that never closes its steps has very
/// many.
pub async fn overdue(db: &mut Db, today: NaiveDate, limit: usize) -> Result<i64> {
    db.sql_built(format!(
        "select count(*) from (select t.id from spv_steps t where t.completed_at is null and t.due_date < $1 \
         and (select s.status from spvs s where s.id = t.spv_id) in ('pending', 'active', 'processing') \
         order by t.due_date limit {limit}) late"
    ))
    .bind(today)
    .scalar()
    .await
}
