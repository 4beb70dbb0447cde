//! How many password checks this machine does a second on all its cores, for as many seconds as it is told: what
//! `make bench` holds sign-ins against.
use domain::{auth::passwords, testing::World};
use std::time::{Duration, Instant};

#[tokio::main]
async fn main() {
    let world = World::sqlite().await;
    let ctx = world.nobody();
    let hash = passwords::hash(&ctx, "portal-demo-2026").await.expect("a hash");
    let begun = Instant::now();
    let seconds = std::env::args().nth(1).and_then(|told| told.parse().ok()).expect("how many seconds");
    let end = begun + Duration::from_secs(seconds);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let hash = hash.clone();
        tasks.spawn(async move {
            let mut done = 0_u32;
            while Instant::now() < end {
                passwords::verify(Some(&hash), "portal-demo-2026").await.expect("a turn in the pool");
                done += 1;
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    // The last ones end a little later.
    println!("{:.2}", f64::from(done) / begun.elapsed().as_secs_f64());
}
