//! Preemption of hash threads. A low priority alone is not enough on Linux: since 6.6 a running thread keeps its core
//! for a slice (adjustable since 6.12), and since 6.13 it is preempted at the next tick only, up to 4 ms later. So
//! slices are short here, and while hashes occupy all cores a timer interrupts each.
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Thread,
};

/// Cores occupied by hash threads.
#[derive(Debug, Default)]
pub(super) struct HashCores {
    /// Number of hash threads that occupies all cores.
    all: usize,
    hashing: AtomicUsize,
    /// One thread per core.
    preempters: OnceLock<Vec<Thread>>,
    #[cfg(all(test, target_os = "linux"))]
    preemptions: AtomicUsize,
}

/// Occupies a core until dropped.
#[derive(Debug)]
pub(super) struct CoreGuard<'c>(&'c HashCores);

impl HashCores {
    /// Starts preempters on the cores of this process, unless there are more cores than hash threads: others then run
    /// elsewhere.
    pub(super) fn detect(all: usize) -> Arc<Self> {
        let cores = Arc::new(Self { all, ..Self::default() });
        #[cfg(target_os = "linux")]
        {
            let own = linux::allowed_cores();
            let preempters = if own.len() > all { Vec::new() } else { linux::spawn_preempters(&cores, own) };
            let _ = cores.preempters.set(preempters);
        }
        cores
    }

    pub(super) fn acquire(&self) -> CoreGuard<'_> {
        if self.hashing.fetch_add(1, Ordering::AcqRel) + 1 == self.all {
            self.preempters.get().into_iter().flatten().for_each(Thread::unpark);
        }
        CoreGuard(self)
    }

    #[cfg(target_os = "linux")]
    fn are_all_busy(&self) -> bool {
        self.hashing.load(Ordering::Acquire) >= self.all
    }
}

impl Drop for CoreGuard<'_> {
    fn drop(&mut self) {
        self.0.hashing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Gives every other thread priority. On Linux niceness is per thread.
pub(super) fn yield_to_others() {
    #[cfg(target_os = "linux")]
    match rustix::process::nice(10) {
        Ok(nice) => {
            if let Err(error) = linux::shorten_slice(nice) {
                tracing::debug!(%error, "could not shorten the scheduler slice of hash threads");
            }
        }
        Err(error) => tracing::debug!(%error, "could not lower the priority of hash threads"),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::HashCores;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::{
        io,
        sync::Arc,
        thread::{self, Thread},
        time::Duration,
    };

    /// Longest time on a core that another thread waits for: Linux's minimum.
    const SCHED_SLICE: Duration = Duration::from_micros(100);
    /// Interval of interrupts on each core.
    const PREEMPT_INTERVAL: Duration = Duration::from_micros(1_000);

    /// Cores that this process may use.
    pub fn allowed_cores() -> Vec<usize> {
        sched_getaffinity(None)
            .map(|own| (0..CpuSet::MAX_CPU).filter(|core| own.is_set(*core)).collect())
            .unwrap_or_default()
    }

    /// Starts a thread on each core that wakes at intervals while all cores are occupied.
    pub fn spawn_preempters(cores: &Arc<HashCores>, on: Vec<usize>) -> Vec<Thread> {
        let on = on.into_iter().filter_map(|core| {
            let cores = cores.clone();
            let thread = thread::Builder::new().name("password-look".to_owned());
            thread.spawn(move || preempt_loop(&cores, core)).ok()
        });
        on.map(|handle| handle.thread().clone()).collect()
    }

    fn preempt_loop(cores: &HashCores, core: usize) {
        let mut here = CpuSet::new();
        here.set(core);
        if let Err(error) = sched_setaffinity(None, &here) {
            tracing::debug!(%error, core, "could not pin a preempter to its core");
            return;
        }
        loop {
            if cores.are_all_busy() {
                thread::sleep(PREEMPT_INTERVAL);
                #[cfg(test)]
                cores.preemptions.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
            } else {
                thread::park();
            }
        }
    }

    /// Sets the slice of this thread; its niceness stays.
    #[expect(unsafe_code, reason = "no library has this call")]
    pub fn shorten_slice(nice: i32) -> io::Result<()> {
        let mut attributes = libc::sched_attr {
            size: u32::try_from(size_of::<libc::sched_attr>()).map_err(io::Error::other)?,
            sched_policy: 0,
            sched_flags: u64::try_from(libc::SCHED_FLAG_KEEP_POLICY).map_err(io::Error::other)?,
            sched_nice: nice,
            sched_priority: 0,
            sched_runtime: u64::try_from(SCHED_SLICE.as_nanos()).map_err(io::Error::other)?,
            sched_deadline: 0,
            sched_period: 0,
        };
        let (this_thread, flags): (libc::c_long, libc::c_long) = (0, 0);
        // SAFETY: the kernel reads as many bytes as `size` says and writes back at most that; the value is that long,
        // writable and outlives the call.
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

    /// Waits until preemptions stop and returns their number.
    fn preemptions_when_quiet(cores: &HashCores) -> usize {
        let preemptions = || cores.preemptions.load(Ordering::Acquire);
        until("preemptions stop", || {
            let before = preemptions();
            thread::sleep(Duration::from_millis(50));
            preemptions() == before
        });
        preemptions()
    }

    #[test]
    fn preempters_run_only_while_all_cores_are_busy() {
        let own = linux::allowed_cores();
        let cores = HashCores::detect(own.len());
        assert_eq!(cores.preempters.get().map(Vec::len), Some(own.len()));
        let mut taken: Vec<_> = own.iter().skip(1).map(|_| cores.acquire()).collect();
        assert_eq!(preemptions_when_quiet(&cores), 0, "one is free");
        taken.push(cores.acquire());
        until("all look", || cores.preemptions.load(Ordering::Acquire) > 20);
        taken.pop();
        preemptions_when_quiet(&cores);
        let fewer = HashCores::detect(own.len() - 1);
        assert_eq!(fewer.preempters.get().map(Vec::len), Some(0), "another is free");
    }

    #[test]
    fn hash_threads_have_a_short_slice() {
        let schedule = thread::spawn(|| {
            yield_to_others();
            std::fs::read_to_string("/proc/thread-self/sched").unwrap_or_default()
        })
        .join()
        .expect("a thread");
        // Not every kernel has slices or shows them.
        let slice = schedule.lines().find(|line| line.starts_with("se.slice"));
        let slice = slice.and_then(|line| line.split(' ').next_back());
        assert!(slice.is_none_or(|nanoseconds| nanoseconds == "100000"), "{slice:?}");
    }
}
