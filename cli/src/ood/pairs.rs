//! Inputs and, if there are some, the responses that belong to them, read side by side in blocks.

use super::records::Records;
use crate::error::Failure;

/// So many inputs, and their responses.
pub(super) type Block = (Vec<f64>, Vec<f64>);

/// Files of as many inputs as responses.
pub(super) struct Pairs {
    inputs: Records,
    responses: Option<Records>,
    /// How many records a block has.
    rows: usize,
}

impl Pairs {
    /// Blocks have so many records.
    pub(super) fn new(inputs: Records, responses: Option<Records>, rows: usize) -> Self {
        Self { inputs, responses, rows }
    }

    /// Inputs.
    pub(super) fn inputs(&self) -> &Records {
        &self.inputs
    }

    /// Responses.
    pub(super) fn responses(&self) -> Option<&Records> {
        self.responses.as_ref()
    }

    /// Reads as many blocks as there are buffers; fewer at the end, where the last may be short.
    ///
    /// # Errors
    /// What is wrong with a record; more of one than of the other.
    pub(super) fn fill(&mut self, buffers: &mut [Block]) -> Result<usize, Failure> {
        for (at, (input, response)) in buffers.iter_mut().enumerate() {
            let before = self.inputs.count();
            let found = self.inputs.next(self.rows, input)?;
            if let Some(responses) = &mut self.responses {
                let paired = responses.next(self.rows, response)?;
                if paired != found {
                    let which = if found < paired { "inputs" } else { "responses" };
                    return Err(Failure::usage(format!(
                        "{}: expected as many records as {} has: {which} end after {}, and the others \
                         go on",
                        responses.path().display(),
                        self.inputs.path().display(),
                        before + found.min(paired) as u64
                    )));
                }
            }
            if found == 0 {
                return Ok(at);
            }
        }
        Ok(buffers.len())
    }
}
