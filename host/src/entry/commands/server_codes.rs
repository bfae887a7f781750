//! The codes that only the daemon's answers have, and its client's when none comes; the scoring codes are in `meanings`.

/// What a code of the daemon means.
pub struct ServerCode {
    /// As answers have it.
    pub code: &'static str,
    /// The status it comes with; none where no answer came.
    pub status: Option<u16>,
    /// In one sentence.
    pub summary: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

const fn code(code: &'static str, status: u16, summary: &'static str, remedy: &'static str) -> ServerCode {
    ServerCode { code, status: Some(status), summary, remedy }
}

const fn silence(code: &'static str, summary: &'static str, remedy: &'static str) -> ServerCode {
    ServerCode { code, status: None, summary, remedy }
}

/// All of them.
pub const SERVER_CODES: &[ServerCode] = &[
    code("BAD_REQUEST", 400, "The request cannot be read.", "Send JSON as /docs describes it, and whole."),
    code("UNAUTHORIZED", 401, "A token is needed, or not known.", "Send one; 'autoscorer tokens add' makes it."),
    code("FORBIDDEN", 403, "The token's scope, or its owner, does not allow this.", "Use a token with a larger scope."),
    code(
        "FORBIDDEN_SOURCE",
        403,
        "The request names another host (421) or comes from a page of another origin (403).",
        "Call it by localhost, or allow the name with --allow-host and the page with --allow-origin.",
    ),
    code("NOT_FOUND", 404, "There is no such job, file or path.", "'autoscorer jobs list' shows jobs, /docs paths."),
    code("METHOD_NOT_ALLOWED", 405, "The path knows other methods.", "See /docs."),
    code("REQUEST_TIMEOUT", 408, "The body came too slowly.", "Repeat it over a better line; see --client-timeout."),
    code("CONFLICT", 409, "It cannot be done in the job's or the folder's state.", "Look at the job with 'jobs show'."),
    code("GONE", 410, "The artifact was there and is not what it was.", "Score again: a workspace holds one result."),
    code("PAYLOAD_TOO_LARGE", 413, "More was sent than may be.", "Send less, or raise 'serve --max-upload'."),
    code("UNSUPPORTED_MEDIA_TYPE", 415, "The body is not of a type that is known here.", "Say its Content-Type."),
    code("RANGE_NOT_SATISFIABLE", 416, "The file has no such part.", "Ask for bytes that its size allows."),
    code("INVALID_REQUEST", 422, "The request can be read, and is wrong.", "The message says where; see /docs."),
    code("KEY_REUSED", 422, "The Idempotency-Key stands for another request.", "Use a new key for a new request."),
    code("BUSY", 429, "Too many requests wait to be scored.", "Submit jobs to the queue instead."),
    code("QUEUE_FULL", 429, "No more jobs may wait.", "Repeat it after Retry-After; see 'serve --queue-limit'."),
    code("DISK_FULL", 503, "There is no room for what was sent; nothing was accepted.", "Make room, then repeat it."),
    code("STORE_FAILED", 503, "The queue's file failed; nothing was changed.", "Its log says why; repeat it later."),
    code("UNAVAILABLE", 503, "The daemon is stopping.", "Repeat it after Retry-After."),
    silence("SERVER_UNREACHABLE", "There is no connection.", "Start 'autoscorer serve', or name it with --server."),
    silence("SERVER_LOST", "The connection broke off, or no answer came in time.", "Look at its log; repeat it."),
    silence("NOT_THE_DAEMON", "Something else answers there.", "Look at the address, and at proxies before it."),
];
