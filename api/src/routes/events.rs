//! Event stream (server-sent events) of the activity log, without gaps or duplicates.
//!
//! A stream subscribes to the broadcast first and then reads earlier rows from the database; `seq` removes duplicates. A
//! stream that lags behind the broadcast reads pages from the database again, so slow readers need no buffer.
use crate::{
    concurrency::Permit,
    error::Result,
    extract::{SignedIn, bearer},
    request_meta::RequestMeta,
    routes::activity::Activity,
    state::AppState,
};
use axum::{
    Extension,
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use domain::{
    Ctx, Error,
    platform::activity::{self, Activity as Row},
};
use futures::{FutureExt, Stream, stream};
use std::{collections::VecDeque, convert::Infallible, net::IpAddr, sync::Arc, time::Duration};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Interval, MissedTickBehavior, interval},
};

/// How often the session is revalidated: an ended session keeps its stream no longer than this.
const REVALIDATE_INTERVAL: Duration = Duration::from_secs(1);
/// Revalidations between two heartbeats, which keep proxies from closing the connection.
const REVALIDATIONS_PER_HEARTBEAT: u32 = 15;
/// Rows per read while catching up.
const CATCH_UP_PAGE: usize = 100;

/// Changes within your scope, as they happen. Resumes after `Last-Event-ID`; ends with your session.
#[utoipa::path(get, path = "/realtime/v1/events", operation_id = "event_stream", tag = "events",
    params(("Last-Event-ID" = Option<i64>, Header, description = "The `seq` of the last change that was heard.")),
    responses((status = 200, description = "`ready` with `{seq}`, then a `change` for each activity row, with its `seq` as id.",
        content_type = "text/event-stream", body = String)))]
pub async fn stream(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Extension(meta): Extension<Arc<RequestMeta>>,
    headers: HeaderMap,
) -> Result<Response> {
    let permit =
        app.event_streams.try_acquire(ctx.actor.user_id()).ok_or(Error::RateLimited(REVALIDATE_INTERVAL.as_secs()))?;
    let feed = app.feed.subscribe();
    let head = activity::last_seq(&ctx).await?;
    let last_event_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse::<i64>().ok());
    let mut revalidations = interval(REVALIDATE_INTERVAL);
    revalidations.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener {
        token: bearer(&headers).unwrap_or_default().to_owned(),
        address: meta.client_ip,
        // A number above the newest one belongs to another database.
        after: last_event_id.map_or(head, |last_event_id| last_event_id.clamp(0, head)),
        behind: last_event_id.is_some(),
        sent_ready: false,
        pending: VecDeque::new(),
        revalidations,
        revalidated: 0,
        feed,
        ctx,
        app,
        _permit: permit,
    };
    let mut response = Sse::new(events(listener)).into_response();
    // Disables buffering in nginx.
    response.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    Ok(response)
}

/// The state of one stream.
struct Listener {
    app: AppState,
    ctx: Ctx,
    token: String,
    address: IpAddr,
    feed: Receiver<Arc<Row>>,
    /// The `seq` of the last row that was sent or skipped.
    after: i64,
    /// The database has rows that the broadcast will not bring.
    behind: bool,
    sent_ready: bool,
    pending: VecDeque<Row>,
    revalidations: Interval,
    revalidated: u32,
    _permit: Permit,
}

fn events(listener: Listener) -> impl Stream<Item = std::result::Result<Event, Infallible>> {
    stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok(event), listener))
    })
}

impl Listener {
    /// The next event; none at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.sent_ready {
            self.sent_ready = true;
            return Some(Event::default().event("ready").data(format!("{{\"seq\":{}}}", self.after)));
        }
        let shutdown = self.app.shutdown.clone();
        loop {
            // Revalidates also while a slow reader catches up.
            if (self.behind || !self.pending.is_empty())
                && (shutdown.is_cancelled()
                    || (self.revalidations.tick().now_or_never().is_some() && !self.revalidate().await))
            {
                return None;
            }
            if let Some(row) = self.pending.pop_front() {
                if activity::visible(&self.ctx.actor, &row) {
                    return Some(self.change(row));
                }
                continue;
            }
            if self.behind {
                // A database error ends the stream; the client reconnects and resumes.
                self.catch_up().await.ok()?;
                continue;
            }
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return None,
                _ = self.revalidations.tick() => {
                    if !self.revalidate().await {
                        return None;
                    }
                    self.revalidated += 1;
                    if self.revalidated.is_multiple_of(REVALIDATIONS_PER_HEARTBEAT) {
                        return Some(Event::default().comment(""));
                    }
                }
                received = self.feed.recv() => match received {
                    Ok(row) if row.seq > Some(self.after) && activity::visible(&self.ctx.actor, &row) => {
                        return Some(self.change(Row::clone(&row)));
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => self.behind = true,
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    async fn catch_up(&mut self) -> domain::Result<()> {
        let rows = activity::since(&self.ctx, self.after, CATCH_UP_PAGE).await?;
        self.behind = rows.len() == CATCH_UP_PAGE;
        self.pending.extend(rows);
        Ok(())
    }

    fn change(&mut self, row: Row) -> Event {
        self.after = row.seq.unwrap_or(self.after).max(self.after);
        let row = activity::redact(&self.ctx.actor, row);
        let data = serde_json::to_string(&Activity::of(&self.ctx, row)).expect("an event is plain data");
        Event::default().event("change").id(self.after.to_string()).data(data)
    }

    /// Revalidates the session: false when it ended, its address is blocked or the user may see nothing any more.
    async fn revalidate(&mut self) -> bool {
        if self.app.auth.token_cache.admission.get(&self.app.db, self.app.clock.now()).await.is_blocked(self.address) {
            return false;
        }
        match self.app.authenticate(&self.token).await {
            Ok(user) => {
                self.ctx.actor = domain::Actor::User(user);
                self.ctx.scope().is_ok()
            }
            // The stream survives a database outage.
            Err(e) => matches!(e, Error::Unavailable(_)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppConfig, HttpConfig};
    use domain::{
        Actor,
        accounts::{
            auth::{self, Auth, Keys, passwords},
            users,
        },
        kernel::{access::Role, ctx::Origin},
        testing::on_both,
    };
    use tokio::{sync::broadcast, time::timeout};

    /// Revalidates a thousand times as often, because only the number of revalidations per heartbeat matters.
    #[tokio::test]
    async fn idle_streams_send_heartbeats_and_end_when_the_address_is_blocked() {
        on_both(async |world| {
            let app = AppState::new(AppConfig {
                db: world.db.clone(),
                clock: world.clock.clone(),
                random: world.random.clone(),
                options: world.options.clone(),
                auth: Auth::new(Keys::for_tests()),
                feed: broadcast::channel(1).0,
                http: HttpConfig::default(),
            });
            let erin = world.user(Role::Employee, "Erin", None, None).await;
            let password = "correct horse battery staple";
            let hash = passwords::hash(&world.operator(), password).await.unwrap();
            let mut tx = world.db.begin().await.unwrap();
            users::set_password_hash(&mut tx, erin.id, &hash, false).await.unwrap();
            tx.commit().await.unwrap();
            let token = auth::sign_in(&world.anonymous(), &app.auth, &erin.email, password).await.unwrap().access_token;
            let ctx = app.ctx(Actor::User(app.authenticate(&token).await.unwrap()), Origin::default());
            let mut quiet = Listener {
                token,
                address: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
                after: 0,
                behind: false,
                sent_ready: true,
                pending: VecDeque::new(),
                revalidations: interval(Duration::from_millis(1)),
                revalidated: 0,
                feed: app.feed.subscribe(),
                ctx,
                _permit: app.event_streams.try_acquire(Some(erin.id)).unwrap(),
                app,
            };
            for count in 1..=2 {
                let heartbeat = timeout(Duration::from_secs(60), quiet.next()).await.expect("a heartbeat");
                let heartbeat = heartbeat.expect("an item");
                assert_eq!(quiet.revalidated, count * REVALIDATIONS_PER_HEARTBEAT);
                let response = Sse::new(stream::iter([Ok::<_, Infallible>(heartbeat)])).into_response();
                let written = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
                // A comment, which browsers ignore.
                assert_eq!(&written[..], b": \n\n");
            }
            let sam = world.super_admin("Sam").await;
            domain::accounts::ip_blocklist::add(&sam, "127.0.0.0/8", None).await.unwrap();
            quiet.app.auth.token_cache.admission.invalidate();
            let end = timeout(Duration::from_secs(60), quiet.next()).await.expect("an end");
            assert!(end.is_none());
            // Proxies close an idle connection after a minute.
            assert!(REVALIDATE_INTERVAL * REVALIDATIONS_PER_HEARTBEAT < Duration::from_secs(60));
        })
        .await;
    }
}
