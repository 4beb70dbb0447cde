//! Password rules and hashing: Argon2id on a thread pool of one thread per core.
//!
//! A hash takes 19 MiB and tens of milliseconds by design. The threads have the lowest priority and reuse their memory,
//! so that a burst of sign-ins queues up instead of starving other requests.
mod cpu_yield;
mod leaked;

use crate::{
    kernel::{
        clock::RandomSource,
        ctx::Ctx,
        error::{Error, Problem, Result},
        text::{nfc, unique_key},
    },
    platform::settings::{self, Settings},
};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash as Phc, Salt},
};
use cpu_yield::HashCores;
use sha2::{Digest, Sha256};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::{Semaphore, oneshot};
use zxcvbn::{Score, matching::patterns::MatchPattern, zxcvbn};

/// OWASP's first recommendation for Argon2id: 19 MiB, two passes, one lane.
pub const MEMORY_KIB: u32 = 19_456;
pub const PASSES: u32 = 2;
pub const LANES: u32 = 1;
pub use crate::kernel::validate::MIN_PASSWORD_LENGTH as MIN_LENGTH;
/// Maximum length in characters; bounds the work of a request.
pub const MAX_LENGTH: usize = 128;
/// Largest number of finished hashes per core that are returned as a batch.
const MAX_BATCH_PER_CORE: usize = 4;
/// Longest wait for a slot; with a batch, shorter than the request timeout.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(6);

/// Password hash as a PHC string. Debug output is hidden.
#[derive(Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct PasswordHash(String);

::db::column_type! { Plain: PasswordHash }

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

impl PasswordHash {
    /// Parses a hash from another system: Argon2 with bounded parameters.
    pub fn imported(text: &str) -> Option<Self> {
        let phc = Phc::new(text).ok()?;
        let params = Params::try_from(&phc).ok()?;
        let known = Algorithm::new(phc.algorithm.as_str()).is_ok()
            && phc.version.is_none_or(|version| Version::try_from(version).is_ok())
            && phc.salt.is_some()
            && phc.hash.is_some();
        let bearable = params.m_cost() <= 4 * MEMORY_KIB && params.t_cost() <= 10 && params.p_cost() <= 4;
        (known && bearable).then(|| Self(text.to_owned()))
    }

    /// Digest of the hash and these texts, as a cache key.
    pub(super) fn digest_with(&self, texts: &[&str]) -> [u8; 32] {
        Sha256::digest(format!("{}\n{}", self.0, texts.join("\n"))).into()
    }
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    Invalid,
    Valid,
    /// Correct, but hashed with other parameters than the present ones. Also with costlier ones: comparing them would
    /// take longer than the dummy hash of unknown addresses.
    ValidNeedsRehash,
}

/// Hash that no password has: unknown addresses take as long as known ones.
static DUMMY_HASH: LazyLock<PasswordHash> = LazyLock::new(|| {
    let params = params().to_string();
    PasswordHash(format!("$argon2id$v=19${params}$bm9ib2R5bm9ib2R5bm9ibw$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
});

/// One pool per process.
static POOL: LazyLock<HashPool> =
    LazyLock::new(|| HashPool::new(std::thread::available_parallelism().map_or(2, usize::from)));

struct HashPool {
    slots: Arc<Semaphore>,
    work: flume::Sender<HashTask>,
}

/// A hash computation with the memory of its thread.
type HashTask = Box<dyn FnOnce(&mut Vec<Block>) -> Reply + Send>;
/// Sends a result to its requester.
type Reply = Box<dyn FnOnce() + Send>;

/// Validates a new password of at least `shortest` characters; `names` are the person's own.
///
/// # Errors
/// `too_long` over [`MAX_LENGTH`]; `weak_password` with `reasons`: `length`, `pwned` for common and leaked passwords,
/// `characters` for those guessed as fast: own names, repetitions, keyboard rows.
pub fn validate(password: &str, email: &str, names: &[&str], shortest: usize) -> std::result::Result<(), Problem> {
    if is_too_long(password) {
        return Err(Problem::new("too_long").with("max", MAX_LENGTH));
    }
    let password = &normalize(password);
    let length = password.chars().count();
    let mut reasons = Vec::new();
    let long_enough = length >= shortest;
    if !long_enough {
        reasons.push("length");
    }
    reasons.extend(check_guessable(password, email, names, long_enough));
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Problem::new("weak_password").with("reasons", reasons).with("min", shortest))
}

/// Whether a password has more than [`MAX_LENGTH`] characters.
pub fn is_too_long(password: &str) -> bool {
    normalize(password).chars().count() > MAX_LENGTH
}

/// Password in the form that is measured, hashed and compared: NFC (RFC 8265, OpaqueString), so that keyboards agree.
/// An oversized one is cut and made invalid, to bound the work.
fn normalize(password: &str) -> String {
    // Decomposed text is longer than composed.
    match password.char_indices().nth(4 * MAX_LENGTH) {
        Some((end, _)) => nfc(&password[..end]) + "\0",
        None => nfc(password),
    }
}

/// Minimum length that the settings require.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.passwords.min_length", skip_all)]
pub async fn min_length(ctx: &Ctx) -> Result<usize> {
    Ok(min_length_of(&settings::get(ctx).await?))
}

/// [`min_length`] by these settings.
pub fn min_length_of(settings: &Settings) -> usize {
    let wanted = settings.security.password_min_length;
    wanted.and_then(|wanted| usize::try_from(wanted).ok()).unwrap_or(MIN_LENGTH)
}

/// Reason why a password falls within a million guesses by an attacker who knows the person and the leaked lists. Short passwords are only
/// compared with the names: the estimate would always be low.
fn check_guessable(password: &str, email: &str, names: &[&str], long_enough: bool) -> Option<&'static str> {
    let email = unique_key(email);
    let own: Vec<String> = names
        .iter()
        .map(|name| unique_key(name))
        .chain(email.split(['@', '.']).map(str::to_owned))
        .chain([email.clone()])
        .filter(|name| !name.is_empty())
        .collect();
    let plain = unique_key(password);
    if own.contains(&plain) {
        return Some("characters");
    }
    if !long_enough {
        return None;
    }
    if leaked::contains(password) {
        return Some("pwned");
    }
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let found = zxcvbn(password, &own);
    if found.score() > Score::One {
        return None;
    }
    let listed = found.sequence().iter().any(|part| match &part.pattern {
        MatchPattern::Dictionary(word) => format!("{:?}", word.dictionary_name) == "Passwords",
        _ => false,
    });
    Some(if listed { "pwned" } else { "characters" })
}

/// Hashes a password. Must not be called within a transaction.
///
/// # Errors
/// RateLimited when the queue is full.
#[tracing::instrument(level = "debug", name = "auth.passwords.hash", skip_all)]
pub async fn hash(ctx: &Ctx, password: impl Into<String>) -> Result<PasswordHash> {
    hash_with_salt(&ctx.random, password.into()).await
}

async fn hash_with_salt(random: &RandomSource, password: String) -> Result<PasswordHash> {
    let password = normalize(&password);
    let salt = Salt::new(&random.bytes::<16>()).map_err(Error::internal)?;
    POOL.run(move |memory| {
        let params = params();
        let output = compute(&params, Algorithm::Argon2id, Version::V0x13, &password, &salt, 32, memory)?;
        let phc = Phc {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&params).map_err(Error::internal)?,
            salt: Some(salt),
            hash: Some(output),
        };
        Ok(PasswordHash(phc.to_string()))
    })
    .await
}

/// Compares a password with a hash. Without a hash it takes as long and returns [`PasswordCheck::Invalid`].
///
/// # Errors
/// RateLimited when the queue is full; Internal for an unreadable hash.
pub async fn verify(kept: Option<&PasswordHash>, password: &str) -> Result<PasswordCheck> {
    let known = kept.is_some();
    let kept = kept.unwrap_or(&DUMMY_HASH).clone();
    let password = normalize(password);
    POOL.run(move |memory| {
        let phc = Phc::new(&kept.0).map_err(Error::internal)?;
        let (Some(salt), Some(hash)) = (phc.salt, phc.hash) else { return Ok(PasswordCheck::Invalid) };
        let algorithm = Algorithm::new(phc.algorithm.as_str()).map_err(Error::internal)?;
        let version = Version::try_from(phc.version.unwrap_or(0x13)).map_err(Error::internal)?;
        let params = Params::try_from(&phc).map_err(Error::internal)?;
        let found = compute(&params, algorithm, version, &password, &salt, hash.len(), memory)?;
        let today = self::params();
        let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
        let old = algorithm != Algorithm::Argon2id || cost(&params) != cost(&today);
        // `Output` compares in constant time.
        let right = known && found == hash;
        if !right && let Some(rest) = padding_params(&params) {
            compute(&rest, Algorithm::Argon2id, Version::V0x13, &password, &salt, 32, memory)?;
        }
        Ok(match (right, old) {
            (false, _) => PasswordCheck::Invalid,
            (true, false) => PasswordCheck::Valid,
            (true, true) => PasswordCheck::ValidNeedsRehash,
        })
    })
    .await
}

fn params() -> Params {
    Params::new(MEMORY_KIB, PASSES, LANES, Some(32)).expect("the parameters are in range")
}

/// Parameters of an extra computation after a cheaper hash, so that a wrong password takes as long as an unknown
/// address; none otherwise.
fn padding_params(kept: &Params) -> Option<Params> {
    let cost = |params: &Params| params.m_cost() * params.t_cost();
    let missing = cost(&params()).checked_sub(cost(kept)).filter(|missing| *missing > 0)?;
    let passes = missing.div_ceil(MEMORY_KIB);
    Params::new((missing / passes).max(Params::MIN_M_COST), passes, LANES, Some(32)).ok()
}

fn compute(
    params: &Params,
    algorithm: Algorithm,
    version: Version,
    password: &str,
    salt: &Salt,
    length: usize,
    memory: &mut Vec<Block>,
) -> Result<Output> {
    if memory.len() < params.block_count() {
        memory.resize(params.block_count(), Block::default());
    }
    let mut out = [0; 64];
    let out = out.get_mut(..length).ok_or_else(|| Error::internal("a password hash of unknown length"))?;
    Argon2::new(algorithm, version, params.clone())
        .hash_password_into_with_memory(password.as_bytes(), salt, out, &mut memory[..params.block_count()])
        .map_err(Error::internal)?;
    Output::new(out).map_err(Error::internal)
}

impl HashPool {
    fn new(width: usize) -> Self {
        let (work, waiting) = flume::unbounded();
        let finished = Arc::new(Mutex::new(Vec::new()));
        let cores = HashCores::detect(width);
        for _ in 0..width {
            let (waiting, finished, cores) = (waiting.clone(), finished.clone(), cores.clone());
            let thread = std::thread::Builder::new().name("password-hash".to_owned());
            thread
                .spawn(move || worker_loop(&waiting, &finished, &cores, width * MAX_BATCH_PER_CORE))
                .expect("the system gives a few threads at the start");
        }
        // One queued task per thread, so that threads never wait for the next.
        Self { slots: Arc::new(Semaphore::new(2 * width)), work }
    }

    async fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce(&mut Vec<Block>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = tokio::time::timeout(QUEUE_TIMEOUT, self.slots.clone().acquire_owned())
            .await
            .map_err(|_| Error::RateLimited(QUEUE_TIMEOUT.as_secs()))?
            .map_err(Error::internal)?;
        let (answer, answered) = oneshot::channel();
        let work: HashTask = Box::new(move |memory| {
            let done = work(memory);
            // Held until here even if the request was cancelled: the core is busy.
            drop(turn);
            Box::new(move || drop(answer.send(done)))
        });
        self.work.send(work).map_err(|_| Error::internal("no thread hashes passwords any more"))?;
        answered.await.map_err(Error::internal)?
    }
}

/// Runs hash tasks forever. A hash evicts the CPU caches, which doubles the time of what follows it. So while tasks are
/// queued, up to `most` results are held back and returned as a batch; a single task returns at once.
fn worker_loop(waiting: &flume::Receiver<HashTask>, finished: &Mutex<Vec<Reply>>, cores: &HashCores, most: usize) {
    cpu_yield::yield_to_others();
    let mut memory = Vec::new();
    for work in waiting {
        // A panic drops the reply, which is an error at the requester.
        let core = cores.acquire();
        let answer = catch_unwind(AssertUnwindSafe(|| work(&mut memory))).ok();
        drop(core);
        let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.extend(answer);
        // Queued tasks reach this line later: no reply is left behind.
        if finished.len() < most && !waiting.is_empty() {
            continue;
        }
        let answers = std::mem::take(&mut *finished);
        drop(finished);
        answers.into_iter().for_each(|answer| answer());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(password: &str) -> Vec<String> {
        match validate(password, "maya@example.com", &["Maya", "Ortiz", "Maya Ortiz"], MIN_LENGTH) {
            Ok(()) => vec![],
            Err(problem) => match problem.params.get("reasons") {
                Some(reasons) => serde_json::from_value(reasons.clone()).expect("a list of words"),
                None => vec![problem.code.to_owned()],
            },
        }
    }

    #[test]
    fn cheaper_hashes_are_padded_to_constant_time() {
        let cost = |params: &Params| params.m_cost() * params.t_cost();
        let today = params();
        for (memory, passes) in [(8, 1), (4_096, 1), (4_096, 3), (MEMORY_KIB, PASSES - 1), (MEMORY_KIB - 1, PASSES)] {
            let kept = Params::new(memory, passes, 1, Some(32)).expect("in range");
            let rest = padding_params(&kept).expect("less than today's");
            let both = cost(&kept) + cost(&rest);
            assert!(rest.m_cost() <= MEMORY_KIB && both.abs_diff(cost(&today)) <= 8, "{memory} {passes}: {both}");
        }
        assert_eq!(padding_params(&today), None);
        assert_eq!(padding_params(&Params::new(2 * MEMORY_KIB, PASSES, 1, Some(32)).expect("in range")), None);
    }

    #[test]
    fn imported_hashes_are_argon2_with_bounded_parameters() {
        let with = |version: &str, m: u32, t: u32, p: u32| {
            let hash = format!(
                "$argon2id${version}m={m},t={t},p={p}$c29tZXNhbHQxMjM0NTY3OA$BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
            );
            PasswordHash::imported(&hash).is_some()
        };
        assert!(with("v=19$", MEMORY_KIB, 2, 1) && with("v=16$", MEMORY_KIB, 2, 1) && with("", 4 * MEMORY_KIB, 10, 4));
        assert!(!with("v=18$", MEMORY_KIB, 2, 1));
        assert!(!with("v=19$", 4 * MEMORY_KIB + 1, 2, 1));
        assert!(!with("v=19$", MEMORY_KIB, 11, 1) && !with("v=19$", MEMORY_KIB, 2, 5));
        assert!(PasswordHash::imported("$2b$10$abcdefghijklmnopqrstuv").is_none());
    }

    #[test]
    fn validate_rejects_short_passwords_names_and_addresses() {
        assert!(reasons("portal-demo-2026").is_empty());
        assert!(reasons("ñandú-verde-42").is_empty());
        assert!(reasons("correct horse battery").is_empty());
        assert_eq!(reasons("k9#Wq2x"), ["length"]);
        assert_eq!(reasons("Maya"), ["length", "characters"]);
        assert_eq!(reasons("MayaOrtiz"), ["characters"]);
        assert_eq!(reasons("maya ortiz"), ["characters"]);
        assert_eq!(reasons("MAYA@example.com"), ["characters"]);
        assert_eq!(reasons("          "), ["characters"]);
        let long = "Nine quiet herons crossed 47 amber rivers before the lamp went out; w8!";
        assert!(reasons(long).is_empty());
        assert_eq!(reasons(&"a1".repeat(65)), ["too_long"]);
    }

    #[test]
    fn password_length_counts_nfc_characters() {
        let kanji = "朝霧静かな港に船十三隻が帰り灯台守は茶を淹れて待つ";
        assert_eq!(kanji.chars().count(), 25);
        assert!(reasons(kanji).is_empty());
        let composed: String = "Ünïcödé-pässwörd-".chars().cycle().take(MAX_LENGTH).collect();
        let decomposed: String = composed
            .chars()
            .flat_map(|c| match c {
                'Ü' => vec!['U', '\u{308}'],
                'ï' => vec!['i', '\u{308}'],
                'ö' => vec!['o', '\u{308}'],
                'é' => vec!['e', '\u{301}'],
                'ä' => vec!['a', '\u{308}'],
                c => vec![c],
            })
            .collect();
        assert!(decomposed.chars().count() > MAX_LENGTH);
        assert_eq!(reasons(&composed), reasons(&decomposed));
        assert!(!reasons(&composed).contains(&"too_long".to_owned()));
        assert_eq!(reasons(&format!("{composed}x")), ["too_long"]);
        assert_eq!(reasons(&"漢".repeat(1_000_000)), ["too_long"]);
        assert!(reasons("u\u{308}e\u{301}-9kW").contains(&"length".to_owned()), "six characters in eight code points");
        assert_eq!(
            validate("ZOE\u{308}-NUN\u{303}EZ", "z@example.com", &["Zoë-Núñez", "Zoë-Nuñez"], MIN_LENGTH)
                .map_err(|p| p.code),
            Err("weak_password")
        );
    }

    #[tokio::test]
    async fn passwords_are_normalized_to_nfc() {
        let random = RandomSource::system();
        let kept = hash_with_salt(&random, "Zoe\u{308}s-Schlüssel-42".to_owned()).await.expect("hashes");
        for (typed, verdict) in [
            ("Zoës-Schlüssel-42", PasswordCheck::Valid),
            ("Zoës-Schlu\u{308}ssel-42", PasswordCheck::Valid),
            ("Zoes-Schlussel-42", PasswordCheck::Invalid),
            ("zoës-schlüssel-42", PasswordCheck::Invalid),
        ] {
            assert_eq!(verify(Some(&kept), typed).await.expect("verifies"), verdict, "{typed}");
        }
    }

    #[test]
    fn validate_rejects_common_passwords() {
        for common in ["password", "Password1", "iloveyou", "P@ssw0rd", "princess1", "football", "trustno1!"] {
            assert_eq!(reasons(common), ["pwned"], "{common}");
        }
        // Long, but known from leaks.
        for leaked in ["abcdefghijkl", "bmvm3e46gtr"] {
            assert_eq!(reasons(leaked), ["pwned"], "{leaked}");
        }
        for poor in ["jjjjjjjjjjjjjjj", "bcdefghijklmn"] {
            assert_eq!(reasons(poor), ["characters"], "{poor}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hash_threads_have_low_priority() {
        let niceness = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux says");
            let fields = stat.rsplit_once(')').expect("a name in brackets").1.to_owned();
            fields.split_whitespace().nth(16).and_then(|nice| nice.parse::<i32>().ok()).expect("a number")
        };
        let here = niceness();
        let there = POOL.run(move |_| Ok(niceness())).await.expect("runs");
        assert_eq!(there, (here + 10).min(19));
    }

    /// Runs tasks on one thread with the next always queued; one of them panics. Returns which were answered after each
    /// ended.
    async fn answered_after_each(pieces: usize, panics: usize) -> Vec<Vec<usize>> {
        let pool: &'static HashPool = Box::leak(Box::new(HashPool::new(1)));
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let mut answers = Vec::new();
        let mut ends = Vec::new();
        for piece in 0..pieces {
            let begun = begun.clone();
            let (end, released) = std::sync::mpsc::channel::<()>();
            ends.push(end);
            answers.push(tokio::spawn(pool.run(move |_| {
                let _ = begun.send(piece);
                let _ = released.recv();
                assert_ne!(piece, panics, "as this test wants");
                Ok(())
            })));
        }
        let mut after = Vec::new();
        assert_eq!(begins.recv().await, Some(0));
        for (piece, end) in ends.into_iter().enumerate() {
            let more = piece + 1 < pieces;
            while more && pool.work.is_empty() {
                tokio::task::yield_now().await;
            }
            end.send(()).expect("the thread waits for it");
            while !more && answers.iter().any(|answer| !answer.is_finished()) {
                tokio::task::yield_now().await;
            }
            if more {
                assert_eq!(begins.recv().await, Some(piece + 1));
            }
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            after.push((0..pieces).filter(|piece| answers[*piece].is_finished()).collect());
        }
        for (piece, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.await.expect("goes on").is_ok(), piece != panics);
        }
        after
    }

    #[tokio::test]
    async fn results_are_batched_while_tasks_are_queued() {
        let a_minute = Duration::from_mins(1);
        let after = tokio::time::timeout(a_minute, answered_after_each(6, 9)).await.expect("none is left behind");
        let together: Vec<usize> = (0..MAX_BATCH_PER_CORE).collect();
        assert_eq!(after, [vec![], vec![], vec![], together.clone(), together, (0..6).collect()]);
    }

    /// A panic is reported at once, outside the batch.
    #[tokio::test]
    async fn panicking_task_does_not_block_other_replies() {
        let a_minute = Duration::from_mins(1);
        let after = tokio::time::timeout(a_minute, answered_after_each(3, 2)).await.expect("none is left behind");
        assert_eq!(after, [vec![], vec![], vec![0, 1, 2]]);
        let after = tokio::time::timeout(a_minute, answered_after_each(3, 0)).await.expect("none is left behind");
        assert_eq!(after, [vec![0], vec![0], vec![0, 1, 2]]);
    }

    #[tokio::test]
    async fn verify_accepts_only_the_hashed_password() {
        let random = RandomSource::system();
        let kept = hash_with_salt(&random, "portal-demo-2026".to_owned()).await.expect("hashes");
        assert!(kept.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", kept.0);
        assert_eq!(verify(Some(&kept), "portal-demo-2026").await.expect("verifies"), PasswordCheck::Valid);
        assert_eq!(verify(Some(&kept), "portal-demo-2027").await.expect("verifies"), PasswordCheck::Invalid);
        assert_eq!(verify(None, "portal-demo-2026").await.expect("verifies"), PasswordCheck::Invalid);
        assert_ne!(
            kept,
            hash_with_salt(&random, "portal-demo-2026".to_owned()).await.expect("hashes"),
            "each has its own salt"
        );
        assert_eq!(format!("{kept:?}"), "PasswordHash(hidden)");
    }

    #[tokio::test]
    async fn hash_with_smaller_parameters_needs_rehash() {
        use argon2::PasswordHasher;
        let small = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8_192, 1, 1, None).expect("in range"));
        let kept = PasswordHash(small.hash_password(b"portal-demo-2026").expect("hashes").to_string());
        assert_eq!(verify(Some(&kept), "portal-demo-2026").await.expect("verifies"), PasswordCheck::ValidNeedsRehash);
        assert_eq!(verify(Some(&kept), "wrong-password").await.expect("verifies"), PasswordCheck::Invalid);
    }
}
