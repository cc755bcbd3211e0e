//! What is claimed: Theorem 3.1, the sharp constants behind it, and when descent is stable.

pub mod clock;
pub mod exponents;
pub mod rates;
pub mod stability;
pub mod stall;
