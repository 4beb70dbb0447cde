//! How many password checks this machine does a second on all its cores, for as many seconds as it is told: on the
//! portal's own pool, and by the library alone in a thread for each core. `make bench` holds sign-ins against both.
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version, password_hash::phc::PasswordHash};
use domain::{
    accounts::auth::passwords::{self, LANES, MEMORY_KIB, PASSES},
    testing::World,
};
use std::{
    thread,
    time::{Duration, Instant},
};

const PASSWORD: &str = "portal-demo-2026";

#[tokio::main]
async fn main() {
    let seconds = std::env::args().nth(1).and_then(|told| told.parse().ok()).expect("how many seconds");
    let length = Duration::from_secs(seconds);
    println!("{:.2} {:.2}", on_our_pool(length).await, by_the_library(length));
}

async fn on_our_pool(length: Duration) -> f64 {
    let world = World::sqlite().await;
    let ctx = world.nobody();
    let hash = passwords::hash(&ctx, PASSWORD).await.expect("a hash");
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let hash = hash.clone();
        tasks.spawn(async move {
            let mut done = 0_u32;
            while begun.elapsed() < length {
                passwords::verify(Some(&hash), PASSWORD).await.expect("a turn in the pool");
                done += 1;
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    // The last ones end a little later.
    f64::from(done) / begun.elapsed().as_secs_f64()
}

fn by_the_library(length: Duration) -> f64 {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(32)).expect("the parameters are in range");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: PasswordHash = argon2.hash_password(PASSWORD.as_bytes()).expect("a hash");
    let begun = Instant::now();
    let cores = thread::available_parallelism().expect("the number of cores").get();
    let done: u32 = thread::scope(|scope| {
        let check = || {
            let mut done = 0_u32;
            while begun.elapsed() < length {
                argon2.verify_password(PASSWORD.as_bytes(), &hash).expect("the password");
                done += 1;
            }
            done
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(check)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a count")).sum()
    });
    f64::from(done) / begun.elapsed().as_secs_f64()
}
