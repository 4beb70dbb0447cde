//! Response cache for slow figures: an answer that took longer than [`SLOW`] to compute is reused for [`TTL`], for the same
//! person, role, language and URL. A small office's figures are fast, so they are never cached and always current.
use crate::response::SerializedJson;
use axum::http::Uri;
use domain::{
    Ctx,
    kernel::{access::Role, ids::UserId},
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Answers computed faster are not worth a delay of [`TTL`].
const SLOW: Duration = Duration::from_millis(200);
const TTL: Duration = Duration::from_secs(300);
/// Each is a few kilobytes.
const MAX_ENTRIES: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    user: UserId,
    role: Role,
    language: String,
    url: String,
}

/// The cache.
#[derive(Debug, Default)]
pub struct FiguresCache(Mutex<HashMap<Key, (Instant, SerializedJson)>>);

impl FiguresCache {
    /// The answer to the actor of `ctx` for this URL: from the cache, or computed.
    ///
    /// # Errors
    /// The errors of `compute`, which are not cached.
    pub async fn get<E>(
        &self,
        ctx: &Ctx,
        url: &Uri,
        compute: impl Future<Output = Result<SerializedJson, E>>,
    ) -> Result<SerializedJson, E> {
        match ctx.actor.user_id().zip(ctx.actor.role()) {
            Some((user, role)) => {
                let language = ctx.language().to_owned();
                self.get_by(Key { user, role, language, url: url.to_string() }, compute).await
            }
            None => compute.await,
        }
    }

    async fn get_by<E>(
        &self,
        key: Key,
        compute: impl Future<Output = Result<SerializedJson, E>>,
    ) -> Result<SerializedJson, E> {
        if let Some(body) = self.fresh(&key) {
            return Ok(body);
        }
        let started = Instant::now();
        let body = compute.await?;
        if started.elapsed() > SLOW {
            self.insert(key, body.clone());
        }
        Ok(body)
    }

    fn fresh(&self, key: &Key) -> Option<SerializedJson> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(key).filter(|(at, _)| at.elapsed() < TTL).map(|(_, body)| body.clone())
    }

    fn insert(&self, key: Key, body: SerializedJson) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, (at, _)| at.elapsed() < TTL);
        }
        if entries.len() < MAX_ENTRIES {
            entries.insert(key, (Instant::now(), body));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn key(user: u128, url: &str) -> Key {
        Key {
            user: UserId(uuid::Uuid::from_u128(user)),
            role: Role::SuperAdmin,
            language: "en".to_owned(),
            url: url.to_owned(),
        }
    }

    #[tokio::test]
    async fn slow_answers_are_cached_per_person_and_url_and_errors_are_not() {
        let (cache, computed) = (FiguresCache::default(), AtomicUsize::new(0));
        let ask = async |key: Key, takes: Duration, answer: Result<i32, ()>| {
            let compute = async {
                tokio::time::sleep(takes).await;
                computed.fetch_add(1, Ordering::Relaxed);
                answer.map(|view| SerializedJson::of(&view))
            };
            cache.get_by(key, compute).await.map(drop)
        };
        let slow = SLOW + Duration::from_millis(20);
        for (key, takes, answer, expected) in [
            (key(1, "/a"), Duration::ZERO, Ok(1), 1),
            (key(1, "/a"), slow, Err(()), 2),
            (key(1, "/a"), slow, Ok(1), 3),
            (key(1, "/a"), slow, Ok(1), 3),
            (key(2, "/a"), Duration::ZERO, Ok(1), 4),
            (key(1, "/b"), Duration::ZERO, Ok(1), 5),
        ] {
            assert_eq!(ask(key, takes, answer).await, answer.map(drop));
            assert_eq!(computed.load(Ordering::Relaxed), expected);
        }
    }
}
