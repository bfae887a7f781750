//! Which comments match which references: by place, then by meaning.

pub(crate) mod assignment;
pub(crate) mod batch;
pub(crate) mod location;
pub(crate) mod schedule;
pub(crate) mod sequential;
pub(crate) mod strict;
pub(crate) mod task;
