//! The metrics of the daemon, as Prometheus reads them.

use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use autoscorer_plugin_api::error::ErrorCode;
use parking_lot::Mutex;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::queue::{Counts, Moment, State};
use crate::registry::What;
use crate::save::ResultFile;

/// Versions come and go for months; beyond so many, all further ones are counted together.
const MOST_SCORERS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Scorer {
    scorer: String,
    version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InState {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

type Seconds = Gauge<f64, AtomicU64>;

/// Everything that is counted.
pub struct Metrics {
    registry: Registry,
    calls: Family<Call, Counter>,
    call_seconds: Family<Route, Histogram>,
    connections: Gauge,
    score_seconds: Family<Scorer, Histogram>,
    score_errors: Family<Scorer, Counter>,
    crashes: Counter,
    ended: Family<InState, Counter>,
    jobs: Family<InState, Gauge>,
    queue_age: Seconds,
    owed: Gauge,
    running: Gauge,
    libraries: Family<Kind, Counter>,
    seen: Mutex<HashSet<Scorer>>,
}

impl Default for Metrics {
    fn default() -> Self {
        let seconds = || Histogram::new(exponential_buckets(0.000_5, 4.0, 10));
        let mut metrics = Self {
            registry: Registry::with_prefix("autoscorer"),
            calls: Family::default(),
            call_seconds: Family::new_with_constructor(seconds),
            connections: Gauge::default(),
            score_seconds: Family::new_with_constructor(seconds),
            score_errors: Family::default(),
            crashes: Counter::default(),
            ended: Family::default(),
            jobs: Family::default(),
            queue_age: Seconds::default(),
            owed: Gauge::default(),
            running: Gauge::default(),
            libraries: Family::default(),
            seen: Mutex::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("http_requests", "Requests by route and status", self.calls.clone());
        registry.register("http_request_seconds", "Time until an answer began", self.call_seconds.clone());
        registry.register("http_connections", "Connections that are open", self.connections.clone());
        registry.register("score_seconds", "Time a score took", self.score_seconds.clone());
        registry.register("score_errors", "Scores that failed", self.score_errors.clone());
        registry.register("scorer_crashes", "Scorers whose process died or that panicked", self.crashes.clone());
        registry.register("jobs_ended", "Jobs that have ended since the start", self.ended.clone());
        registry.register("jobs", "Jobs by state", self.jobs.clone());
        registry.register("queue_age_seconds", "How long the first in the queue has waited", self.queue_age.clone());
        registry.register("callbacks_owed", "Callbacks that are not delivered yet", self.owed.clone());
        registry.register("jobs_running_here", "Jobs that run in this process", self.running.clone());
        registry.register("libraries", "What happened to libraries of scorers", self.libraries.clone());
    }

    /// A request was answered.
    pub fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let call = Call { method: method.to_owned(), route: route.to_owned(), status };
        self.calls.get_or_create(&call).inc();
        self.call_seconds.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// Something was scored, or not.
    pub fn scored(&self, result: &ResultFile) {
        let of = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        let scorer =
            self.bounded(Scorer { scorer: of(&result.versioning.scorer), version: of(&result.versioning.version) });
        self.score_seconds.get_or_create(&scorer).observe(result.timing.total_time);
        if let Some(error) = &result.error {
            self.score_errors.get_or_create(&scorer).inc();
            if matches!(error.code, ErrorCode::ScorerCrashed | ErrorCode::ScorerPanic) {
                self.crashes.inc();
            }
        }
    }

    fn bounded(&self, scorer: Scorer) -> Scorer {
        let mut seen = self.seen.lock();
        if seen.contains(&scorer) || seen.len() < MOST_SCORERS {
            seen.insert(scorer.clone());
            return scorer;
        }
        Scorer { scorer: "other".to_owned(), version: "other".to_owned() }
    }

    /// A job has ended like this.
    pub fn job_ended(&self, state: State) {
        self.ended.get_or_create(&InState { state: state.as_str() }).inc();
    }

    /// Something happened to a library.
    pub fn library(&self, what: &What) {
        let kind = match what {
            What::Found { .. } => "found",
            What::Refused(_) => "refused",
            What::Live(_) => "live",
            What::Shadowed { .. } => "shadowed",
            What::Draining(_) => "draining",
            What::Retired(_) => "retired",
            What::Quarantined { .. } => "quarantined",
            What::Trouble { .. } => "trouble",
        };
        self.libraries.get_or_create(&Kind { kind }).inc();
    }

    /// All metrics as text, with what the store says now, and how many jobs run and connections are open.
    pub fn text(&self, counts: &Counts, running: usize, connections: usize) -> String {
        for (state, count) in State::ALL.iter().zip(counts.by_state) {
            self.jobs.get_or_create(&InState { state: state.as_str() }).set(count as i64);
        }
        let age = counts.oldest_queued.map_or(0.0, |oldest| Moment::now().since(oldest).as_secs_f64());
        self.queue_age.set(age);
        self.owed.set(counts.owed as i64);
        self.running.set(running as i64);
        self.connections.set(connections as i64);
        let mut text = String::new();
        // Writing to a text cannot fail.
        _ = encode(&mut text, &self.registry);
        text
    }
}
