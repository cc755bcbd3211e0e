//! What `popgd ood` works from, beside the model.

use std::path::PathBuf;

use super::family::Family;

/// Where inputs come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// Independent entries of one law.
    Family {
        /// The law.
        family: Family,
        /// Whether its mean is taken off.
        centred: bool,
        /// By what entries are multiplied then.
        scale: f64,
    },
    /// Gaussian inputs with moments of their own.
    Gaussian(Gaussian),
    /// A file of inputs.
    File(PathBuf),
}

/// Gaussian inputs: tokens of one law, or all of X̃ with one covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    /// d entries, of every token; or dD, of X̃ row by row.
    pub mean: Vec<f64>,
    /// d × d, of a token; or dD × dD, of X̃ row by row: entry (f, i) has index fD + i.
    pub covariance: Vec<f64>,
    /// ρ: tokens i and k have ρ^|i−k| times the covariance of a token. 0 if all of X̃ is given.
    pub correlation: f64,
}

impl Gaussian {
    /// Whether the moments are those of all of X̃, of tokens of so many features.
    pub fn is_whole(&self, features: usize) -> bool {
        self.mean.len() != features
    }

    /// Whether tokens are independent.
    pub fn has_independent_tokens(&self, features: usize) -> bool {
        self.correlation == 0.0 && !self.is_whole(features)
    }

    /// `E ‖x̃_i‖²`, token by token, of D tokens.
    pub fn square_norms(&self, features: usize, tokens: usize) -> Vec<f64> {
        let side = self.mean.len();
        let square = |at: usize| {
            let variance = self.covariance.get(at * (side + 1)).copied().unwrap_or(f64::NAN);
            variance + self.mean.get(at).map_or(f64::NAN, |mean| mean * mean)
        };
        if self.is_whole(features) {
            let token = |i: usize| (0..features).map(|f| square(f * tokens + i)).sum();
            (0..tokens).map(token).collect()
        } else {
            vec![(0..features).map(square).sum(); tokens]
        }
    }
}

/// Where labels come from; noise may be added to each.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels {
    /// The teacher.
    Teacher,
    /// 0.
    Zero,
    /// Standard Gaussian, whatever the input.
    Independent,
    /// A teacher with other groups and another V*.
    Another,
    /// Those that make the student lose most, at a distance from the teacher.
    Worst,
    /// A file of responses.
    File(PathBuf),
}

impl Labels {
    /// On the command line.
    pub fn name(&self) -> String {
        match self {
            Self::Teacher => "teacher".to_owned(),
            Self::Zero => "zero".to_owned(),
            Self::Independent => "independent".to_owned(),
            Self::Another => "another".to_owned(),
            Self::Worst => "worst".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// The teacher in full.
#[derive(Clone, Debug, PartialEq)]
pub struct TeacherMatrices {
    /// V*, M × d.
    pub value_matrix: Vec<f64>,
    /// The V* of another teacher, of the same norm.
    pub other_value_matrix: Vec<f64>,
    /// For every column of S*, for every token, which level of which class its weight is on: an
    /// index into all levels, class after class. D × D; empty if only moments are asked for.
    pub levels: Vec<u32>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct OodSettings {
    /// Where inputs come from.
    pub inputs: Inputs,
    /// Where labels come from.
    pub labels: Labels,
    /// Standard deviation of the noise on labels.
    pub noise: f64,
    /// R of the worst labels; none for that of zero labels.
    pub label_distance: Option<f64>,
    /// ε.
    pub epsilon: f64,
    /// Whether ε was asked for.
    pub epsilon_given: bool,
    /// How many samples are drawn.
    pub samples: u64,
    /// How many samples the finite batch has.
    pub batch: u64,
    /// Whether nothing but moments is checked.
    pub moments_only: bool,
    /// How many threads; none for one a processor.
    pub threads: Option<usize>,
    /// The teacher.
    pub teacher: TeacherMatrices,
}
