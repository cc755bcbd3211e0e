//! The gradient is proven, and wrong ones are found out.
#![cfg(feature = "symbolic")]

use popgd_core::gradient_check::claim::{self, Claim};
use popgd_core::gradient_check::{Case, Coded, Encodings, Slope, exact, invariants, lumped, step};
use popgd_core::model::teacher::Shape;

const SLOPES: [Slope; 3] = [Slope::Fraction(1, 1), Slope::Fraction(0, 1), Slope::Symbol];

#[test]
fn the_gradient_is_proven() {
    for slope in SLOPES {
        for (channels, features, tokens) in
            [(1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2), (1, 1, 3), (1, 2, 3), (2, 1, 3), (2, 2, 3)]
        {
            for encodings in [Encodings::Identity, Encodings::General] {
                let case = Case { shape: Shape { tokens, channels, features }, slope, encodings };
                let start = std::time::Instant::now();
                let proofs = exact::check(&case, &Coded, 7).unwrap();
                let terms = proofs.iter().map(|proof| proof.terms).max().unwrap();
                let operations = proofs.iter().map(|proof| proof.operations).max().unwrap();
                println!(
                    "{case:?}: {} entries, {operations} operations, {terms} terms, {:.2?}",
                    proofs.len(),
                    start.elapsed()
                );
                for proof in &proofs {
                    assert_eq!(proof.verdict, exact::Verdict::Proven, "{case:?} {proof:?}");
                }
            }
        }
    }
}

fn assert_proven(claims: &[Claim]) {
    for claim in claims {
        println!("{claim:?}");
    }
    assert!(claim::all_proven(claims));
}

#[test]
fn the_lumped_step_is_proven() {
    for slope in SLOPES {
        assert_proven(&lumped::step_is_the_gradient(slope, 3).unwrap());
    }
}

#[test]
fn lumped_is_dense() {
    for tokens in 1..=6 {
        for group in 1..=tokens {
            let start = std::time::Instant::now();
            let claims = lumped::is_dense(tokens, group, Slope::Symbol, 5).unwrap();
            assert_proven(&claims);
            println!("{tokens} {group}: {:.2?}", start.elapsed());
        }
    }
}

#[test]
fn the_invariants_are_proven() {
    for slope in SLOPES {
        for (channels, features, tokens) in [(1, 1, 2), (2, 2, 2), (2, 2, 3), (2, 3, 3), (1, 2, 5)]
        {
            let shape = Shape { tokens, channels, features };
            assert_proven(&invariants::check(shape, slope, 5).unwrap());
        }
    }
}

#[test]
fn the_dense_step_is_descent() {
    for encodings in [Encodings::Identity, Encodings::General] {
        for (channels, features, tokens) in [(1, 2, 2), (2, 1, 3)] {
            let shape = Shape { tokens, channels, features };
            let case = Case { shape, slope: Slope::Symbol, encodings };
            assert_proven(&step::check(&case, 5).unwrap());
        }
    }
}
