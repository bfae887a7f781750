//! Nobody gets in: tokens and scopes on every route, paths, attacks on the connection, and secrets that stay secret.
