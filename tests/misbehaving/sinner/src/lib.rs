//! A scorer for each thing that foreign code should not do to its host.
#![allow(clippy::print_stdout, reason = "that is one of the sins")]

use std::fs;
use std::hint::black_box;
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::process::Command;
use std::time::Duration;

use autoscorer_plugin_api::prelude::*;

/// A scorer from a name and what it does.
macro_rules! sin {
    ($name:ident, $id:literal, $deed:expr) => {
        struct $name;

        impl Scorer for $name {
            const ABOUT: About = About { id: $id, version: "1.0.0", summary: "Sins", algorithm: "None" };
            type Params = NoParams;

            fn score(&self, ctx: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
                let deed: fn(&Context<'_>) -> Result<f64, std::io::Error> = $deed;
                match deed(ctx) {
                    Ok(value) => Ok(Outcome::new("deed", value, Direction::Higher)),
                    Err(error) => Err(ScoreError::new(ErrorCode::ScoreError, error.to_string())),
                }
            }
        }
    };
}

sin!(Segfault, "sin_segfault", |ctx| {
    ctx.log(Level::Info, "about to write to nowhere");
    #[allow(unsafe_code)]
    // SAFETY: there is none; a segmentation fault is what this scorer is for.
    unsafe {
        std::ptr::without_provenance_mut::<u8>(8).write_volatile(1);
    }
    Ok(0.0)
});

sin!(Abort, "sin_abort", |_| {
    println!("printed before the abort");
    std::process::abort()
});

sin!(Exit, "sin_exit", |_| std::process::exit(0));

sin!(StackOverflow, "sin_stack_overflow", |_| Ok(deeper(1)));

#[allow(unconditional_recursion, reason = "that is its sin")]
fn deeper(depth: u64) -> f64 {
    let frame = black_box([depth; 512]);
    deeper(depth + 1) + frame[0] as f64
}

sin!(Spin, "sin_spin", |_| {
    loop {
        black_box(());
    }
});

sin!(Sleep, "sin_sleep", |_| {
    std::thread::sleep(Duration::from_secs(100_000));
    Ok(0.0)
});

sin!(Allocate, "sin_allocate", |_| {
    let mut hoard = Vec::new();
    loop {
        hoard.push(black_box(vec![1_u8; 1 << 20]));
    }
});

sin!(WriteOne, "sin_write_one", |ctx| {
    let mut file = fs::File::create(ctx.output("endless.bin"))?;
    let block = vec![7; 1 << 20];
    loop {
        file.write_all(&block)?;
    }
});

sin!(WriteMany, "sin_write_many", |ctx| {
    for number in 0_u64.. {
        let written = ctx.artifact(&format!("{number}.txt"), "text/plain", |file| file.write_all(b"more"));
        written.map_err(std::io::Error::other)?;
    }
    Ok(0.0)
});

sin!(Fork, "sin_fork", |_| {
    let mut children = Vec::new();
    for _ in 0..100 {
        children.push(Command::new("sleep").arg("100000").spawn()?);
    }
    Ok(children.len() as f64)
});

sin!(Print, "sin_print", |_| {
    for number in 0_u64.. {
        println!("line {number} of far too many");
    }
    Ok(0.0)
});

sin!(Threads, "sin_threads", |_| {
    let idle = || loop {
        std::thread::park();
    };
    while std::thread::Builder::new().spawn(idle).is_ok() {}
    idle()
});

sin!(OpenFiles, "sin_open_files", |_| {
    let mut files = Vec::new();
    loop {
        files.push(fs::File::open("/dev/null")?);
    }
});

sin!(WriteOutside, "sin_write_outside", |ctx| {
    fs::write(ctx.workspace().join("input/gt.csv"), "id,label\n1,forged\n")?;
    Ok(1.0)
});

sin!(Remove, "sin_remove", |ctx| {
    fs::remove_file(ctx.workspace().join("meta.json"))?;
    Ok(1.0)
});

sin!(Network, "sin_network", |_| {
    let reached = TcpListener::bind("127.0.0.1:0").is_ok() || UdpSocket::bind("127.0.0.1:0").is_ok();
    Ok(f64::from(u8::from(reached)))
});

sin!(KillHost, "sin_kill_host", |_| {
    let parent = fs::read_to_string("/proc/self/stat")?.split(' ').nth(3).unwrap_or_default().to_owned();
    #[allow(unsafe_code)]
    unsafe extern "C" {
        fn kill(process: i32, signal: i32) -> i32;
    }
    let parent = parent.parse().map_err(std::io::Error::other)?;
    #[allow(unsafe_code)]
    // SAFETY: a system call with two numbers.
    let answer = unsafe { kill(parent, 9) };
    if answer == 0 { Ok(1.0) } else { Err(std::io::Error::last_os_error()) }
});

/// Sins before it scores.
struct Validate;

impl Scorer for Validate {
    const ABOUT: About = About { id: "sin_validate", version: "1.0.0", summary: "Sins", algorithm: "None" };
    type Params = NoParams;

    fn validate(&self, _: &Context<'_>, _: &NoParams) -> Faults {
        loop {
            black_box(());
        }
    }

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        println!("printed by a scorer that succeeds");
        Ok(Outcome::new("deed", 0.0, Direction::Higher))
    }
}

export_scorers!(
    Validate,
    Segfault,
    Abort,
    Exit,
    StackOverflow,
    Spin,
    Sleep,
    Allocate,
    WriteOne,
    WriteMany,
    Fork,
    Print,
    Threads,
    OpenFiles,
    WriteOutside,
    Remove,
    Network,
    KillHost
);
