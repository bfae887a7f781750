//! The daemon's settings: from flags, environment and the `[serve]` part of the file; checked once.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::tokens::{Scope, Tokens};
use crate::job::{count_of_text, count_or_none_of_text};
use crate::origin::Picker;
use crate::settings::at_least_one;

/// `serve`
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArgs {
    /// Address to listen at [default: 127.0.0.1:8080]; port 0 takes a free one
    #[arg(long, env = "AUTOSCORER_BIND", value_name = "ADDRESS", value_parser = address)]
    pub bind: Option<SocketAddr>,
    /// Folder for the queue, uploads and tokens [default: autoscorer-data]
    #[arg(long, env = "AUTOSCORER_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder below which workspaces may be named by their path [default: the current folder]
    #[arg(long, env = "AUTOSCORER_ROOT", value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// File of tokens [default: tokens.json in the data folder]; 'autoscorer tokens add' makes one
    #[arg(long, env = "AUTOSCORER_TOKENS", value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// What may be done without a token [default: submit at a loopback address if there are no tokens, else none]
    #[arg(long, env = "AUTOSCORER_ANONYMOUS", value_name = "SCOPE")]
    pub anonymous: Option<Scope>,
    /// Listen at an address that is not loopback although there are no tokens
    #[arg(long)]
    pub allow_unauthenticated: bool,
    /// Names that may stand in the Host header, beside loopback ones (repeatable)
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Web pages of this origin may call (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Jobs that run at the same time [default: number of cores]
    #[arg(long, env = "AUTOSCORER_RUNNERS", value_name = "N", value_parser = count_of_text::<usize>)]
    pub runners: Option<usize>,
    /// Jobs that may wait; more are refused with 429 [default: 10000]
    #[arg(long, env = "AUTOSCORER_QUEUE_LIMIT", value_name = "N", value_parser = count_or_none_of_text::<u64>)]
    pub queue_limit: Option<u64>,
    /// A job during which the daemon has died so often fails [default: 3]
    #[arg(long, env = "AUTOSCORER_MAX_ATTEMPTS", value_name = "N", value_parser = count_of_text::<u32>)]
    pub max_attempts: Option<u32>,
    /// Largest upload in bytes [default: 256Mi]
    #[arg(long, env = "AUTOSCORER_MAX_UPLOAD", value_name = "BYTES", value_parser = crate::job::bytes_of_text)]
    pub max_upload: Option<u64>,
    /// Connections at the same time [default: 1024]
    #[arg(long, env = "AUTOSCORER_MAX_CONNECTIONS", value_name = "N", value_parser = count_of_text::<usize>)]
    pub max_connections: Option<usize>,
    /// Seconds a client may take for a header or for the next piece of a body [default: 10]
    #[arg(long, env = "AUTOSCORER_CLIENT_TIMEOUT", value_name = "SECONDS")]
    pub client_timeout: Option<f64>,
    /// Seconds that running jobs get to end after SIGTERM, before they are put back into the queue [default: 30]
    #[arg(long, env = "AUTOSCORER_DRAIN", value_name = "SECONDS")]
    pub drain: Option<f64>,
    /// Days that ended jobs are kept [default: 30]
    #[arg(long, env = "AUTOSCORER_KEEP_DAYS", value_name = "DAYS")]
    pub keep_days: Option<f64>,
    /// Secret that signs callbacks; without one, callbacks are refused
    #[arg(long, env = "AUTOSCORER_CALLBACK_SECRET", value_name = "SECRET", hide_env_values = true)]
    pub callback_secret: Option<Secret>,
    /// Callbacks may go to private addresses
    #[arg(long)]
    pub allow_private_callbacks: bool,
    /// How the log on stderr is written [default: text on a terminal, else json]
    #[arg(long, env = "AUTOSCORER_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// The `[serve]` part of the settings file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ServeFile {
    bind: Option<String>,
    data: Option<PathBuf>,
    root: Option<PathBuf>,
    tokens: Option<PathBuf>,
    anonymous: Option<Scope>,
    allow_unauthenticated: Option<bool>,
    allow_host: Vec<String>,
    allow_origin: Vec<String>,
    runners: Option<usize>,
    queue_limit: Option<u64>,
    max_attempts: Option<u32>,
    max_upload: Option<String>,
    max_connections: Option<usize>,
    client_timeout: Option<f64>,
    drain: Option<f64>,
    keep_days: Option<f64>,
    callback_secret: Option<Secret>,
    allow_private_callbacks: Option<bool>,
    log_format: Option<LogFormat>,
}

impl ServeFile {
    /// Relative paths are relative to the settings file.
    pub fn relative_to(&mut self, folder: &Path) {
        for path in [&mut self.data, &mut self.root, &mut self.tokens].into_iter().flatten() {
            *path = folder.join(&path);
        }
    }
}

/// What the daemon works with.
#[derive(Debug, Clone)]
pub struct ServeSettings {
    /// The address to listen at.
    pub bind: SocketAddr,
    /// The daemon's own folder.
    pub data: PathBuf,
    /// Where workspaces may be.
    pub root: PathBuf,
    /// The file of tokens.
    pub tokens: PathBuf,
    /// What may be done without a token, if somebody has said so.
    pub anonymous: Option<Scope>,
    /// Whether an address that is not loopback needs no tokens.
    pub allow_unauthenticated: bool,
    /// Names that may stand in the Host header.
    pub allow_host: Vec<String>,
    /// Origins whose pages may call.
    pub allow_origin: Vec<String>,
    /// Jobs at the same time.
    pub runners: usize,
    /// Jobs that may wait.
    pub queue_limit: u64,
    /// How often a job is taken.
    pub max_attempts: u32,
    /// The largest upload.
    pub max_upload: u64,
    /// Connections at the same time.
    pub max_connections: usize,
    /// How long a client may take.
    pub client_timeout: Duration,
    /// How long running jobs get.
    pub drain: Duration,
    /// How long ended jobs are kept.
    pub keep: Duration,
    /// What signs callbacks.
    pub callback_secret: Option<Secret>,
    /// Whether callbacks may go to private addresses.
    pub allow_private_callbacks: bool,
    /// How the log is written.
    pub log_format: Option<LogFormat>,
}

impl ServeSettings {
    /// Whether only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        self.bind.ip().to_canonical().is_loopback()
    }

    /// What may be done without a token; refuses to open a door to everybody that nobody asked for.
    pub fn anonymous_scope(&self, tokens: &Tokens) -> Result<Scope, String> {
        let safe = self.is_loopback() || self.allow_unauthenticated;
        match self.anonymous {
            _ if tokens.is_empty() && !safe => {
                Err(format!("{} is no loopback address, and there are no tokens", self.bind))
            }
            Some(scope) if scope > Scope::None && !safe => {
                Err(format!("{} is no loopback address, and anybody might {scope}", self.bind))
            }
            Some(scope) => Ok(scope),
            // Whoever has made tokens wants to know who asks, even after taking the last one out.
            None if tokens.were_ever_made() => Ok(Scope::None),
            None => Ok(Scope::Submit),
        }
    }

    /// Merges flags and environment with the file and the defaults.
    pub fn merge(args: &ServeArgs, file: ServeFile, picker: &mut Picker) -> Result<Self, String> {
        let seconds = |name: &str, value: f64| {
            crate::job::seconds_of_number(value)
                .map_err(|expected| format!("serve.{name} is {value}; expected {expected}"))
        };
        let upload = file.max_upload.as_deref().map(crate::job::bytes_of_text).transpose();
        let upload = upload.map_err(|expected| format!("serve.max-upload: expected {expected}"))?;
        let data = picker.pick("serve.data", args.data.clone(), file.data, || "autoscorer-data".into());
        let tokens = picker.pick("serve.tokens", args.tokens.clone(), file.tokens, || data.join("tokens.json"));
        let bound = file.bind.as_deref().map(address).transpose();
        let bound = bound.map_err(|expected| format!("serve.bind: {expected}"))?;
        let bind = picker.pick("serve.bind", args.bind, bound, || SocketAddr::from(([127, 0, 0, 1], 8080)));
        let client = picker.pick("serve.client-timeout", args.client_timeout, file.client_timeout, || 10.0);
        let drain = picker.pick("serve.drain", args.drain, file.drain, || 30.0);
        let keep = picker.pick("serve.keep-days", args.keep_days, file.keep_days, || 30.0);
        let some = |flags: &Vec<String>| (!flags.is_empty()).then(|| flags.clone());
        let switch = |flag: bool| flag.then_some(true);
        Ok(Self {
            bind,
            root: picker.pick("serve.root", args.root.clone(), file.root, || ".".into()),
            anonymous: picker.pick("serve.anonymous", args.anonymous.map(Some), file.anonymous.map(Some), || None),
            allow_unauthenticated: picker.pick(
                "serve.allow-unauthenticated",
                switch(args.allow_unauthenticated),
                file.allow_unauthenticated,
                || false,
            ),
            allow_host: picker.pick("serve.allow-host", some(&args.allow_host), some(&file.allow_host), Vec::new),
            allow_origin: picker.pick(
                "serve.allow-origin",
                some(&args.allow_origin),
                some(&file.allow_origin),
                Vec::new,
            ),
            runners: at_least_one("serve.runners", picker.pick("serve.runners", args.runners, file.runners, cores))?,
            queue_limit: picker.pick("serve.queue-limit", args.queue_limit, file.queue_limit, || 10_000),
            max_attempts: at_least_one(
                "serve.max-attempts",
                picker.pick("serve.max-attempts", args.max_attempts, file.max_attempts, || 3),
            )?,
            max_upload: picker.pick("serve.max-upload", args.max_upload, upload, || 256 << 20),
            max_connections: at_least_one(
                "serve.max-connections",
                picker.pick("serve.max-connections", args.max_connections, file.max_connections, || 1024),
            )?,
            client_timeout: seconds("client-timeout", client)?,
            drain: seconds("drain", drain)?,
            keep: seconds("keep-days", keep * 86_400.0)?,
            callback_secret: picker.pick_secret(
                "serve.callback-secret",
                args.callback_secret.clone(),
                file.callback_secret,
            ),
            allow_private_callbacks: picker.pick(
                "serve.allow-private-callbacks",
                switch(args.allow_private_callbacks),
                file.allow_private_callbacks,
                || false,
            ),
            log_format: picker.pick("serve.log-format", args.log_format.map(Some), file.log_format.map(Some), || None),
            data,
            tokens,
        })
    }
}

/// An address to listen at; a name such as localhost is looked up, and IPv4 counts first.
fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = || "expected HOST:PORT, such as 127.0.0.1:8080 or localhost:8080".to_owned();
    let found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|_| expected())?.collect();
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied().ok_or_else(expected)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
