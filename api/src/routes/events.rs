//! Live changes: the activity log as server-sent events, without gaps and without anything twice.
//!
//! A stream listens to the live feed first and then reads from the database what came before; what both have is
//! recognised by its number. Who falls behind the feed reads from the database again, a page at a time, so that a
//! slow reader costs no memory.
use crate::{
    error::Result,
    extract::{SignedIn, bearer},
    middleware::About,
    places::Place,
    routes::activity::Activity,
    state::App,
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

/// How often the session is looked at: one that was ended has no stream for longer than this.
const LOOK: Duration = Duration::from_secs(1);
/// A sign of life after so many looks, so that proxies keep the connection.
const HEARTBEAT: u32 = 15;
/// Rows read at a time while catching up.
const PAGE: usize = 100;
/// Streams that one person may have open at once: every browser they own, and their tabs while the server is gone.
pub const EACH: usize = 100;

/// Changes you may know of, as they happen. Resumes after `Last-Event-ID`; ends with your session.
#[utoipa::path(get, path = "/realtime/v1/events", operation_id = "event_stream", tag = "events",
    params(("Last-Event-ID" = Option<i64>, Header, description = "The `seq` of the last change that was heard.")),
    responses((status = 200, description = "`ready` with `{seq}`, then a `change` for each activity row, with its `seq` as id.",
        content_type = "text/event-stream", body = String)))]
pub async fn stream(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Extension(about): Extension<Arc<About>>,
    headers: HeaderMap,
) -> Result<Response> {
    let place = app.streams.place_of(ctx.actor.user_id()).ok_or(Error::TooMany(LOOK.as_secs()))?;
    let feed = app.feed.subscribe();
    let head = activity::last_seq(&ctx).await?;
    let heard = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse::<i64>().ok());
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener {
        token: bearer(&headers).unwrap_or_default().to_owned(),
        address: about.address,
        // A number from the future belongs to another database.
        after: heard.map_or(head, |heard| heard.clamp(0, head)),
        behind: heard.is_some(),
        greeted: false,
        waiting: VecDeque::new(),
        looks,
        looked: 0,
        feed,
        ctx,
        app,
        _place: place,
    };
    let mut response = Sse::new(events(listener)).into_response();
    // nginx would keep events back until it has a page of them.
    response.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    Ok(response)
}

struct Listener {
    app: App,
    ctx: Ctx,
    token: String,
    address: IpAddr,
    feed: Receiver<Arc<Row>>,
    /// The number of the last event that was sent or is not the listener's.
    after: i64,
    /// The database has more than the feed will bring.
    behind: bool,
    greeted: bool,
    waiting: VecDeque<Row>,
    looks: Interval,
    looked: u32,
    _place: Place,
}

fn events(listener: Listener) -> impl Stream<Item = std::result::Result<Event, Infallible>> {
    stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok(event), listener))
    })
}

impl Listener {
    /// The next thing to send; none when the stream is over.
    async fn next(&mut self) -> Option<Event> {
        if !self.greeted {
            self.greeted = true;
            return Some(Event::default().event("ready").data(format!("{{\"seq\":{}}}", self.after)));
        }
        let closing = self.app.closing.clone();
        loop {
            // Who has much to catch up on, and reads slowly, is looked at all the same.
            if (self.behind || !self.waiting.is_empty())
                && (closing.is_cancelled() || (self.looks.tick().now_or_never().is_some() && !self.is_welcome().await))
            {
                return None;
            }
            if let Some(row) = self.waiting.pop_front() {
                if activity::visible(&self.ctx.actor, &row) {
                    return Some(self.change(row));
                }
                continue;
            }
            if self.behind {
                // An unreachable database ends the stream: the page will come again, and resume.
                self.catch_up().await.ok()?;
                continue;
            }
            tokio::select! {
                biased;
                () = closing.cancelled() => return None,
                _ = self.looks.tick() => {
                    if !self.is_welcome().await {
                        return None;
                    }
                    self.looked += 1;
                    if self.looked.is_multiple_of(HEARTBEAT) {
                        return Some(Event::default().comment(""));
                    }
                }
                heard = self.feed.recv() => match heard {
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
        let rows = activity::since(&self.ctx, self.after, PAGE).await?;
        self.behind = rows.len() == PAGE;
        self.waiting.extend(rows);
        Ok(())
    }

    fn change(&mut self, row: Row) -> Event {
        self.after = row.seq.unwrap_or(self.after).max(self.after);
        let row = activity::redact(&self.ctx.actor, row);
        let data = serde_json::to_string(&Activity::of(&self.ctx, row)).expect("an event is plain data");
        Event::default().event("change").id(self.after.to_string()).data(data)
    }

    /// Asks again who this is: the session may have ended, the role or company may be another, a second factor due, and
    /// where it goes may be kept out by now.
    async fn is_welcome(&mut self) -> bool {
        if self.app.auth.verified.gate.look(&self.app.db, self.app.clock.now()).await.keeps_out(self.address) {
            return false;
        }
        match self.app.who(&self.token).await {
            Ok(user) => {
                self.ctx.actor = domain::Actor::User(user);
                self.ctx.scope().is_ok()
            }
            // Not known for now is not refused.
            Err(e) => matches!(e, Error::Unavailable(_)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Http, Parts};
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

    /// Looks a thousand times as often as streams do: what counts is how many looks there are between two signs.
    #[tokio::test]
    async fn a_quiet_stream_gives_a_sign_of_life_after_so_many_looks() {
        on_both(async |world| {
            let app = App::new(Parts {
                db: world.db.clone(),
                clock: world.clock.clone(),
                chance: world.chance.clone(),
                options: world.options.clone(),
                auth: Auth::new(Keys::for_tests()),
                feed: broadcast::channel(1).0,
                http: Http::default(),
            });
            let erin = world.user(Role::Employee, "Erin", None, None).await;
            let password = "correct horse battery staple";
            let hash = passwords::hash(&world.operator(), password).await.unwrap();
            let mut tx = world.db.begin().await.unwrap();
            users::store::save_password(&mut tx, erin.id, &hash, false).await.unwrap();
            tx.commit().await.unwrap();
            let token = auth::sign_in(&world.nobody(), &app.auth, &erin.email, password).await.unwrap().access_token;
            let ctx = app.ctx(Actor::User(app.who(&token).await.unwrap()), Origin::default());
            let mut quiet = Listener {
                token,
                address: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
                after: 0,
                behind: false,
                greeted: true,
                waiting: VecDeque::new(),
                looks: interval(Duration::from_millis(1)),
                looked: 0,
                feed: app.feed.subscribe(),
                ctx,
                _place: app.streams.place_of(Some(erin.id)).unwrap(),
                app,
            };
            for signs in 1..=2 {
                let sign = timeout(Duration::from_secs(60), quiet.next()).await.expect("a sign of life");
                let sign = sign.expect("the stream goes on");
                assert_eq!(quiet.looked, signs * HEARTBEAT);
                let answer = Sse::new(stream::iter([Ok::<_, Infallible>(sign)])).into_response();
                let written = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
                // A comment, which browsers read over.
                assert_eq!(&written[..], b": \n\n");
            }
            // Where it goes is kept out from now on.
            let sam = world.super_admin("Sam").await;
            domain::accounts::ip_blocklist::add(&sam, "127.0.0.0/8", None).await.unwrap();
            quiet.app.auth.verified.gate.forget();
            let end = timeout(Duration::from_secs(60), quiet.next()).await.expect("an end");
            assert!(end.is_none());
            // So far apart are they, less than the minute after which proxies give a silent connection up.
            assert!(LOOK * HEARTBEAT < Duration::from_secs(60));
        })
        .await;
    }
}
