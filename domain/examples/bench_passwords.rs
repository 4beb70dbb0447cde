//! Benchmark: password hashes verified per second on all cores, with the portal's hash pool and with the argon2 crate
//! alone (one thread per core). The argument is the duration in seconds. `make bench` compares sign-ins with both.
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
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("usage: bench_passwords SECONDS");
    let duration = Duration::from_secs(seconds);
    println!("{:.2} {:.2}", with_pool(duration).await, with_argon2(duration));
}

async fn with_pool(duration: Duration) -> f64 {
    let world = World::sqlite().await;
    let ctx = world.anonymous();
    let hash = passwords::hash(&ctx, PASSWORD).await.expect("a hash");
    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let hash = hash.clone();
        tasks.spawn(async move {
            let mut done = 0_u32;
            while started.elapsed() < duration {
                passwords::verify(Some(&hash), PASSWORD).await.expect("the pool has capacity");
                done += 1;
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    // The last verifications end after `duration`.
    f64::from(done) / started.elapsed().as_secs_f64()
}

fn with_argon2(duration: Duration) -> f64 {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(32)).expect("the parameters are in range");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: PasswordHash = argon2.hash_password(PASSWORD.as_bytes()).expect("a hash");
    let started = Instant::now();
    let cores = thread::available_parallelism().expect("the number of cores").get();
    let done: u32 = thread::scope(|scope| {
        let check = || {
            let mut done = 0_u32;
            while started.elapsed() < duration {
                argon2.verify_password(PASSWORD.as_bytes(), &hash).expect("the password");
                done += 1;
            }
            done
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(check)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a count")).sum()
    });
    f64::from(done) / started.elapsed().as_secs_f64()
}
