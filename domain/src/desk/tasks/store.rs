//! SQL of the desk.
use super::Done;
use crate::{
    desk::requests::Request,
    kernel::{
        db::{Db, Sql},
        error::Result,
        ids::{SpvId, UserId},
    },
    orders::{spvs, steps::Party},
};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use uuid::Uuid;

/// What a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = TaskKind)]
pub enum Kind {
    /// A step to be done.
    Step,
    /// A document that came in, to be looked at.
    DocumentRequest,
    /// A request to be decided.
    Request,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::DocumentRequest => "document_request",
            Self::Request => "request",
        }
    }
}

/// What somebody is to see to, with its order where it has one.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Task {
    pub kind: Kind,
    pub id: Uuid,
    /// What the step or the document is called; a request's reference.
    pub name: String,
    /// The step, also the one that a document is for.
    pub step_name: Option<String>,
    /// A step's, a document request's, or a request's.
    pub status: String,
    pub due_date: Option<NaiveDate>,
    /// When a request is due; a step and a document are due by the end of the office's day.
    #[sqlx(default)]
    pub due_at: Option<DateTime<Utc>>,
    /// As the request desk and the order say: [`Request::is_overdue`], [`crate::orders::steps::is_overdue`].
    #[sqlx(skip)]
    pub overdue: bool,
    /// How its order stands.
    pub(super) spv_status: Option<spvs::Status>,
    pub waiting_on: Option<Party>,
    pub spv_id: Option<SpvId>,
    custom_identifier: Option<String>,
    pub client_id: Option<UserId>,
    /// Or whoever asks.
    pub client_name: String,
}

impl Task {
    /// A request is due at an instant: the day shown is the one in the viewer's zone.
    pub(super) fn of(request: Request, now: DateTime<Utc>, zone: Tz) -> Self {
        Self {
            overdue: request.is_overdue(now),
            kind: Kind::Request,
            id: request.id.0,
            name: request.reference(),
            step_name: None,
            status: request.status.name().to_owned(),
            due_date: Some(request.due_at.with_timezone(&zone).date_naive()),
            due_at: Some(request.due_at),
            spv_status: None,
            waiting_on: None,
            spv_id: None,
            custom_identifier: None,
            client_id: None,
            client_name: request.name,
        }
    }

    pub fn identifier(&self) -> Option<String> {
        Some(spvs::display_identifier(self.spv_id?, self.custom_identifier.as_deref()))
    }
}

/// What needs no work is not there: steps of orders that are closed or cancelled.
pub async fn steps_of(db: &mut Db, assignee: UserId, limit: usize) -> Result<Vec<Task>> {
    db.sql_built(format!(
        "select 'step' as kind, t.id, t.step_name as name, t.step_name, t.status, t.due_date, t.waiting_on, t.spv_id, \
         s.status as spv_status, s.custom_identifier, s.client_id, c.first_name || ' ' || c.last_name as client_name \
         from spv_steps t join spvs s on s.id = t.spv_id join users c on c.id = s.client_id \
         where t.assignee_id = $1 and t.completed_at is null and s.status not in ('closed', 'cancelled') \
         order by t.due_date is null, t.due_date, t.id limit {limit}"
    ))
    .bind(assignee)
    .all()
    .await
}

/// What came in for steps of this person; not of orders where nothing is decided.
pub async fn documents_of(db: &mut Db, assignee: UserId, limit: usize) -> Result<Vec<Task>> {
    db.sql_built(format!(
        // Few wait at a time, and they have an index: by itself SQLite may go through all that ever hung on a step.
        "with submitted as materialized (select id, name, status, due_date, spv_id, step_id \
         from document_requests where status = 'submitted') \
         select 'document_request' as kind, submitted.id, submitted.name, t.step_name, submitted.status, \
         submitted.due_date, t.waiting_on, submitted.spv_id, s.status as spv_status, \
         s.custom_identifier, s.client_id, c.first_name || ' ' || c.last_name as client_name from submitted \
         join spvs s on s.id = submitted.spv_id join users c on c.id = s.client_id \
         join spv_steps t on t.id = submitted.step_id \
         where t.assignee_id = $1 and s.status not in ('on_hold', 'cancelled') \
         order by submitted.due_date is null, submitted.due_date, submitted.id limit {limit}"
    ))
    .bind(assignee)
    .all()
    .await
}

pub async fn staff(db: &mut Db) -> Result<Vec<(UserId, String, String)>> {
    db.sql(
        "select id, first_name, last_name from users where role in ('employee', 'super_admin') and status = 'active' \
         order by first_name, last_name, id limit 500",
    )
    .all()
    .await
}

/// The newest completed steps. The subqueries look up one order each, which a join of this many rows would not.
pub async fn done_since(db: &mut Db, from: DateTime<Utc>, limit: usize) -> Result<Vec<Done>> {
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

/// Open steps past their date, of orders that are worked on: counted up to a limit, as an office that never closes its
/// steps has very many.
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
