//! Leads one pair to a judgement: asks, asks again where the answer says nothing, and counts votes.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::answer::{Answer, cut};
use crate::caller::{Caller, Cost};
use crate::client::Failure;
use crate::dialect::Dialect;
use crate::endpoint::{Endpoint, Service};
use crate::error::JudgeError;
use crate::judgement::{Judgement, Verdict};
use crate::prompt::{self, Question};
use crate::settings::Settings;

/// How often a judge is asked for one vote if its answers say nothing.
const ASKED: u32 = 3;
/// Votes would all be the same at temperature 0.
const TEMPERATURE_OF_VOTES: f64 = 0.5;

/// The judge behind an endpoint.
pub(crate) struct Asker {
    pub caller: Caller,
    endpoint: Endpoint,
    dialect: Mutex<Dialect>,
    votes: u32,
}

/// The text of a chat's answer.
struct Reply {
    text: String,
    /// Whether it ended at the cap on tokens.
    cut: bool,
    tokens: Option<u64>,
}

impl Asker {
    pub(crate) fn new(endpoint: &Endpoint, settings: &Settings) -> Result<Self, JudgeError> {
        Ok(Self {
            caller: Caller::new(endpoint, Service::Chat, settings)?,
            endpoint: endpoint.clone(),
            dialect: Mutex::default(),
            votes: settings.votes,
        })
    }

    /// Judges two texts. An error means that the server refuses everybody, not only this pair.
    pub(crate) async fn judge(&self, left: &str, right: &str) -> Result<Judgement, JudgeError> {
        let mut cost = Cost::default();
        let outcome = self.poll(left, right, &mut cost).await;
        let judgement = match outcome {
            Ok(answer) => judgement(answer),
            Err(Failure::Refused(message)) if !self.caller.pace.is_proven() => {
                return Err(JudgeError::Refused { message });
            }
            Err(failure) => Judgement::new(Verdict::Failed, None, Some(failure.message().to_owned())),
        };
        Ok(Judgement { tokens: cost.tokens, latency: cost.latency, calls: cost.calls, ..judgement })
    }

    /// Takes votes until one side has the majority.
    async fn poll(&self, left: &str, right: &str, cost: &mut Cost) -> Result<Answer, Failure> {
        let majority = self.votes / 2 + 1;
        let (mut yes, mut no) = (0, 0);
        let mut last = None;
        for _ in 0..self.votes {
            let answer = self.vote(left, right, cost).await?;
            match answer.same {
                Some(true) => yes += 1,
                Some(false) => no += 1,
                None => {}
            }
            if yes == majority || no == majority {
                return Ok(answer);
            }
            last = answer.reason.or(last);
        }
        Ok(Answer { reason: last, ..Answer::default() })
    }

    async fn vote(&self, left: &str, right: &str, cost: &mut Cost) -> Result<Answer, Failure> {
        let temperature = if self.votes == 1 { 0.0 } else { TEMPERATURE_OF_VOTES };
        let mut question = Question { model: self.endpoint.model(), left, right, temperature, again: false };
        let mut last = None;
        for _ in 0..ASKED {
            let had_room = self.dialect().thinks;
            let reply = self.ask(&question, cost).await?;
            let answer = Answer::read(&reply.text);
            if answer.same.is_some() {
                return Ok(answer);
            }
            if reply.cut && !had_room {
                self.dialect().thinks = true;
            } else {
                question.again = true;
            }
            last = cut(&reply.text).or(last);
        }
        Ok(Answer { reason: last, ..Answer::default() })
    }

    /// Asks in the dialect that the server is known to understand; one that it turns out to understand is remembered.
    async fn ask(&self, question: &Question<'_>, cost: &mut Cost) -> Result<Reply, Failure> {
        let (mut dialect, mut learnt) = (*self.dialect(), false);
        loop {
            let body = question.body(dialect);
            match self.caller.call(&body, cost, Reply::read).await {
                Ok(reply) => {
                    // The key goes before anything is cut: a cut through it would hide it from the search.
                    let reply = Reply { text: self.endpoint.redact(&reply.text), ..reply };
                    if learnt {
                        let thinks = self.dialect().thinks;
                        *self.dialect() = Dialect { thinks, ..dialect };
                    }
                    cost.tokens +=
                        reply.tokens.unwrap_or_else(|| prompt::tokens(&body.to_string()) + prompt::tokens(&reply.text));
                    return Ok(reply);
                }
                Err(Failure::Rejected(complaint)) => {
                    dialect = dialect.after(&complaint).ok_or(Failure::Rejected(complaint))?;
                    learnt = true;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    fn dialect(&self) -> std::sync::MutexGuard<'_, Dialect> {
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reply {
    /// Finds the text in a chat's answer; nothing if it is no such answer. A model may well say nothing.
    fn read(value: &Value) -> Option<Self> {
        let choice = value.pointer("/choices/0")?;
        let content = choice.get("message")?.get("content");
        let parts = content.and_then(Value::as_array).into_iter().flatten();
        let text = content.and_then(Value::as_str).map_or_else(
            || parts.filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n"),
            str::to_owned,
        );
        let cut = choice.get("finish_reason").and_then(Value::as_str) == Some("length");
        Some(Self { text, cut, tokens: value.pointer("/usage/total_tokens").and_then(Value::as_u64) })
    }
}

fn judgement(answer: Answer) -> Judgement {
    let verdict = match answer.same {
        Some(true) => Verdict::Same,
        Some(false) => Verdict::Different,
        None => Verdict::Undecided,
    };
    Judgement { raw: answer.raw, ..Judgement::new(verdict, answer.confidence, answer.reason) }
}
