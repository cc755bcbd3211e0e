//! What is computed: activations, teachers, and the exact population loss and gradient.

pub mod activation;
pub mod alignment;
pub mod classes;
pub mod population;
pub mod positions;
pub mod teacher;
