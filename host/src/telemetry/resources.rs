//! What a job has used: CPU time of its thread, and the largest memory of the process.

use std::io::Read;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The CPU time this thread has used so far.
pub fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// The most memory this process has had resident, in MiB, where the system tells.
pub fn peak_memory_mb() -> Option<f64> {
    // In one piece: the system makes the text anew for every read.
    let mut text = [0; 4096];
    let read = std::fs::File::open("/proc/self/status").ok()?.read(&mut text).ok()?;
    let status = String::from_utf8_lossy(&text[..read]);
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}
