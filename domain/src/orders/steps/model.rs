//! A step of an order and how it moves (specification, section 4; decisions 2, 4 and 5).
use crate::{
    kernel::{
        db::timestamps,
        error::{Problem, Result},
        ids::{SpvId, StepId, UserId},
        validate::{self, Validator},
    },
    orders::{spvs, templates},
    platform::holidays::BusinessDays,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

crate::kernel::text_enum! {
    #[schema(as = StepStatus)]
    pub enum Status {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Blocked = "blocked",
    }
}

crate::kernel::text_enum! {
    /// Who does a step, or whom a blocked one waits for.
    pub enum Party {
        Staff = "staff",
        Client = "client",
        Iso = "iso",
        Authority = "authority",
        /// Any other party; never an owner.
        Other = "other",
    }
}

crate::kernel::db::row! {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Step {
        pub id: StepId,
        pub spv_id: SpvId,
        pub step_order: i64,
        pub step_name: String,
        pub status: Status,
        pub owner: Party,
        /// Notes that only the staff see.
        pub text_data: Option<String>,
        pub document_url: Option<String>,
        #[serde(deserialize_with = "timestamps::deserialize_option")]
        pub completed_at: Option<DateTime<Utc>>,
        pub due_date: Option<NaiveDate>,
        pub blocked_reason: Option<String>,
        pub waiting_on: Option<Party>,
        /// Completed automatically once the last required document is approved or waived.
        pub completes_with_documents: bool,
        /// A member of the staff.
        pub assignee_id: Option<UserId>,
        pub assignee_name: Option<String> = "(select u.first_name || ' ' || u.last_name from users u where u.id = spv_steps.assignee_id)",
        #[serde(deserialize_with = "timestamps::deserialize")]
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
        /// Steps of the same order that must be completed first; read with another query than the row.
        #[serde(skip)]
        pub depends_on: Vec<StepId> = _,
    }
}

crate::kernel::db::row! {
    /// A step of any order with the names around it.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub struct ListedStep of t {
        pub id: StepId,
        pub spv_id: SpvId,
        pub spv_custom_identifier: Option<String> = "s.custom_identifier",
        pub company_name: String = "k.name",
        pub step_order: i64,
        pub step_name: String,
        pub status: Status,
        pub owner: Party,
        pub due_date: Option<NaiveDate>,
        pub completed_at: Option<DateTime<Utc>>,
        pub assignee_name: Option<String> = "(select u.first_name || ' ' || u.last_name from users u where u.id = t.assignee_id)",
        pub waiting_on: Option<Party>,
        pub blocked_reason: Option<String>,
        /// Notes that only the staff see.
        pub text_data: Option<String>,
        pub document_url: Option<String>,
    }
}

impl ListedStep {
    pub fn spv_identifier(&self) -> String {
        crate::orders::spvs::display_identifier(self.spv_id, self.spv_custom_identifier.as_deref())
    }
}

/// The changes of a step; a field left out stays, an empty one is cleared.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub status: Option<String>,
    pub text_data: Option<String>,
    pub document_url: Option<String>,
    pub blocked_reason: Option<String>,
    pub waiting_on: Option<String>,
    /// `Some(None)` removes the assignee.
    pub assignee_id: Option<Option<UserId>>,
    pub step_name: Option<String>,
    pub owner: Option<String>,
    pub due_date: Option<String>,
    /// The due date in business days from the office's today, instead of a date.
    pub business_days: Option<i64>,
    pub completes_with_documents: Option<bool>,
    pub depends_on: Option<Vec<StepId>>,
    /// The reason to change the status of a closed order's step.
    pub reason: Option<String>,
}

impl Step {
    /// The step with `change` applied at `now`. `office_days` are those from the office's today, needed only for
    /// a date in business days.
    ///
    /// Completing sets `completed_at` where it is empty; leaving completed clears it (decision 4). A blocked step
    /// needs a reason and a party it waits for (decision 5); any other status clears both.
    ///
    /// # Errors
    /// Invalid per field.
    pub fn changed(&self, change: &Change, now: DateTime<Utc>, office_days: Option<&BusinessDays>) -> Result<Self> {
        let mut check = Validator::new();
        let mut step = self.clone();
        if let Some(status) = check.optional("status", change.status.as_deref(), str::parse) {
            step.status = status;
        }
        if change.text_data.is_some() {
            step.text_data = check.optional_text("text_data", change.text_data.as_deref());
        }
        if change.document_url.is_some() {
            step.document_url = check.optional_https("document_url", change.document_url.as_deref());
        }
        if change.blocked_reason.is_some() {
            step.blocked_reason = check.optional_text("blocked_reason", change.blocked_reason.as_deref());
        }
        if change.waiting_on.is_some() {
            step.waiting_on = check.optional("waiting_on", change.waiting_on.as_deref(), str::parse);
        }
        step.plan(change, office_days, &mut check);
        if step.status == Status::Blocked {
            if step.blocked_reason.is_none() {
                check.reject("blocked_reason", Problem::new("required"));
            }
            if step.waiting_on.is_none() && change.waiting_on.as_deref().unwrap_or("").trim().is_empty() {
                check.reject("waiting_on", Problem::new("required"));
            }
        } else {
            step.blocked_reason = None;
            step.waiting_on = None;
        }
        check.finish()?;
        step.completed_at = match step.status {
            Status::Completed => step.completed_at.or(Some(now)),
            _ => None,
        };
        Ok(step)
    }

    /// Applies name, owner, due date and automatic completion.
    pub(super) fn plan(&mut self, change: &Change, office_days: Option<&BusinessDays>, check: &mut Validator) {
        if let Some(name) = &change.step_name {
            self.step_name = templates::names::to_english(check.single_line("step_name", name, validate::LINE));
        }
        if let Some(owner) = check.optional("owner", change.owner.as_deref(), owner) {
            self.owner = owner;
        }
        match change.business_days {
            Some(_) if change.due_date.as_deref().is_some_and(|date| !date.trim().is_empty()) => {
                check.reject("business_days", Problem::new("not_allowed"));
            }
            Some(days) => {
                let days = check.range("business_days", days, 0..=MAX_OFFSET_DAYS);
                self.due_date = days.zip(office_days).map(|(days, from)| from.after(days));
            }
            None if change.due_date.is_some() => {
                self.due_date = check.optional("due_date", change.due_date.as_deref(), validate::date);
            }
            None => {}
        }
        self.completes_with_documents = change.completes_with_documents.unwrap_or(self.completes_with_documents);
    }

    /// The dependencies that are not completed yet.
    pub fn open_dependencies<'a>(&'a self, steps: &'a [Step]) -> impl Iterator<Item = &'a Step> {
        steps.iter().filter(|step| self.depends_on.contains(&step.id) && step.status != Status::Completed)
    }
}

/// Whether an open step or document request is overdue: from the office's next day on, while its order is worked on.
pub fn is_overdue(due_date: Option<NaiveDate>, order: spvs::Status, office_today: NaiveDate) -> bool {
    order.is_worked_on() && due_date.is_some_and(|due| due < office_today)
}

/// The largest offset of a due date, in business days.
pub const MAX_OFFSET_DAYS: i64 = 1_000;

/// Parses the owner of a step: any party but `other`.
///
/// # Errors
/// `unknown`.
pub fn owner(text: &str) -> std::result::Result<Party, Problem> {
    let owners = [Party::Staff, Party::Client, Party::Iso, Party::Authority];
    owners
        .into_iter()
        .find(|party| party.name() == text)
        .ok_or_else(|| Problem::new("unknown").with("allowed", owners.map(Party::name).join(", ")))
}

/// Checks the dependencies of a step within `steps`: `not_found`, `twice` for a repeated one, `circle` for a cycle.
pub(crate) fn find_dependency_problem<Id: Copy + PartialEq>(step: Id, steps: &[(Id, &[Id])]) -> Option<&'static str> {
    let needs_of = |id: Id| steps.iter().find(|(other, _)| *other == id).map(|(_, needs)| *needs);
    let needs = needs_of(step).unwrap_or_default();
    for (n, need) in needs.iter().enumerate() {
        if needs_of(*need).is_none() {
            return Some("not_found");
        }
        if needs[..n].contains(need) {
            return Some("twice");
        }
    }
    is_in_cycle(step, steps).then_some("circle")
}

fn is_in_cycle<Id: Copy + PartialEq>(step: Id, steps: &[(Id, &[Id])]) -> bool {
    // Each step is visited once.
    let mut left = steps.to_vec();
    let mut next = vec![step];
    while let Some(id) = next.pop() {
        let Some(place) = left.iter().position(|(other, _)| *other == id) else { continue };
        let (_, needs) = left.swap_remove(place);
        if needs.contains(&step) {
            return true;
        }
        next.extend(needs);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{error::Error, geo::Country};

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_262_400 + 60 * minute, 0).unwrap()
    }

    fn step(status: Status) -> Step {
        Step {
            id: StepId(uuid::Uuid::nil()),
            spv_id: SpvId(uuid::Uuid::nil()),
            step_order: 1,
            step_name: "KYC".to_owned(),
            status,
            owner: Party::Client,
            text_data: None,
            document_url: None,
            completed_at: (status == Status::Completed).then(|| at(0)),
            due_date: None,
            blocked_reason: (status == Status::Blocked).then(|| "passport expired".to_owned()),
            waiting_on: (status == Status::Blocked).then_some(Party::Client),
            completes_with_documents: false,
            assignee_id: None,
            assignee_name: None,
            updated_at: at(0),
            updated_by: "root".to_owned(),
            version: 1,
            depends_on: Vec::new(),
        }
    }

    fn to(status: Status) -> Change {
        Change {
            status: Some(status.name().to_owned()),
            blocked_reason: (status == Status::Blocked).then(|| "waiting".to_owned()),
            waiting_on: (status == Status::Blocked).then(|| "authority".to_owned()),
            ..Change::default()
        }
    }

    #[test]
    fn every_status_can_follow_every_other_and_keeps_its_fields_true() {
        for from in Status::ALL {
            for target in Status::ALL {
                let next = step(from).changed(&to(target), at(5), None).unwrap();
                assert_eq!(next.status, target);
                assert_eq!(next.completed_at.is_some(), target == Status::Completed, "{from:?} to {target:?}");
                assert_eq!(next.blocked_reason.is_some(), target == Status::Blocked);
                assert_eq!(next.waiting_on.is_some(), target == Status::Blocked);
            }
        }
    }

    #[test]
    fn completing_again_keeps_the_first_time() {
        let again = step(Status::Completed).changed(&to(Status::Completed), at(5), None).unwrap();
        assert_eq!(again.completed_at, Some(at(0)));
    }

    #[test]
    fn blocking_needs_a_reason_and_a_party_to_wait_for() {
        let bare = Change { status: Some("blocked".to_owned()), ..Change::default() };
        let Err(Error::Invalid(fields)) = step(Status::Pending).changed(&bare, at(0), None) else { panic!("refused") };
        assert_eq!(fields.iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), ["blocked_reason", "waiting_on"]);
    }

    #[test]
    fn a_circle_is_seen_however_long() {
        fn wrong(step: i64, steps: &[(i64, &[i64])]) -> Option<&'static str> {
            find_dependency_problem(step, steps)
        }
        let line: [(i64, &[i64]); 4] = [(1, &[]), (2, &[1]), (3, &[1, 2]), (4, &[3])];
        assert!(line.iter().all(|(step, _)| wrong(*step, &line).is_none()));
        let circle: [(i64, &[i64]); 5] = [(1, &[4]), (2, &[1]), (3, &[1, 2]), (4, &[3]), (5, &[4])];
        assert_eq!((wrong(1, &circle), wrong(3, &circle)), (Some("circle"), Some("circle")));
        assert_eq!(wrong(5, &circle), None, "it waits for a circle and is not in it");
        assert_eq!(wrong(1, &[(1, &[1])]), Some("circle"));
        assert_eq!(wrong(1, &[(1, &[2])]), Some("not_found"));
        assert_eq!(wrong(2, &[(1, &[]), (2, &[1, 1])]), Some("twice"));
    }

    #[test]
    fn a_date_is_given_as_such_or_by_business_days() {
        let days = BusinessDays::of_table(Country::Us, at(0).date_naive());
        let due = |change: Change| step(Status::Pending).changed(&change, at(0), Some(&days)).map(|step| step.due_date);
        let monday = NaiveDate::from_ymd_opt(2026, 11, 23);
        assert_eq!(due(Change { business_days: Some(1), ..Change::default() }).unwrap(), monday);
        assert_eq!(due(Change { due_date: Some("2026-11-23".to_owned()), ..Change::default() }).unwrap(), monday);
        assert_eq!(due(Change { due_date: Some(String::new()), ..Change::default() }).unwrap(), None);
        for wrong in [
            Change { business_days: Some(1), due_date: Some("2026-11-23".to_owned()), ..Change::default() },
            Change { business_days: Some(-1), ..Change::default() },
            Change { business_days: Some(1_001), ..Change::default() },
            Change { owner: Some("other".to_owned()), ..Change::default() },
            Change { step_name: Some(" ".to_owned()), ..Change::default() },
        ] {
            assert!(due(wrong).is_err());
        }
    }
}
