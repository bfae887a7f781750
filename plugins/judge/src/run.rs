//! A run: takes pairs from a plan, keeps the slots filled, and hands judgements back.

use crate::error::JudgeError;
use crate::judgement::Judgement;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::usage::{Progress, Usage};

/// Judges all pairs of a plan. Blocks until nothing is in flight and the plan has no further pair, or until `stop` says so.
pub fn judge(
    plan: &mut dyn Plan,
    settings: &Settings,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<Usage, JudgeError> {
    settings.check()?;
    settings.need_llm()?;
    let mut usage = Usage::default();
    while let Some(pair) = plan.next().filter(|_| !stop()) {
        let judgement = Judgement::failed("no calls are made yet");
        usage.count(&judgement);
        plan.take(pair, &judgement);
        progress(&Progress::default());
    }
    Ok(usage)
}
