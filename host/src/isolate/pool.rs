//! The warm workers of one library: started on demand, up to a cap, reused, and ended when idle for long.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::{Condvar, Mutex};

use super::worker::{Call, Setup, StartError, Worker};

/// A worker that nobody has needed for this long is ended.
const IDLE: Duration = Duration::from_secs(10);

/// How often a call that waits for a worker looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(50);

/// The workers of one library.
pub struct Pool {
    library: PathBuf,
    setup: Setup,
    cap: usize,
    workers: Mutex<Workers>,
    returned: Condvar,
}

#[derive(Default)]
struct Workers {
    idle: Vec<(Worker, Instant)>,
    /// Idle or at work.
    count: usize,
}

impl Pool {
    /// A pool for the library at this path. A worker that has tried the library out is its first one.
    pub fn new(library: PathBuf, setup: Setup, cap: usize, first: Option<Worker>) -> Arc<Self> {
        let idle: Vec<_> = first.map(|worker| (worker, Instant::now())).into_iter().collect();
        let workers = Mutex::new(Workers { count: idle.len(), idle });
        let pool = Arc::new(Self { library, setup, cap, workers, returned: Condvar::new() });
        janitor::look_after(&pool);
        pool
    }

    /// Does a call on one of the workers. One that fails is not used again.
    pub fn call(&self, call: &Call<'_>) -> Result<Result<String, String>, PoolError> {
        let mut worker = self.take(call.cancelled)?;
        match worker.call(call) {
            Ok(reply) => {
                self.give_back(worker);
                Ok(reply)
            }
            Err(error) => {
                drop(worker);
                self.forget_one();
                Err(PoolError::Failed(error))
            }
        }
    }

    /// The memory of the workers that are idle, in bytes; `None` where there is none.
    pub fn resident(&self) -> Option<u64> {
        self.workers.lock().idle.iter().map(|(worker, _)| worker.resident()).sum::<Option<u64>>().filter(|sum| *sum > 0)
    }

    fn take(&self, cancelled: &dyn Fn() -> bool) -> Result<Worker, PoolError> {
        let mut workers = self.workers.lock();
        loop {
            if let Some((worker, _)) = workers.idle.pop() {
                return Ok(worker);
            }
            if workers.count < self.cap {
                workers.count += 1;
                break;
            }
            if cancelled() {
                let message = "the job was cancelled while it waited for a free worker";
                return Err(PoolError::Failed(ScoreError::new(ErrorCode::Cancelled, message)));
            }
            self.returned.wait_for(&mut workers, TICK);
        }
        drop(workers);
        Worker::start(&self.library, &self.setup).inspect_err(|_| self.forget_one()).map_err(PoolError::NoWorker)
    }

    fn give_back(&self, worker: Worker) {
        self.workers.lock().idle.push((worker, Instant::now()));
        self.returned.notify_one();
    }

    fn forget_one(&self) {
        self.workers.lock().count -= 1;
        self.returned.notify_one();
    }

    /// Ends the workers that nobody has needed for long.
    fn end_idle(&self) {
        let mut workers = self.workers.lock();
        let (stay, go): (Vec<_>, Vec<_>) = workers.idle.drain(..).partition(|(_, since)| since.elapsed() < IDLE);
        workers.idle = stay;
        workers.count -= go.len();
        drop(workers);
        drop(go);
    }
}

/// Why a call has no answer.
#[derive(Debug)]
pub enum PoolError {
    /// No worker could be started.
    NoWorker(StartError),
    /// The worker did not survive the call.
    Failed(ScoreError),
}

/// One thread that looks after all pools.
mod janitor {
    use super::{Arc, Duration, Mutex, Pool, Weak};
    use std::sync::Once;

    static POOLS: Mutex<Vec<Weak<Pool>>> = Mutex::new(Vec::new());

    pub(super) fn look_after(pool: &Arc<Pool>) {
        static STARTED: Once = Once::new();
        POOLS.lock().push(Arc::downgrade(pool));
        STARTED.call_once(|| {
            std::thread::spawn(|| {
                loop {
                    std::thread::sleep(Duration::from_secs(1));
                    let pools: Vec<Arc<Pool>> = POOLS.lock().iter().filter_map(Weak::upgrade).collect();
                    pools.iter().for_each(|pool| pool.end_idle());
                    drop(pools);
                    POOLS.lock().retain(|pool| pool.strong_count() > 0);
                }
            });
        });
    }
}
