//! What a job has used: CPU time of its thread or process, and the largest memory of the process.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The CPU time this thread has used so far.
pub fn thread_cpu_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

/// The CPU time that all threads of this process have used so far.
pub fn process_cpu_time() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// The most memory this process has had resident, in MiB, where the system tells; since [`forget_peak_memory`], if that was
/// asked for.
pub fn peak_memory_mb() -> Option<f64> {
    // Finding the file costs more than reading it.
    static STATUS: OnceLock<Option<File>> = OnceLock::new();
    let status = STATUS.get_or_init(|| File::open("/proc/self/status").ok());
    // In one piece: the system makes the text anew for every read.
    let mut text = [0; 4096];
    let read = status.as_ref()?.read_at(&mut text, 0).ok()?;
    let status = String::from_utf8_lossy(&text[..read]);
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// From here on the peak counts anew. The file has to be opened before the process confines itself.
pub fn forget_peak_memory(file: &File) {
    // Where the system cannot, the peak is that of the process so far.
    _ = file.write_at(b"5", 0);
}

/// The file that [`forget_peak_memory`] writes to, where the system has it.
pub fn peak_memory_file() -> Option<File> {
    File::options().write(true).open("/proc/self/clear_refs").ok()
}
