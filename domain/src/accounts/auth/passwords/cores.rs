//! Hashing leaves a core to whoever else wants it, soon. On Linux a low priority alone does not: since 6.6 a thread
//! that was let at a core keeps it for its slice, which since 6.12 it may choose, and since 6.13 the kernel may tell it to
//! leave only at the next interrupt, which is a tick of 4 ms. So slices are short here, and interrupts frequent while
//! hashes have all cores.
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Thread,
};

/// The cores that threads hash on.
#[derive(Debug, Default)]
pub(super) struct Cores {
    /// How many hashes have them all.
    all: usize,
    hashing: AtomicUsize,
    /// One thread on each core.
    looking: OnceLock<Vec<Thread>>,
    #[cfg(all(test, target_os = "linux"))]
    looks: AtomicUsize,
}

/// A core that a hash has until this is dropped.
#[derive(Debug)]
pub(super) struct Taken<'c>(&'c Cores);

impl Cores {
    /// Those of this machine, for as many threads as `all`. Where these are fewer than the cores, whoever else comes is
    /// put on another.
    pub(super) fn of_this_machine(all: usize) -> Arc<Self> {
        let cores = Arc::new(Self { all, ..Self::default() });
        #[cfg(target_os = "linux")]
        {
            let own = linux::own();
            let looking = if own.len() > all { Vec::new() } else { linux::look(&cores, own) };
            let _ = cores.looking.set(looking);
        }
        cores
    }

    pub(super) fn take(&self) -> Taken<'_> {
        if self.hashing.fetch_add(1, Ordering::AcqRel) + 1 == self.all {
            self.looking.get().into_iter().flatten().for_each(Thread::unpark);
        }
        Taken(self)
    }

    #[cfg(target_os = "linux")]
    fn are_all_taken(&self) -> bool {
        self.hashing.load(Ordering::Acquire) >= self.all
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.hashing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Lets every other thread of the machine go first. On Linux each thread has its own niceness.
pub(super) fn yield_to_others() {
    #[cfg(target_os = "linux")]
    match rustix::process::nice(10) {
        Ok(nice) => {
            if let Err(error) = linux::shorten_slice(nice) {
                tracing::debug!(%error, "passwords are hashed in slices as long as those of others");
            }
        }
        Err(error) => tracing::debug!(%error, "passwords are hashed at full priority"),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Cores;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::{
        io,
        sync::Arc,
        thread::{self, Thread},
        time::Duration,
    };

    /// How long a hash may keep a core that another thread wants: the shortest that Linux knows.
    const SLICE: Duration = Duration::from_micros(100);
    /// How often each core looks who else wants it.
    const LOOK: Duration = Duration::from_micros(1_000);

    /// The cores that this process may use.
    pub fn own() -> Vec<usize> {
        sched_getaffinity(None)
            .map(|own| (0..CpuSet::MAX_CPU).filter(|core| own.is_set(*core)).collect())
            .unwrap_or_default()
    }

    /// A thread on each of these, which interrupts what is there now and then while all are taken.
    pub fn look(cores: &Arc<Cores>, on: Vec<usize>) -> Vec<Thread> {
        let on = on.into_iter().filter_map(|core| {
            let cores = cores.clone();
            let thread = thread::Builder::new().name("password-look".to_owned());
            thread.spawn(move || look_for_ever(&cores, core)).ok()
        });
        on.map(|handle| handle.thread().clone()).collect()
    }

    fn look_for_ever(cores: &Cores, core: usize) {
        let mut here = CpuSet::new();
        here.set(core);
        if let Err(error) = sched_setaffinity(None, &here) {
            tracing::debug!(%error, core, "a core is left to passwords until the kernel's next tick");
            return;
        }
        loop {
            if cores.are_all_taken() {
                thread::sleep(LOOK);
                #[cfg(test)]
                cores.looks.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
            } else {
                thread::park();
            }
        }
    }

    /// For this thread, which keeps its niceness and whatever else the portal was started with.
    #[expect(unsafe_code, reason = "no library has this call")]
    pub fn shorten_slice(nice: i32) -> io::Result<()> {
        let mut attributes = libc::sched_attr {
            size: u32::try_from(size_of::<libc::sched_attr>()).map_err(io::Error::other)?,
            sched_policy: 0,
            sched_flags: u64::try_from(libc::SCHED_FLAG_KEEP_POLICY).map_err(io::Error::other)?,
            sched_nice: nice,
            sched_priority: 0,
            sched_runtime: u64::try_from(SLICE.as_nanos()).map_err(io::Error::other)?,
            sched_deadline: 0,
            sched_period: 0,
        };
        let (this_thread, flags): (libc::c_long, libc::c_long) = (0, 0);
        // SAFETY: the kernel reads as many bytes as `size` says, and where it knows fewer it writes how many to `size`; the
        // value is as long, may be written, and outlives the call.
        let answer = unsafe { libc::syscall(libc::SYS_sched_setattr, this_thread, &raw mut attributes, flags) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::{
        thread,
        time::{Duration, Instant},
    };

    /// Waits until `done`.
    fn until(what: &str, mut done: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until nobody looks any more, and says how often anybody did.
    fn settled(cores: &Cores) -> usize {
        let looks = || cores.looks.load(Ordering::Acquire);
        until("nobody looks any more", || {
            let before = looks();
            thread::sleep(Duration::from_millis(50));
            looks() == before
        });
        looks()
    }

    #[test]
    fn cores_look_around_while_all_are_taken_and_at_no_other_time() {
        let own = linux::own();
        let cores = Cores::of_this_machine(own.len());
        assert_eq!(cores.looking.get().map(Vec::len), Some(own.len()));
        let mut taken: Vec<_> = own.iter().skip(1).map(|_| cores.take()).collect();
        assert_eq!(settled(&cores), 0, "one is free");
        taken.push(cores.take());
        until("all look", || cores.looks.load(Ordering::Acquire) > 20);
        taken.pop();
        settled(&cores);
        let fewer = Cores::of_this_machine(own.len() - 1);
        assert_eq!(fewer.looking.get().map(Vec::len), Some(0), "another is free");
    }

    #[test]
    fn a_hash_has_a_short_slice() {
        let schedule = thread::spawn(|| {
            yield_to_others();
            std::fs::read_to_string("/proc/thread-self/sched").unwrap_or_default()
        })
        .join()
        .expect("a thread");
        // Not every Linux has slices, or shows them.
        let slice = schedule.lines().find(|line| line.starts_with("se.slice"));
        let slice = slice.and_then(|line| line.split(' ').next_back());
        assert!(slice.is_none_or(|nanoseconds| nanoseconds == "100000"), "{slice:?}");
    }
}
