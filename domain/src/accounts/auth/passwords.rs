//! Passwords: the rules for new ones, and Argon2id on a pool as wide as the machine.
//!
//! One hash takes 19 MiB and tens of milliseconds of a core on purpose. So hashes run on threads of their own, as
//! many as there are cores, each with a block of memory that it uses again, and after everything else the machine
//! has to do: a burst of sign-ins waits in line instead of starving the reads beside it.
mod cores;

use crate::{
    kernel::{
        clock::Chance,
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
use cores::Cores;
use sha2::{Digest, Sha256};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::{Semaphore, oneshot};
use zxcvbn::{Score, matching::patterns::MatchPattern, zxcvbn};

/// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane.
pub const MEMORY_KIB: u32 = 19_456;
pub const PASSES: u32 = 2;
pub const LANES: u32 = 1;
pub use crate::kernel::validate::MIN_PASSWORD_LENGTH as MIN_LENGTH;
/// Characters a password may have at most. Argon2 takes any length; this only bounds the work of a request.
pub const MAX_LENGTH: usize = 128;
/// Hashes for each core, at most, that are handed over together while others are in line.
const TOGETHER: usize = 4;
/// How long a sign-in waits for its turn before it is sent away: with the hashes it may be handed over with, less than a
/// request may take.
const PATIENCE: Duration = Duration::from_secs(6);

/// A password's hash as it is kept (PHC string). Never printed.
#[derive(Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct PasswordHash(String);

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

impl PasswordHash {
    /// A hash from elsewhere: Argon2 in a PHC string, no costlier to compare than the machine can bear.
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

    /// A digest of this hash and these texts, from which neither can be found.
    pub(super) fn with(&self, texts: &[&str]) -> [u8; 32] {
        Sha256::digest(format!("{}\n{}", self.0, texts.join("\n"))).into()
    }
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    Right,
    /// Right, and hashed with other parameters than today's: hash it again. With greater ones, too, as an imported hash
    /// may be: a wrong password would take longer than an address that nobody has.
    RightButOld,
}

/// The hash of no password at all, so that an unknown address takes as long as a known one.
static NOBODY: LazyLock<PasswordHash> = LazyLock::new(|| {
    let params = params().to_string();
    PasswordHash(format!("$argon2id$v=19${params}$bm9ib2R5bm9ib2R5bm9ibw$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
});

/// One for the process: the cores are the process's too.
static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(std::thread::available_parallelism().map_or(2, usize::from)));

struct Pool {
    turns: Arc<Semaphore>,
    work: flume::Sender<Work>,
}

/// A hash to be computed in a thread's own memory.
type Work = Box<dyn FnOnce(&mut Vec<Block>) -> Answer + Send>;
/// Tells whoever waits for a hash what came of it.
type Answer = Box<dyn FnOnce() + Send>;

/// Checks a new password, which has `shortest` characters or more. `names` are the person's own, which make poor
/// passwords.
///
/// # Errors
/// `too_long` over [`MAX_LENGTH`]; `weak_password` with its `reasons`: `length`, `pwned` for what stands in lists of
/// common passwords, `characters` for what is guessed as fast as these: a name, one sign again and again, a row of keys.
pub fn rules(password: &str, email: &str, names: &[&str], shortest: usize) -> std::result::Result<(), Problem> {
    if is_too_long(password) {
        return Err(Problem::new("too_long").with("max", MAX_LENGTH));
    }
    let password = &prepared(password);
    let length = password.chars().count();
    let mut reasons = Vec::new();
    let long_enough = length >= shortest;
    if !long_enough {
        reasons.push("length");
    }
    reasons.extend(guessable(password, email, names, long_enough));
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Problem::new("weak_password").with("reasons", reasons).with("min", shortest))
}

/// Whether a password has more than [`MAX_LENGTH`] characters.
pub fn is_too_long(password: &str) -> bool {
    prepared(password).chars().count() > MAX_LENGTH
}

/// A password in the form in which it is counted, hashed and compared: NFC, as RFC 8265 (OpaqueString) has it, so that
/// keyboards that compose letters differently type the same password. One that is too long is cut after what no
/// password has: it is wrong, and costs no more.
fn prepared(password: &str) -> String {
    // A letter with many marks can be longer before it is composed.
    match password.char_indices().nth(4 * MAX_LENGTH) {
        Some((end, _)) => nfc(&password[..end]) + "\0",
        None => nfc(password),
    }
}

/// Characters that the office wants of a new password.
///
/// # Errors
/// What the database refuses.
pub async fn shortest(ctx: &Ctx) -> Result<usize> {
    Ok(shortest_by(&settings::get(ctx).await?))
}

/// [`shortest`] by these settings.
pub fn shortest_by(settings: &Settings) -> usize {
    let wanted = settings.security.password_min_length;
    wanted.and_then(|wanted| usize::try_from(wanted).ok()).unwrap_or(MIN_LENGTH)
}

/// Why a password falls within a million guesses of somebody who knows the person. Of a short one only what it is
/// beside that: every short one falls.
fn guessable(password: &str, email: &str, names: &[&str], long_enough: bool) -> Option<&'static str> {
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

/// Hashes a password. Call it before a transaction begins, never inside one.
///
/// # Errors
/// TooMany when the machine is busy with other sign-ins.
pub async fn hash(ctx: &Ctx, password: impl Into<String>) -> Result<PasswordHash> {
    salted(&ctx.chance, password.into()).await
}

async fn salted(chance: &Chance, password: String) -> Result<PasswordHash> {
    let password = prepared(&password);
    let salt = Salt::new(&chance.bytes::<16>()).map_err(Error::internal)?;
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

/// Compares a password with what is kept. With nothing kept it takes as long and says [`Verdict::Wrong`].
///
/// # Errors
/// TooMany when the machine is busy with other sign-ins; Internal for a hash that cannot be read.
pub async fn verify(kept: Option<&PasswordHash>, password: &str) -> Result<Verdict> {
    let known = kept.is_some();
    let kept = kept.unwrap_or(&NOBODY).clone();
    let password = prepared(password);
    POOL.run(move |memory| {
        let phc = Phc::new(&kept.0).map_err(Error::internal)?;
        let (Some(salt), Some(hash)) = (phc.salt, phc.hash) else { return Ok(Verdict::Wrong) };
        let algorithm = Algorithm::new(phc.algorithm.as_str()).map_err(Error::internal)?;
        let version = Version::try_from(phc.version.unwrap_or(0x13)).map_err(Error::internal)?;
        let params = Params::try_from(&phc).map_err(Error::internal)?;
        let found = compute(&params, algorithm, version, &password, &salt, hash.len(), memory)?;
        let today = self::params();
        let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
        let old = algorithm != Algorithm::Argon2id || cost(&params) != cost(&today);
        // `Output` compares in constant time.
        let right = known && found == hash;
        if !right && let Some(rest) = rest(&params) {
            compute(&rest, Algorithm::Argon2id, Version::V0x13, &password, &salt, 32, memory)?;
        }
        Ok(match (right, old) {
            (false, _) => Verdict::Wrong,
            (true, false) => Verdict::Right,
            (true, true) => Verdict::RightButOld,
        })
    })
    .await
}

fn params() -> Params {
    Params::new(MEMORY_KIB, PASSES, LANES, Some(32)).expect("the parameters are in range")
}

/// What is computed after a hash with smaller parameters, so that a wrong password takes as long to be refused as an
/// address that nobody has; nothing after others.
fn rest(kept: &Params) -> Option<Params> {
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

impl Pool {
    fn new(width: usize) -> Self {
        let (work, waiting) = flume::unbounded();
        let finished = Arc::new(Mutex::new(Vec::new()));
        let cores = Cores::of_this_machine(width);
        for _ in 0..width {
            let (waiting, finished, cores) = (waiting.clone(), finished.clone(), cores.clone());
            let thread = std::thread::Builder::new().name("password-hash".to_owned());
            thread
                .spawn(move || hash_for_ever(&waiting, &finished, &cores, width * TOGETHER))
                .expect("the system gives a few threads at the start");
        }
        // One more for each thread than it works on: it need not wait for the next to be brought.
        Self { turns: Arc::new(Semaphore::new(2 * width)), work }
    }

    async fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce(&mut Vec<Block>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = tokio::time::timeout(PATIENCE, self.turns.clone().acquire_owned())
            .await
            .map_err(|_| Error::TooMany(PATIENCE.as_secs()))?
            .map_err(Error::internal)?;
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |memory| {
            let done = work(memory);
            // Held until here even when the request has gone away: the core is busy all the same.
            drop(turn);
            Box::new(move || drop(answer.send(done)))
        });
        self.work.send(work).map_err(|_| Error::internal("no thread hashes passwords any more"))?;
        answered.await.map_err(Error::internal)?
    }
}

/// Each hash wipes what the cores remember of the rest of the portal, which then takes twice as long for what follows.
/// So while others are in line, up to `most` hashes are finished before the first of them is handed over, and what
/// follows them (a transaction each) is done for all at once. Whoever comes alone is answered at once.
fn hash_for_ever(waiting: &flume::Receiver<Work>, finished: &Mutex<Vec<Answer>>, cores: &Cores, most: usize) {
    cores::yield_to_others();
    let mut memory = Vec::new();
    for work in waiting {
        // Whoever waits for a hash that panics is told by its channel.
        let core = cores.take();
        let answer = catch_unwind(AssertUnwindSafe(|| work(&mut memory))).ok();
        drop(core);
        let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.extend(answer);
        // Who still waits is hashed by somebody who comes by here, too: no answer stays behind.
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
        match rules(password, "maya@example.com", &["Maya", "Ortiz", "Maya Ortiz"], MIN_LENGTH) {
            Ok(()) => vec![],
            Err(problem) => match problem.params.get("reasons") {
                Some(reasons) => serde_json::from_value(reasons.clone()).expect("a list of words"),
                None => vec![problem.code.to_owned()],
            },
        }
    }

    #[test]
    fn what_was_hashed_with_less_takes_as_long_to_be_refused() {
        let cost = |params: &Params| params.m_cost() * params.t_cost();
        let today = params();
        for (memory, passes) in [(8, 1), (4_096, 1), (4_096, 3), (MEMORY_KIB, PASSES - 1), (MEMORY_KIB - 1, PASSES)] {
            let kept = Params::new(memory, passes, 1, Some(32)).expect("in range");
            let rest = rest(&kept).expect("less than today's");
            let both = cost(&kept) + cost(&rest);
            assert!(rest.m_cost() <= MEMORY_KIB && both.abs_diff(cost(&today)) <= 8, "{memory} {passes}: {both}");
        }
        assert_eq!(rest(&today), None);
        assert_eq!(rest(&Params::new(2 * MEMORY_KIB, PASSES, 1, Some(32)).expect("in range")), None);
    }

    #[test]
    fn a_hash_from_elsewhere_is_one_that_can_be_compared_and_costs_no_more_than_the_machine_bears() {
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
    fn a_new_password_is_long_enough_and_not_the_name_or_address() {
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
    fn a_password_is_measured_in_characters_after_composition() {
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
            rules("ZOE\u{308}-NUN\u{303}EZ", "z@example.com", &["Zoë-Núñez", "Zoë-Nuñez"], MIN_LENGTH)
                .map_err(|p| p.code),
            Err("weak_password")
        );
    }

    #[tokio::test]
    async fn a_password_is_the_same_from_every_keyboard() {
        let chance = Chance::system();
        let kept = salted(&chance, "Zoe\u{308}s-Schlüssel-42".to_owned()).await.expect("hashes");
        for (typed, verdict) in [
            ("Zoës-Schlüssel-42", Verdict::Right),
            ("Zoës-Schlu\u{308}ssel-42", Verdict::Right),
            ("Zoes-Schlussel-42", Verdict::Wrong),
            ("zoës-schlüssel-42", Verdict::Wrong),
        ] {
            assert_eq!(verify(Some(&kept), typed).await.expect("verifies"), verdict, "{typed}");
        }
    }

    #[test]
    fn a_common_password_is_refused() {
        for common in ["password", "Password1", "iloveyou", "P@ssw0rd", "princess1", "football", "trustno1!"] {
            assert_eq!(reasons(common), ["pwned"], "{common}");
        }
        for poor in ["aaaaaaaaaaaa", "abcdefghijkl"] {
            assert_eq!(reasons(poor), ["characters"], "{poor}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hashes_let_others_go_first() {
        let niceness = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux says");
            let fields = stat.rsplit_once(')').expect("a name in brackets").1.to_owned();
            fields.split_whitespace().nth(16).and_then(|nice| nice.parse::<i32>().ok()).expect("a number")
        };
        let here = niceness();
        let there = POOL.run(move |_| Ok(niceness())).await.expect("runs");
        assert_eq!(there, (here + 10).min(19));
    }

    /// Work for one thread, one piece after the other with the next always in line, of which one panics. Gives who has
    /// been answered whenever another has ended.
    async fn answered_after_each(pieces: usize, panics: usize) -> Vec<Vec<usize>> {
        let pool: &'static Pool = Box::leak(Box::new(Pool::new(1)));
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let mut answers = Vec::new();
        let mut ends = Vec::new();
        for piece in 0..pieces {
            let begun = begun.clone();
            let (end, told) = std::sync::mpsc::channel::<()>();
            ends.push(end);
            answers.push(tokio::spawn(pool.run(move |_| {
                let _ = begun.send(piece);
                let _ = told.recv();
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
    async fn hashes_are_handed_over_together_while_others_wait() {
        let a_minute = Duration::from_mins(1);
        let after = tokio::time::timeout(a_minute, answered_after_each(6, 9)).await.expect("none is left behind");
        let together: Vec<usize> = (0..TOGETHER).collect();
        assert_eq!(after, [vec![], vec![], vec![], together.clone(), together, (0..6).collect()]);
    }

    /// Whose own channel tells of it: at once.
    #[tokio::test]
    async fn a_hash_that_panics_keeps_no_other_from_its_answer() {
        let a_minute = Duration::from_mins(1);
        let after = tokio::time::timeout(a_minute, answered_after_each(3, 2)).await.expect("none is left behind");
        assert_eq!(after, [vec![], vec![], vec![0, 1, 2]]);
        let after = tokio::time::timeout(a_minute, answered_after_each(3, 0)).await.expect("none is left behind");
        assert_eq!(after, [vec![0], vec![0], vec![0, 1, 2]]);
    }

    #[tokio::test]
    async fn a_password_is_recognised_by_its_hash_alone() {
        let chance = Chance::system();
        let kept = salted(&chance, "portal-demo-2026".to_owned()).await.expect("hashes");
        assert!(kept.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", kept.0);
        assert_eq!(verify(Some(&kept), "portal-demo-2026").await.expect("verifies"), Verdict::Right);
        assert_eq!(verify(Some(&kept), "portal-demo-2027").await.expect("verifies"), Verdict::Wrong);
        assert_eq!(verify(None, "portal-demo-2026").await.expect("verifies"), Verdict::Wrong);
        assert_ne!(
            kept,
            salted(&chance, "portal-demo-2026".to_owned()).await.expect("hashes"),
            "each has its own salt"
        );
        assert_eq!(format!("{kept:?}"), "PasswordHash(hidden)");
    }

    #[tokio::test]
    async fn a_hash_with_smaller_parameters_is_good_and_old() {
        use argon2::PasswordHasher;
        let small = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8_192, 1, 1, None).expect("in range"));
        let kept = PasswordHash(small.hash_password(b"portal-demo-2026").expect("hashes").to_string());
        assert_eq!(verify(Some(&kept), "portal-demo-2026").await.expect("verifies"), Verdict::RightButOld);
        assert_eq!(verify(Some(&kept), "wrong-password").await.expect("verifies"), Verdict::Wrong);
    }
}
