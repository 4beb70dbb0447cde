//! A conversation and what was written in it.
use crate::{
    kernel::{
        access::Resource,
        ids::{MessageId, SpvId, ThreadId, UserId},
    },
    orders::documents::Document,
};
use chrono::{DateTime, Utc};

/// How much of a message a list shows.
const EXCERPT: usize = 140;

/// A thread as one reader has it: what they may not know of is in none of its fields.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Thread {
    pub id: ThreadId,
    pub client_id: UserId,
    pub client_first_name: String,
    pub client_last_name: String,
    /// None: the client's general thread.
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    pub at: DateTime<Utc>,
    pub body: String,
    pub author_id: Option<UserId>,
    pub author_name: String,
    pub by_staff: bool,
    pub internal: bool,
    pub unread: i64,
}

impl Thread {
    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }

    pub fn identifier(&self) -> Option<String> {
        self.spv_id.map(|id| crate::orders::spvs::display_identifier(id, self.custom_identifier.as_deref()))
    }

    /// The beginning of the newest message, in one line.
    pub fn excerpt(&self) -> String {
        let line = self.body.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line,
        }
    }

    pub fn resource(&self) -> Resource {
        Resource::Thread { client_id: self.client_id }
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Message {
    pub id: MessageId,
    pub thread_id: ThreadId,
    /// None: the operator or a job.
    pub author_id: Option<UserId>,
    pub author_name: String,
    pub by_staff: bool,
    pub body: String,
    /// A note among the staff: nobody else ever hears of it.
    pub internal: bool,
    pub created_at: DateTime<Utc>,
    /// What hangs on it.
    #[sqlx(skip)]
    pub documents: Vec<Document>,
}

/// Whose thread a message goes into.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Place {
    pub id: ThreadId,
    pub client_id: UserId,
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    pub client_first_name: String,
    pub client_last_name: String,
}

impl Place {
    pub fn resource(&self) -> Resource {
        Resource::Thread { client_id: self.client_id }
    }

    /// What the log calls it.
    pub fn label(&self) -> String {
        match self.spv_id {
            Some(id) => crate::orders::spvs::display_identifier(id, self.custom_identifier.as_deref()),
            None => format!("{} {}", self.client_first_name, self.client_last_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(body: &str) -> Thread {
        Thread {
            id: ThreadId(uuid::Uuid::nil()),
            client_id: UserId(uuid::Uuid::nil()),
            client_first_name: "Maya".to_owned(),
            client_last_name: "Ortiz".to_owned(),
            spv_id: None,
            custom_identifier: None,
            at: DateTime::UNIX_EPOCH,
            body: body.to_owned(),
            author_id: None,
            author_name: String::new(),
            by_staff: false,
            internal: false,
            unread: 0,
        }
    }

    #[test]
    fn an_excerpt_is_one_line_and_ends_between_characters() {
        assert_eq!(thread("Dear team,\n\n  thank you").excerpt(), "Dear team, thank you");
        let long = thread(&"ñ ".repeat(200)).excerpt();
        assert_eq!((long.chars().count(), long.ends_with("ñ…")), (EXCERPT, true));
    }
}
