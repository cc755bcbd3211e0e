//! What is claimed: Theorems 3.1 and 3.2, the sharp constants behind them, and when descent is
//! stable.

pub mod clock;
pub mod exponents;
pub mod moments;
pub mod rates;
pub mod stability;
