//! Threads and messages.
use crate::{
    kernel::{
        access::Resource,
        ids::{MessageId, SpvId, ThreadId, UserId},
        text::excerpt,
    },
    orders::documents::Document,
};
use chrono::{DateTime, Utc};

/// A thread with its newest message, as one viewer sees it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Thread {
    pub id: ThreadId,
    pub client_id: UserId,
    pub client_first_name: String,
    pub client_last_name: String,
    /// None for the general thread of the client.
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    /// The name of the company that the order forms.
    pub vehicle_name: Option<String>,
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

    /// Beginning of the newest message, in one line.
    pub fn excerpt(&self) -> String {
        excerpt(&self.body)
    }

    pub fn resource(&self) -> Resource {
        Resource::Thread { client_id: self.client_id }
    }
}

crate::kernel::db::row! {
    /// A message of a thread.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub struct Message {
        pub id: MessageId,
        pub thread_id: ThreadId,
        /// None for the operator or a job.
        pub author_id: Option<UserId>,
        pub author_name: String,
        pub by_staff: bool,
        pub body: String,
        /// Internal note, which only the staff see.
        pub internal: bool,
        pub created_at: DateTime<Utc>,
        /// Attached documents.
        #[sqlx(skip)]
        pub documents: Vec<Document> = _,
    }
}

crate::kernel::db::row! {
    /// A message of any thread with the names around it.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub struct ListedMessage of m {
        pub id: MessageId,
        pub thread_id: ThreadId,
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        /// None in the general thread of the client.
        pub spv_id: Option<SpvId> = "h.spv_id",
        pub spv_custom_identifier: Option<String> = "s.custom_identifier",
        /// The name of the company that the order forms.
        pub vehicle_name: Option<String> = "s.vehicle_name",
        /// None for the operator or a job.
        pub author_id: Option<UserId>,
        pub author_name: String,
        pub by_staff: bool,
        /// Internal note, which only the staff see.
        pub internal: bool,
        pub body: String,
        pub created_at: DateTime<Utc>,
    }
}

impl ListedMessage {
    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }

    pub fn spv_identifier(&self) -> Option<String> {
        self.spv_id.map(|id| crate::orders::spvs::display_identifier(id, self.spv_custom_identifier.as_deref()))
    }
}

/// Thread that a message is sent to.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ThreadRef {
    pub id: ThreadId,
    pub client_id: UserId,
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    pub client_first_name: String,
    pub client_last_name: String,
}

impl ThreadRef {
    pub fn resource(&self) -> Resource {
        Resource::Thread { client_id: self.client_id }
    }

    /// Label in the activity log.
    pub fn label(&self) -> String {
        match self.spv_id {
            Some(id) => crate::orders::spvs::display_identifier(id, self.custom_identifier.as_deref()),
            None => format!("{} {}", self.client_first_name, self.client_last_name),
        }
    }
}
