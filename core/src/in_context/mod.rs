//! Transformers that are algorithms: explicit weights with which attention carries out a known
//! procedure on its context, so that one can be run beside the other, in any scalar.
//!
//! | module | what the transformer does |
//! |---|---|
//! | [`attention`] | the layer that all of them are made of |
//! | [`mirror_descent`] | steps of mirror descent for the weights of a mixture of transition distributions |
//! | [`normalized_descent`] | logistic regression: one step of normalised gradient descent a layer |
//! | [`attention_operator`] | the mean of a measure, tilted by the query |

pub mod attention;
pub mod attention_operator;
pub mod mirror_descent;
pub mod normalized_descent;
