//! Who asks, and whether they may: bearer tokens with scopes.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::problem::Problem;
use crate::daemon::{Scope, ServeSettings, Tokens};

/// The name of whoever has no token.
pub const ANONYMOUS: &str = "anonymous";

/// Who asks.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The token's name; jobs bear it.
    pub name: String,
    /// What they may do.
    pub scope: Scope,
}

/// Who may do what.
#[derive(Debug, Clone)]
pub struct Gate {
    tokens: Tokens,
    anonymous: Scope,
}

impl Gate {
    /// Reads the tokens, and refuses to open a door to everybody that nobody asked for.
    pub fn open(settings: &ServeSettings) -> Result<Self, String> {
        let tokens = Tokens::read(&settings.tokens)
            .map_err(|error| format!("the tokens in {} cannot be read: {error}", settings.tokens.display()))?;
        let anonymous = settings.anonymous_scope(&tokens)?;
        Ok(Self { tokens, anonymous })
    }

    /// Reads the tokens anew. A file that has vanished takes no lock off the door.
    pub fn reopen(&self, settings: &ServeSettings) -> Result<Self, String> {
        let gate = Self::open(settings)?;
        if self.tokens.were_ever_made() && !gate.tokens.were_ever_made() {
            return Err(format!("the tokens in {} are gone", settings.tokens.display()));
        }
        Ok(gate)
    }

    fn caller(&self, headers: &HeaderMap) -> Result<Caller, Problem> {
        let unknown = |message: &str| {
            Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message)
                .hint("send 'Authorization: Bearer TOKEN'; 'autoscorer tokens add' makes a token")
        };
        let Some(given) = headers.get(header::AUTHORIZATION) else {
            return Ok(Caller { name: ANONYMOUS.to_owned(), scope: self.anonymous });
        };
        let secret = given.to_str().ok().and_then(|text| {
            let (scheme, secret) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
        });
        let secret = secret.ok_or_else(|| unknown("the Authorization header is no bearer token"))?;
        let token = self.tokens.find(secret).ok_or_else(|| unknown("the token is not known"))?;
        Ok(Caller { name: token.name.clone(), scope: token.scope })
    }

    fn admit(&self, headers: &HeaderMap, needed: Scope) -> Result<Caller, Problem> {
        let caller = self.caller(headers)?;
        if caller.scope >= needed {
            return Ok(caller);
        }
        if headers.contains_key(header::AUTHORIZATION) {
            let message = format!("the token '{}' may not do this: it needs the scope {needed}", caller.name);
            return Err(Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
                .hint("use a token with a larger scope: read, submit, admin"));
        }
        Err(Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", format!("a token with scope {needed} is needed"))
            .hint("send 'Authorization: Bearer TOKEN'; 'autoscorer tokens add' makes a token"))
    }
}

async fn admit(app: &App, needed: Scope, mut request: Request, next: Next) -> Response {
    let gate = app.gate.read().clone();
    match gate.admit(request.headers(), needed) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

/// For routes that look.
pub async fn read(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    admit(&app, Scope::Read, request, next).await
}

/// For routes that have something scored.
pub async fn submit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    admit(&app, Scope::Submit, request, next).await
}

/// For routes that load code.
pub async fn admin(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    admit(&app, Scope::Admin, request, next).await
}
