//! Scorers that seem to work, each with a fault that only a check finds.
#![allow(clippy::unwrap_used, reason = "it is careless")]

mod odd_params;

use std::fs;
use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use autoscorer_plugin_api::prelude::*;
use odd_params::{AnyParams, NoProperties, Stubborn, Undescribed, Unset, Untyped};

type Deed = fn(&Context<'_>) -> Result<f64, ScoreError>;

/// A scorer from a name and what it does, in `validate` and in `score`.
macro_rules! careless {
    ($name:ident, $id:literal, $summary:literal, $params:ty, $deed:expr) => {
        careless!(@ $name, $id, $summary, $params, $deed, $deed);
    };
    (@ $name:ident, $id:literal, $summary:literal, $params:ty, $validate:expr, $score:expr) => {
        struct $name;

        impl Scorer for $name {
            const ABOUT: About = About { id: $id, version: "1.0.0", summary: $summary, algorithm: "None" };
            type Params = $params;

            fn validate(&self, ctx: &Context<'_>, _: &Self::Params) -> Faults {
                let deed: Deed = $validate;
                deed(ctx).err().map_or_else(Faults::none, Faults::from)
            }

            fn score(&self, ctx: &Context<'_>, _: &Self::Params) -> Result<Outcome, ScoreError> {
                let deed: Deed = $score;
                Ok(Outcome::new("deed", deed(ctx)?, Direction::Higher))
            }
        }
    };
}

/// The same for what takes long, in `score` only.
macro_rules! slow {
    ($name:ident, $id:literal, $summary:literal, $deed:expr) => {
        careless!(@ $name, $id, $summary, NoParams, |_| Ok(0.0), $deed);
    };
}

careless!(Clock, "careless_clock", "Reads the clock", NoParams, |_| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Ok(now.map_or(0.0, |now| f64::from(now.subsec_nanos())))
});

careless!(Process, "careless_process", "Is another one in every process", NoParams, |_| Ok(std::process::id().into()));

careless!(Leak, "careless_leak", "Never frees", NoParams, |_| {
    black_box(Box::leak(vec![1_u8; 64 << 10].into_boxed_slice()));
    Ok(1.0)
});

careless!(Index, "careless_index", "Takes the second line for granted", NoParams, |ctx| {
    let text = ctx.read_text("input/gt.csv")?;
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[1].len() as f64)
});

careless!(Large, "careless_large", "Has never seen a large file", NoParams, |ctx| {
    let size = ctx.read_text("input/gt.csv")?.len();
    Ok(f64::from(u16::try_from(size / 100).unwrap()))
});

careless!(Ascii, "careless_ascii", "Takes bytes for letters", NoParams, |ctx| {
    Ok(ctx.read_text("input/gt.csv")?.lines().filter(|line| line.len() > 1 && &line[..1] == "1").count() as f64)
});

careless!(Trusting, "careless_trusting", "Takes files for text", NoParams, |ctx| {
    let bytes = fs::read(ctx.input("gt.csv")).unwrap_or_default();
    Ok(String::from_utf8(bytes).unwrap().len() as f64)
});

careless!(Unable, "careless_unable", "Scores nothing", NoParams, |_| {
    Err(ScoreError::new(ErrorCode::ScoreError, "nothing is good enough").hint("try something else"))
});

careless!(Litter, "careless_litter", "Writes what it does not list", NoParams, |ctx| {
    _ = fs::write(ctx.output("notes.txt"), "mine");
    Ok(1.0)
});

careless!(Vandal, "careless_vandal", "Changes what it was given", NoParams, |ctx| {
    _ = fs::write(ctx.output("pred.csv"), "id,label\n1,mine\n");
    Ok(1.0)
});

careless!(Boast, "careless_boast", "Cuts an artifact after it was listed", NoParams, |ctx| {
    ctx.artifact("real.txt", "text/plain", |file| write!(file, "four"))?;
    for folder in fs::read_dir(ctx.output("")).into_iter().flatten().flatten() {
        let file = folder.path().join("real.txt");
        if file.exists() {
            _ = fs::write(file, "cut");
        }
    }
    Ok(1.0)
});

slow!(Deaf, "careless_deaf", "Does not hear the word to stop", |_| {
    sleep(Duration::from_millis(1200));
    Ok(1.0)
});

slow!(HalfDeaf, "careless_half_deaf", "Hears at first, and later no more", |ctx| {
    hearing(ctx, Duration::from_millis(500))?;
    sleep(Duration::from_millis(700));
    Ok(1.0)
});

slow!(Steady, "careless_steady", "Takes its time, whatever the input", |ctx| {
    hearing(ctx, Duration::from_millis(150))?;
    Ok(1.0)
});

fn hearing(ctx: &Context<'_>, time: Duration) -> Result<(), ScoreError> {
    let start = Instant::now();
    while start.elapsed() < time {
        ctx.check()?;
        sleep(Duration::from_millis(1));
    }
    Ok(())
}

careless!(Any, "careless_any", "Takes any parameter", AnyParams, |_| Ok(1.0));
careless!(Refuses, "careless_refuses", "Refuses its own defaults", Stubborn, |_| Ok(1.0));
careless!(Mute, "careless_mute", "Does not describe a parameter", Undescribed, |_| Ok(1.0));
careless!(Open, "careless_open", "Has a parameter without a default", Unset, |_| Ok(1.0));
careless!(Vague, "careless_vague", "Has a parameter without a type", Untyped, |_| Ok(1.0));
careless!(Bare, "careless_bare", "Has a schema without properties", NoProperties, |_| Ok(1.0));

export_scorers!(
    Clock, Process, Leak, Index, Large, Ascii, Trusting, Unable, Litter, Vandal, Boast, Deaf, HalfDeaf, Steady, Any,
    Refuses, Mute, Open, Vague, Bare
);
