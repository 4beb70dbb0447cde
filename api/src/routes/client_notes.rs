//! A partner's private notes on a client.
use crate::{
    error::Result,
    extract::{CreateRequest, Path, SignedIn},
    response::{Created, ItemList, JsonBody},
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    directory::iso_notes,
    kernel::ids::{IsoNoteId, UserId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct ClientNote {
    id: IsoNoteId,
    body: String,
    created_at: DateTime<Utc>,
}

impl From<iso_notes::Note> for ClientNote {
    fn from(note: iso_notes::Note) -> Self {
        Self { id: note.id, body: note.body, created_at: note.created_at }
    }
}

/// Your private notes about one of your clients, newest first. ISO partners; visible to the author only.
#[utoipa::path(get, path = "/clients/{id}/notes", operation_id = "client_note_list", tag = "clients",
    params(("id" = UserId, Path)), responses((status = 200, body = ItemList<ClientNote>)))]
pub async fn list(SignedIn(ctx): SignedIn, Path(id): Path<UserId>) -> Result<JsonBody<ItemList<ClientNote>>> {
    let found = iso_notes::list(&ctx, id).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(ClientNote::from).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClientNote {
    #[serde(default)]
    #[schema(required)]
    body: String,
}

/// Writes a private note about one of your clients. ISO partners.
#[utoipa::path(post, path = "/clients/{id}/notes", operation_id = "client_note_create", tag = "clients",
    params(("id" = UserId, Path)), request_body = NewClientNote, responses((status = 201, body = ClientNote)))]
pub async fn create(
    Path(id): Path<UserId>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewClientNote>,
) -> Result<Created<ClientNote>> {
    let note = iso_notes::create(&ctx, id, &input.body).await?;
    Ok(Created { location: format!("/rest/v1/client-notes/{}", note.id), version: note.version, view: note.into() })
}

/// Deletes one of your notes.
#[utoipa::path(delete, path = "/client-notes/{id}", operation_id = "client_note_delete", tag = "clients",
    params(("id" = IsoNoteId, Path)), responses((status = 204)))]
pub async fn delete(SignedIn(ctx): SignedIn, Path(id): Path<IsoNoteId>) -> Result<StatusCode> {
    iso_notes::delete(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
