//! Transformers that are algorithms: explicit weights with which attention carries out a known
//! procedure on its context, so that one can be run beside the other, in any scalar.
//!
//! | module | what the transformer does |
//! |---|---|
//! | [`attention`] | the layer that all of them are made of |
//! | [`mirror_descent`] | steps of mirror descent for the weights of a mixture of transition distributions |

pub mod attention;
pub mod mirror_descent;
