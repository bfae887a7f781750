//! A handover: a claim on its way to its worker. If nobody takes it, because whoever asked has gone, the job goes back.

use super::super::job::Claim;
use super::claim;
use super::writer::Asking;

/// A claim that nobody has taken yet.
pub struct Handover {
    claim: Option<Claim>,
    back: Asking,
}

impl Handover {
    /// The claim, and the way back.
    pub fn new(claim: Claim, back: Asking) -> Self {
        Self { claim: Some(claim), back }
    }

    /// The worker has it.
    pub fn take(mut self) -> Option<Claim> {
        self.claim.take()
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        let Some(Claim { job, token }) = self.claim.take() else { return };
        // Nobody waits for the answer. If it fails, the lease runs out.
        drop(self.back.ask(move |db| claim::give_back(db, &job.id, token)));
    }
}
