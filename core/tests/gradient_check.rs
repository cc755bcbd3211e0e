//! The gradient is proven, and wrong ones are found out.
#![cfg(feature = "symbolic")]

use popgd_core::gradient_check::{Case, Coded, Encodings, Slope, exact};
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
