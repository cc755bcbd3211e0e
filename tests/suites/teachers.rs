//! The paper's teachers, and what is refused.

use popgd_core::Error;
use popgd_core::model::classes::{Class, TwoLevel};
use popgd_core::model::positions::{Metric, Positions};
use popgd_core::model::teacher::{
    average_pooling, circulant_convolution, graph_convolution, partition_pooling, single_layer,
    token_selection,
};
use popgd_tests::generate;
use popgd_tests::largest_difference;
use quickcheck::Gen;

/// Scores as a picture: a line a query, a mark where it attends.
fn picture(scores: &[f64], tokens: usize) -> String {
    scores
        .chunks_exact(tokens)
        .map(|row| row.iter().map(|&s| if s > 0.0 { 'x' } else { '.' }).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn examples_look_as_in_the_paper() {
    let mut scores = [f64::NAN; 16];
    average_pooling(1.0, 4, 2, &mut scores).unwrap();
    assert_eq!(picture(&scores, 4), "xx.. xx.. ..xx ..xx");
    assert_eq!(partition_pooling(1.0, &[9, 7, 7, 9], &mut scores), Ok(2));
    assert_eq!(picture(&scores, 4), "x..x .xx. .xx. x..x");
    assert_eq!(circulant_convolution(1.0, 4, &[1], &mut scores), Ok(3));
    assert_eq!(picture(&scores, 4), "xx.x xxx. .xxx x.xx");
    assert!(scores.iter().all(|&s| s == 0.0 || s == 1.0 / 3.0));
    assert_eq!(circulant_convolution(1.0, 4, &[2], &mut scores), Ok(2));
    assert_eq!(picture(&scores, 4), "x.x. .x.x x.x. .x.x");
    assert_eq!(circulant_convolution(1.0, 4, &[], &mut scores), Ok(1));
    assert_eq!(picture(&scores, 4), "x... .x.. ..x. ...x");
    assert_eq!(graph_convolution(1.0, 4, &[(0, 1), (3, 2)], &mut scores), Ok(2));
    assert_eq!(picture(&scores, 4), "xx.. xx.. ..xx ..xx");
    let mut cycle = [0.0; 16];
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0)];
    assert_eq!(graph_convolution(1.0, 4, &edges, &mut cycle), Ok(3));
    assert_eq!(circulant_convolution(1.0, 4, &[1], &mut scores), Ok(3));
    assert_eq!(cycle, scores);
    token_selection(1.0, 4, &[3, 1], &mut scores).unwrap();
    assert_eq!(picture(&scores, 4), ".x.x .x.x .x.x .x.x");
    single_layer(1.0, 4, &mut scores).unwrap();
    assert_eq!(picture(&scores, 4), "x... .x.. ..x. ...x");
    for row in scores.chunks_exact(4) {
        assert_eq!(row.iter().sum::<f64>(), 1.0);
    }
}

#[test]
fn what_is_no_teacher_is_refused() {
    let mut s = [0.0; 16];
    let four = &mut s[..];
    assert_eq!(average_pooling(1.0, 4, 0, four), Err(Error::Group { tokens: 4, group: 0 }));
    assert_eq!(average_pooling(1.0, 4, 5, four), Err(Error::Group { tokens: 4, group: 5 }));
    assert_eq!(average_pooling(1.0, 4, 3, four), Err(Error::NotDivisible { tokens: 4, group: 3 }));
    assert!(matches!(average_pooling(1.0, 5, 5, four), Err(Error::Length { expected: 25, .. })));
    assert!(matches!(partition_pooling(1.0, &[], four), Err(Error::Empty { .. })));
    assert_eq!(
        partition_pooling(1.0, &[0, 0, 0, 1], four),
        Err(Error::UnequalGroups { token: 3, size: 1, expected: 3 })
    );
    assert!(matches!(graph_convolution(1.0, 0, &[], four), Err(Error::Empty { .. })));
    assert_eq!(
        graph_convolution(1.0, 4, &[(0, 4)], four),
        Err(Error::Index { index: 4, tokens: 4 })
    );
    for edges in [&[(0, 1), (1, 0)][..], &[(2, 2)], &[(0, 1), (2, 3), (0, 1)]] {
        assert!(matches!(graph_convolution(1.0, 4, edges, four), Err(Error::Repeated { .. })));
    }
    assert_eq!(
        graph_convolution(1.0, 4, &[(0, 1), (1, 2)], four),
        Err(Error::NotRegular { vertex: 1, degree: 2, expected: 1 })
    );
    assert!(matches!(circulant_convolution(1.0, 0, &[1], four), Err(Error::Empty { .. })));
    for offsets in [&[0][..], &[4], &[1, 1], &[1, 3], &[1, 5]] {
        assert!(matches!(
            circulant_convolution(1.0, 4, offsets, four),
            Err(Error::Repeated { .. })
        ));
    }
    assert_eq!(token_selection(1.0, 4, &[], four), Err(Error::Group { tokens: 4, group: 0 }));
    assert_eq!(token_selection(1.0, 4, &[4], four), Err(Error::Index { index: 4, tokens: 4 }));
    assert_eq!(token_selection(1.0, 4, &[1, 1], four), Err(Error::Repeated { index: 1 }));
    assert!(s.iter().all(|&x| x == 0.0), "a refusal writes nothing");
    for error in [
        Error::Group { tokens: 4, group: 5 },
        Error::NotDivisible { tokens: 4, group: 3 },
        Error::Index { index: 4, tokens: 4 },
        Error::NotRegular { vertex: 1, degree: 2, expected: 1 },
    ] {
        assert!(error.to_string().contains('4') || error.to_string().contains("vertex 1"));
    }
}

#[test]
fn classes_know_their_support_and_norm() {
    let two = TwoLevel::new(12.0, 3.0);
    assert_eq!(two.class().support(0.0), (3.0, 9.0));
    assert_eq!(two.class().square_norm(0.0), 3.0 * (1.0_f64 / 3.0).powi(2));
    assert_eq!(two.class().columns, 12.0);
    let full = TwoLevel::new(3.0, 3.0);
    assert_eq!(full.class().counts, &[3.0]);
    assert_eq!(full.class().support(0.0), (3.0, 0.0));
    let class = Class { columns: 2.0, counts: &[1.0, 2.0, 4.0], weights: &[0.5, 0.25, 0.0] };
    assert_eq!(class.support(0.0), (3.0, 4.0));
    assert_eq!(class.square_norm(0.0), 0.25 + 2.0 * 0.0625);
    assert_eq!(class.levels().count(), 3);
}

#[test]
fn positions_are_the_products_of_their_definition() {
    let mut g = Gen::from_size_and_seed(10, 5);
    let side = 3;
    let [p, q] = [(); 2].map(|()| generate::entries(&mut g, side * side));
    let turn = |m: &[f64]| -> Vec<f64> {
        (0..side * side).map(|k| m[(k % side) * side + k / side]).collect()
    };
    let mut logits = vec![0.0; 9];
    let mut scratch = vec![0.0; 9];
    let general = Positions::General(&p);
    general.logits(side, &q, 2.0, &mut logits, &mut scratch).unwrap();
    let by_hand = generate::product(&generate::product(&turn(&p), &q, side), &p, side);
    let by_hand: Vec<f64> = turn(&by_hand).iter().map(|z| z / 2.0).collect();
    assert!(largest_difference(&logits, &by_hand) < 1e-15);

    let mut gradient = vec![0.0; 9];
    general.key_query_gradient(side, &q, 2.0, &mut gradient, &mut scratch).unwrap();
    let by_hand = generate::product(&generate::product(&p, &turn(&q), side), &turn(&p), side);
    let by_hand: Vec<f64> = by_hand.iter().map(|z| z / 2.0).collect();
    assert!(largest_difference(&gradient, &by_hand) < 1e-15);

    let mut gram = vec![0.0; 9];
    general.gram(1.0, side, &mut gram).unwrap();
    assert!(largest_difference(&gram, &generate::product(&turn(&p), &p, side)) < 1e-15);

    let identity = Positions::Identity;
    identity.logits(side, &q, 2.0, &mut logits, &mut scratch).unwrap();
    let halves: Vec<f64> = turn(&q).iter().map(|z| z / 2.0).collect();
    assert_eq!(logits, halves);
    identity.key_query_gradient(side, &q, 2.0, &mut gradient, &mut scratch).unwrap();
    assert_eq!(gradient, halves);
    identity.gram(1.0, side, &mut gram).unwrap();
    assert_eq!(gram, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);

    let metric = general.metric(side, 2.0, &mut gram).unwrap();
    assert!(matches!(metric, Metric::Gram { temperature: 2.0, gram } if gram.len() == 9));
    let metric = identity.metric(side, 2.0, &mut []).unwrap();
    assert!(matches!(metric, Metric::Gain(0.25)));
    assert!(general.metric(side, 2.0, &mut []).is_err());

    assert!(general.logits(side, &q[..8], 2.0, &mut logits, &mut scratch).is_err());
    assert!(general.logits(side, &q, 2.0, &mut logits[..8], &mut scratch).is_err());
    assert!(general.logits(side, &q, 2.0, &mut logits, &mut scratch[..8]).is_err());
    assert!(Positions::General(&p[..8]).gram(1.0, side, &mut gram).is_err());
    assert!(
        Positions::Orthogonal(&p[..8])
            .key_query_gradient(side, &q, 2.0, &mut gradient, &mut scratch)
            .is_err()
    );
    assert!(identity.gram(1.0, side, &mut gram[..8]).is_err());
}
