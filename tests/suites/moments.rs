//! Second moments and the bound of Theorem 3.2: note 10.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
use popgd_core::descent::forever::Forever;
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::classes::{Class, TwoLevel};
use popgd_core::model::teacher::Shape;
use popgd_core::theory::moments::{
    Errors, InputMoments, Law, SecondSums, TokenMoments, TokenSums, amplification, gap_bound,
    mean_square, sharp_square_gap,
};
use popgd_core::{Activation, Dual, Error, Interval, Scalar};
use popgd_tests::generate::{between, entries, scores, unit};
use popgd_tests::property::check;
use quickcheck::{Arbitrary, Gen};

/// A teacher, columns e, and inputs: a sample of a few, which is a law by itself.
#[derive(Clone, Debug)]
struct Case {
    shape: Shape,
    value_matrix: Vec<f64>,
    errors: Vec<f64>,
    /// X̃ row by row, one after the other.
    inputs: Vec<Vec<f64>>,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let shape = Shape {
            tokens: between(g, 1, 5),
            channels: between(g, 1, 3),
            features: between(g, 1, 3),
        };
        let size = shape.features * shape.tokens;
        Self {
            shape,
            value_matrix: entries(g, shape.value_entries()),
            errors: entries(g, shape.score_entries()),
            inputs: (0..between(g, 1, 40)).map(|_| entries(g, size)).collect(),
        }
    }
}

impl Case {
    /// V* X̃, row by row.
    fn seen(&self, input: &[f64]) -> Vec<f64> {
        let Shape { tokens, features, .. } = self.shape;
        let rows = self.value_matrix.chunks(features);
        rows.flat_map(|row| {
            (0..tokens).map(move |i| (0..features).map(|f| row[f] * input[f * tokens + i]).sum())
        })
        .collect()
    }

    /// V* X̃ e_j for all rows and columns.
    fn moved(&self, input: &[f64]) -> Vec<f64> {
        let tokens = self.shape.tokens;
        let seen = self.seen(input);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        seen.chunks(tokens)
            .flat_map(|row| self.errors.chunks(tokens).map(move |e| dot(row, e)))
            .collect()
    }

    fn mean(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        self.inputs.iter().map(|input| of(input)).sum::<f64>() / self.inputs.len() as f64
    }

    fn dense(&self) -> Errors<'_, f64> {
        Errors::Dense { tokens: self.shape.tokens, columns: &self.errors }
    }

    /// All second moments of the sample, by the estimator.
    fn second(&self) -> Vec<f64> {
        let side = self.shape.features * self.shape.tokens;
        let mut memory = vec![0.0; SecondSums::<f64>::memory(side)];
        let mut sums = SecondSums::new(0.0, side, &mut memory).unwrap();
        self.inputs.iter().for_each(|input| sums.push(input).unwrap());
        (0..side * side).map(|at| sums.second(at / side, at % side).unwrap()).collect()
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// For the identity the mean square on a sample is the formula with the second moments of that
/// sample.
#[test]
fn a_sample_is_a_law_with_its_own_moments() {
    fn property(case: Case) -> bool {
        let measured = case.mean(|input| case.moved(input).iter().map(|x| x * x).sum());
        let second = case.second();
        let mut gram = vec![0.0; case.shape.score_entries()];
        let moments = InputMoments::Full { second: &second };
        let seen = moments.seen_by(case.shape, &case.value_matrix, &mut gram).unwrap();
        let formula = mean_square(1.0, &seen, &case.dense()).unwrap();
        near(measured, formula, 1e-12)
    }
    check(500, property as fn(Case) -> bool);
}

/// A bound of every token's moment bounds the mean square, whatever the tokens have to do with one
/// another; and ‖e‖₂ in the place of ‖e‖₁ would not.
#[test]
fn the_bound_is_one_for_any_second_moments() {
    fn property(case: Case) -> bool {
        let second = case.second();
        let mut gram = vec![0.0; case.shape.score_entries()];
        let moments = InputMoments::Full { second: &second };
        let seen = moments.seen_by(case.shape, &case.value_matrix, &mut gram).unwrap();
        let exact = mean_square(1.0, &seen, &case.dense()).unwrap();
        let tokens = case.shape.tokens;
        let largest = (0..tokens).map(|i| gram[i * tokens + i]).fold(0.0, f64::max);
        let bound =
            |square| mean_square(1.0, &TokenMoments::Bounded { square }, &case.dense()).unwrap();
        let norms =
            |token: usize| case.mean(|x| x.iter().skip(token).step_by(tokens).map(|x| x * x).sum());
        let square = (0..tokens).map(norms).fold(0.0, f64::max);
        let coarse = InputMoments::Bounded { square };
        let coarse = coarse.seen_by(case.shape, &case.value_matrix, &mut []).unwrap();
        let coarse = mean_square(1.0, &coarse, &case.dense()).unwrap();
        let room = 1.0 + 1e-12;
        exact <= bound(largest) * room && bound(largest) <= coarse * room
    }
    check(500, property as fn(Case) -> bool);

    // Two tokens that are always equal: the mean square is (Σe)², more than ‖e‖₂².
    let gram = [1.0; 4];
    let errors = Errors::Dense { tokens: 2, columns: &[1.0, 1.0, 0.0, 0.0] };
    let exact = mean_square(1.0, &TokenMoments::Full { gram: &gram }, &errors).unwrap();
    let bound = mean_square(1.0, &TokenMoments::Bounded { square: 1.0 }, &errors).unwrap();
    assert_eq!((exact, bound), (4.0, 4.0));
}

/// Uncorrelated tokens of one law: the formula with mean and covariance is that with all moments.
#[test]
fn structures_agree_where_they_meet() {
    #[derive(Clone, Debug)]
    struct Tokens(Case, Vec<f64>, Vec<f64>);
    impl Arbitrary for Tokens {
        fn arbitrary(g: &mut Gen) -> Self {
            let case = Case::arbitrary(g);
            let d = case.shape.features;
            let root = entries(g, d * d);
            let covariance = (0..d * d)
                .map(|at| (0..d).map(|k| root[at / d * d + k] * root[at % d * d + k]).sum())
                .collect();
            Self(case, entries(g, d), covariance)
        }
    }
    fn property(Tokens(case, mean, covariance): Tokens) -> bool {
        let Shape { tokens, features, .. } = case.shape;
        let side = features * tokens;
        let second: Vec<f64> = (0..side * side)
            .map(|at| {
                let ((f, i), (h, k)) =
                    ((at / side / tokens, at / side % tokens), (at % side / tokens, at % tokens));
                let spread = if i == k { covariance[f * features + h] } else { 0.0 };
                spread + mean[f] * mean[h]
            })
            .collect();
        let mut gram = vec![0.0; case.shape.score_entries()];
        let value = |moments: InputMoments<'_, f64>, gram: &mut [f64]| {
            let seen = moments.seen_by(case.shape, &case.value_matrix, gram).unwrap();
            mean_square(1.0, &seen, &case.dense()).unwrap()
        };
        let full = value(InputMoments::Full { second: &second }, &mut gram);
        let short =
            value(InputMoments::Independent { mean: &mean, covariance: &covariance }, &mut []);
        near(full, short, 1e-12)
    }
    check(300, property as fn(Tokens) -> bool);

    let shape = Shape { tokens: 3, channels: 1, features: 2 };
    let isotropic = InputMoments::Isotropic { variance: 2.0 };
    let TokenMoments::Exchangeable { own, cross } =
        isotropic.seen_by(shape, &[3.0, 4.0], &mut []).unwrap()
    else {
        panic!()
    };
    assert_eq!((own, cross), (50.0, 0.0));
}

/// What σ may stretch a square by, tried on pairs, alone and with their negatives.
#[test]
fn activations_stretch_no_more_than_said() {
    #[derive(Clone, Debug)]
    struct Pair(f64, f64, f64);
    impl Arbitrary for Pair {
        fn arbitrary(g: &mut Gen) -> Self {
            Self(*g.choose(&[1.0, 0.3, 0.0, -0.4, -1.0, 2.5]).unwrap(), unit(g), unit(g))
        }
    }
    fn property(Pair(slope, u, v): Pair) -> bool {
        let activation = Activation::leaky_relu(slope);
        let square = |u: f64, v: f64| (activation.apply(u) - activation.apply(v)).powi(2);
        let room = (u - v).powi(2) * (1.0 + 1e-12) + 1e-30;
        let mean = 0.5 * (square(u, v) + square(-u, -v));
        square(u, v) <= amplification(&activation, Law::Any) * room
            && mean <= amplification(&activation, Law::Symmetric) * room
    }
    check(2000, property as fn(Pair) -> bool);
    // Neither can be smaller: equality on one side of the kink.
    let steep = Activation::leaky_relu(2.0);
    assert_eq!(amplification(&steep, Law::Any), 4.0);
    assert_eq!(amplification(&steep, Law::Symmetric), 2.5);
    assert_eq!(amplification(&Activation::identity(1.0), Law::Any), 1.0);
}

/// ½Δ² + RΔ is what the worst labels cost, and no labels at that distance cost more.
#[test]
fn worst_labels_attain_the_bound() {
    #[derive(Clone, Debug)]
    struct Labelled(Case, Vec<f64>);
    impl Arbitrary for Labelled {
        fn arbitrary(g: &mut Gen) -> Self {
            let case = Case::arbitrary(g);
            let size = case.inputs.len() * case.shape.channels * case.shape.tokens;
            Self(case, entries(g, size))
        }
    }
    fn property(Labelled(case, offsets): Labelled) -> bool {
        let n = case.inputs.len() as f64;
        let moved: Vec<f64> = case.inputs.iter().flat_map(|input| case.moved(input)).collect();
        let square = moved.iter().map(|x| x * x).sum::<f64>() / n;
        let distance = (offsets.iter().map(|x| x * x).sum::<f64>() / n).sqrt();
        // What the student loses for labels teacher + offset.
        let lost = |offset: &dyn Fn(usize) -> f64| {
            let own = moved.iter().enumerate().map(|(at, x)| (offset(at) - x).powi(2)).sum::<f64>();
            let teacher = (0..moved.len()).map(|at| offset(at).powi(2)).sum::<f64>();
            0.5 * (own - teacher) / n
        };
        let bound = gap_bound(square, distance);
        let any = lost(&|at| offsets[at]).abs() <= bound * (1.0 + 1e-9) + 1e-12;
        let worst = lost(&|at| -distance / square.sqrt() * moved[at]);
        any && (square == 0.0 || near(worst, bound, 1e-12))
    }
    check(500, property as fn(Labelled) -> bool);
}

/// A stream, and where it is cut.
#[derive(Clone, Debug)]
struct Stream {
    length: usize,
    samples: Vec<Vec<f64>>,
    cuts: [usize; 2],
}

impl Arbitrary for Stream {
    fn arbitrary(g: &mut Gen) -> Self {
        let length = between(g, 1, 4);
        let count = between(g, 1, 60);
        // Sizes far apart, as heavy tails have them.
        let sample = |g: &mut Gen| {
            entries(g, length)
                .iter()
                .map(|x| x * 10_f64.powi(i32::from(i8::arbitrary(g)) / 20))
                .collect()
        };
        let samples = (0..count).map(|_| sample(g)).collect();
        let mut cuts = [between(g, 0, count), between(g, 0, count)];
        cuts.sort_unstable();
        Self { length, samples, cuts }
    }
}

impl Stream {
    fn parts(&self) -> [&[Vec<f64>]; 3] {
        let [a, b] = self.cuts;
        [&self.samples[..a], &self.samples[a..b], &self.samples[b..]]
    }
}

#[test]
fn streams_merge_however_they_are_split() {
    fn property(stream: Stream) -> bool {
        let size = SecondSums::<f64>::memory(stream.length);
        let mut memories = vec![vec![7.0; size]; 4];
        let [whole, first, second, third] = &mut memories[..] else { panic!() };
        let fill = |samples: &[Vec<f64>], memory| {
            let mut sums = SecondSums::new(0.0, stream.length, memory).unwrap();
            samples.iter().for_each(|sample| sums.push(sample).unwrap());
            sums
        };
        let whole = fill(&stream.samples, &mut whole[..]);
        let [a, b, c] = stream.parts();
        // In another order than they came.
        let mut merged = fill(c, &mut third[..]);
        merged.merge(&fill(a, &mut first[..])).unwrap();
        merged.merge(&fill(b, &mut second[..])).unwrap();
        let scale = |i: usize, k: usize| {
            stream.samples.iter().map(|x| (x[i] * x[k]).abs()).sum::<f64>() / whole.count() as f64
        };
        merged.count() == whole.count()
            && (0..stream.length).all(|i| {
                let size =
                    stream.samples.iter().map(|x| x[i].abs()).sum::<f64>() / whole.count() as f64;
                (merged.mean(i).unwrap() - whole.mean(i).unwrap()).abs() <= 1e-15 * size
                    && (0..stream.length).all(|k| {
                        let (own, other) = (merged.second(i, k), whole.second(k, i));
                        (own.unwrap() - other.unwrap()).abs() <= 1e-15 * scale(i, k)
                    })
            })
    }
    check(500, property as fn(Stream) -> bool);
}

#[test]
fn token_streams_merge_however_they_are_split() {
    fn property(stream: Stream) -> bool {
        let size = TokenSums::<f64>::memory(stream.length);
        let mut memories = vec![vec![7.0; size]; 4];
        let [whole, first, second, third] = &mut memories[..] else { panic!() };
        let fill = |samples: &[Vec<f64>], memory| {
            let mut sums = TokenSums::new(0.0, stream.length, memory).unwrap();
            for sample in samples {
                let squares: Vec<f64> = sample.iter().map(|x| x * x).collect();
                sums.push(&squares).unwrap();
            }
            sums
        };
        let whole = fill(&stream.samples, &mut whole[..]);
        let [a, b, c] = stream.parts();
        let mut merged = fill(b, &mut second[..]);
        merged.merge(&fill(c, &mut third[..])).unwrap();
        merged.merge(&fill(a, &mut first[..])).unwrap();
        merged.count() == whole.count()
            && (0..stream.length).all(|i| {
                let exact =
                    stream.samples.iter().map(|x| x[i].powi(2)).sum::<f64>() / whole.count() as f64;
                let fourth = whole.mean_of_squares(i).unwrap();
                let off = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b;
                off(merged.mean(i).unwrap(), exact)
                    && off(merged.mean_of_squares(i).unwrap(), fourth)
                    && fourth * (1.0 + 1e-12) >= exact * exact
            })
    }
    check(500, property as fn(Stream) -> bool);
}

/// Sums carry what rounding takes: a million ones beside 10¹⁶ are not lost.
#[test]
fn small_samples_are_not_lost_beside_large_ones() {
    let mut memory = [0.0; 4];
    let mut sums = TokenSums::new(0.0, 1, &mut memory).unwrap();
    sums.push(&[1e16]).unwrap();
    for _ in 0..1_000_000 {
        sums.push(&[1.0]).unwrap();
    }
    let mean = sums.mean(0).unwrap();
    assert!(near(mean, (1e16 + 1e6) / 1_000_001.0, 1e-15), "{mean}");

    // Nor where streams are merged: 2⁵³ + 1 in one, −2⁵³ in the other.
    let large = 2_f64.powi(53);
    let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
    let mut sums = SecondSums::new(0.0, 1, &mut first).unwrap();
    sums.push(&[large]).unwrap();
    sums.push(&[1.0]).unwrap();
    let mut others = SecondSums::new(0.0, 1, &mut second).unwrap();
    others.push(&[-large]).unwrap();
    others.merge(&sums).unwrap();
    assert_eq!(others.mean(0), Some(1.0 / 3.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut memory = [0.0; 4];
    assert!(matches!(TokenSums::new(0.0, 2, &mut memory), Err(Error::Length { .. })));
    assert!(matches!(TokenSums::new(0.0, 0, &mut memory), Err(Error::Empty { .. })));
    let mut sums = TokenSums::new(0.0, 1, &mut memory).unwrap();
    assert!(sums.mean(0).is_none());
    assert!(matches!(sums.push(&[1.0, 2.0]), Err(Error::Length { .. })));
    let mut memory = [0.0; 4];
    assert!(matches!(SecondSums::new(0.0, 2, &mut memory), Err(Error::Length { .. })));
    let sums = SecondSums::new(0.0, 1, &mut memory).unwrap();
    assert!(sums.second(0, 0).is_none() && sums.second(1, 0).is_none());

    let shape = Shape { tokens: 2, channels: 1, features: 1 };
    let full = InputMoments::Full { second: &[1.0; 4] };
    assert!(full.seen_by(shape, &[1.0], &mut [0.0; 3]).is_err());
    assert!(full.seen_by(shape, &[1.0, 2.0], &mut [0.0; 4]).is_err());
    let gram = TokenMoments::Full { gram: &[1.0; 4] };
    let lumped = Errors::Lumped { classes: &[], levels: &[], sum: 0.0 };
    assert!(mean_square(1.0, &gram, &lumped).is_err());
}

/// The same formulas over intervals contain what floats give, and what duals have for values.
#[test]
fn intervals_contain_floats() {
    fn property(case: Case) -> bool {
        let point = Interval::point;
        let points = |values: &[f64]| values.iter().map(|&x| point(x)).collect::<Vec<_>>();
        let second = case.second();
        let value = |scale: f64| -> (f64, f64) {
            let mut gram = vec![0.0; case.shape.score_entries()];
            let moments = InputMoments::Full { second: &second };
            let seen = moments.seen_by(case.shape, &case.value_matrix, &mut gram).unwrap();
            let square = mean_square(1.0, &seen, &case.dense()).unwrap();
            (square, gap_bound(square.max(0.0), scale))
        };
        let (square, bound) = value(0.7);
        let second = points(&second);
        let (values, errors) = (points(&case.value_matrix), points(&case.errors));
        let mut gram = vec![point(0.0); case.shape.score_entries()];
        let moments = InputMoments::Full { second: &second };
        let seen = moments.seen_by(case.shape, &values, &mut gram).unwrap();
        let errors = Errors::Dense { tokens: case.shape.tokens, columns: &errors };
        let enclosed = mean_square(point(1.0), &seen, &errors).unwrap();
        // The same operations in the same order: every rounded result is in its enclosure.
        enclosed.contains(square)
            && (square < 0.0 || gap_bound(enclosed, point(0.7)).contains(bound))
            && enclosed.width() <= 1e-12 * (1.0 + square.abs())
    }
    check(200, property as fn(Case) -> bool);
    let relu = Activation::leaky_relu(0.25);
    let enclosed = Activation::leaky_relu(Interval::point(0.25));
    let number = |x: f64| Interval::point(x);
    for law in [Law::Any, Law::Symmetric] {
        assert!(amplification(&enclosed, law).contains(amplification(&relu, law)));
    }
    let float = sharp_square_gap(&relu, 36.0, 4.0, 4.0, 1.0 / 36.0, 0.3, 0.7);
    let sharp = sharp_square_gap(
        &enclosed,
        number(36.0),
        number(4.0),
        number(4.0),
        number(1.0) / number(36.0),
        number(0.3),
        number(0.7),
    );
    assert!(sharp.contains(float), "{sharp:?} {float}");
    let dual = gap_bound(Dual::<f64, 1>::constant(0.09), Dual::constant(2.0));
    assert!(near(dual.value, gap_bound(0.09, 2.0), 1e-15));
}

fn model<'a, S: Scalar>(
    classes: &'a [Class<'a, S>],
    slope: S,
    norm: S,
    rate: S,
) -> LumpedModel<'a, S> {
    let tokens = classes[0].columns;
    LumpedModel {
        activation: Activation::leaky_relu(slope),
        classes,
        teacher_norm: norm,
        logit_gain: tokens.one() / tokens,
        rate,
        slope_at_zero: tokens.one(),
    }
}

/// The errors of a lumped run are c s − s*, also for several classes and unequal weights.
#[test]
fn output_errors_are_those_of_the_outputs() {
    fn property(case: Case) -> bool {
        // The columns of a random S* as classes of one column each, one level a token.
        let tokens = case.shape.tokens;
        let mut g = Gen::from_size_and_seed(10, case.errors.len() as u64);
        let weights = scores(&mut g, tokens);
        let counts = vec![1.0; tokens];
        let classes: Vec<Class<'_, f64>> = weights
            .chunks(tokens)
            .map(|weights| Class { columns: 1.0, counts: &counts, weights })
            .collect();
        let model = model(&classes, 0.0, 1.0, 0.1);
        let c = 0.5 + case.errors[0].abs();
        let logits: Vec<f64> = case.errors.iter().map(|z| 3.0 * z).collect();
        let (mut s, mut errors) = (vec![0.0; tokens * tokens], vec![0.0; tokens * tokens]);
        model.output_errors(c, &logits, &mut s, &mut errors);
        errors.iter().zip(s.iter().zip(&weights)).all(|(e, (s, w))| near(*e, c * s - w, 1e-14))
    }
    check(200, property as fn(Case) -> bool);
}

/// A run of D = 8 tokens in groups of 2, late.
fn late(steps: u64, slope: f64) -> ([f64; 2], f64, u64) {
    let teacher = TwoLevel::new(8.0, 2.0);
    let classes = [teacher.class()];
    let model = model(&classes, slope, 4.0, 0.05);
    let mut memory = vec![0.0; model.memory()];
    let mut run = Lumped::from_zero(model, Accumulate::Compensated, &mut memory).unwrap();
    for _ in 0..steps {
        run.step();
    }
    let sum = run.c() - 1.0;
    let errors = run.output_errors();
    ([errors[0], errors[1]], sum, steps)
}

/// For the identity and independent tokens ηTΔ² is near its limit, and a mean costs D − K times.
#[test]
fn the_sharp_constant_is_the_limit() {
    for (own, cross) in [(16.0, 0.0), (20.0, 5.0), (7.0, 7.0)] {
        let ([inside, outside], sum, steps) = late(3_000_000, 1.0);
        let teacher = TwoLevel::new(8.0, 2.0);
        let classes = [teacher.class()];
        let levels = [inside, outside];
        let errors = Errors::Lumped { classes: &classes, levels: &levels, sum };
        let moments = TokenMoments::Exchangeable { own, cross };
        let measured = mean_square(1.0, &moments, &errors).unwrap() * 0.05 * steps as f64;
        let identity = Activation::identity(1.0);
        let sharp = sharp_square_gap(&identity, 8.0, 2.0, 4.0, 0.125, cross, own - cross);
        assert!((measured / sharp - 1.0).abs() < 0.01, "{measured} {sharp}");
    }
}

/// What is proven of every later step contains what a run in floats shows.
#[test]
fn later_errors_are_enclosed() {
    for slope in [1.0, 0.0, -0.5] {
        let number = |x: f64| Interval::point(x);
        let teacher = TwoLevel::new(number(8.0), number(2.0));
        let classes = [teacher.class()];
        let enclosed = model(&classes, number(slope), number(4.0), number(0.05));
        // An enclosed state, by the enclosure that certificates rest on.
        let zero = number(0.0);
        let (mut numbers, mut tangent_classes) = (
            vec![Dual::constant(zero); 4],
            vec![Class { columns: Dual::constant(zero), counts: &[], weights: &[] }; 1],
        );
        let tangent = enclosed.mapped(Dual::constant, &mut numbers, &mut tangent_classes).unwrap();
        let sizes = sizes(&enclosed);
        let (mut floats, mut intervals) = (vec![0.0; sizes.floats], vec![zero; sizes.intervals]);
        let mut duals = vec![Dual::constant(zero); sizes.duals];
        let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
        let mut run = Enclosure::from_zero(enclosed, tangent, memory).unwrap();
        run.advance(4000);
        let (c, gap) = (run.c(), run.logits()[0]);
        let forever = Forever::prove(&enclosed, 4000, c, gap).unwrap();
        let all = forever.output_errors_from(4000);
        for steps in [4000, 4001, 10_000, 100_000] {
            let ([inside, outside], sum, _) = late(steps, slope);
            let then = forever.output_errors_after(steps);
            let from = forever.output_errors_from(steps);
            for (value, at, from, all) in [
                (inside, then.inside, from.inside, all.inside),
                (outside, then.outside, from.outside, all.outside),
                (sum, then.sum, from.sum, all.sum),
            ] {
                // Floats have few digits of what is a difference of numbers near 1/2.
                let slack = number(1e-14);
                let near = at + slack.hull(-slack);
                assert!(near.contains(value), "{slope} {steps}: {value} {at:?}");
                assert!((from + slack.hull(-slack)).contains(value));
                assert!((all + slack.hull(-slack)).contains(value));
                assert!(from.is_subset_of(all.hull(from)), "{from:?}");
            }
            assert!(then.outside.width() < 1e-4 * then.outside.hi(), "{:?}", then.outside);
        }
    }
}
