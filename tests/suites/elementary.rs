//! Elementary functions of points against values of 2400 binary digits, to the last float: what a
//! kernel computes beyond the digits of an `f64` shows here.

use popgd_core::Interval;
use popgd_core::scalar::Scalar;
use popgd_core::scalar::float::Float;

type I = Interval<f64>;

fn range(function: &str, x: I, y: I) -> I {
    match function {
        "exp" => x.exp(),
        "ln" => x.ln(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "atan" => x.atan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "one_minus_cos" => x.one_minus_cos(),
        "sin_minus_angle_cos" => x.sin_minus_angle_cos(),
        "atan2" => x.atan2(y),
        _ => panic!("no function {function}"),
    }
}

#[test]
fn ranges_of_points_lie_between_neighbouring_floats() {
    let text = include_str!("../reference/elementary.txt");
    let (mut points, mut wide) = (0, 0);
    let mut failures: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let function = words.next().expect("a function");
        let numbers: Vec<f64> = words
            .map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("bits")))
            .collect();
        let (arguments, bounds) = numbers.split_at(numbers.len() - 2);
        let point = |i: usize| arguments.get(i).map_or(I::EMPTY, |&x| I::point(x));
        let range = range(function, point(0), point(1));
        let (lo, hi) = (bounds[0], bounds[1]);
        if !(range.lo() <= lo && hi <= range.hi()) {
            failures.push(format!("{function} {arguments:?}: {range} without [{lo}, {hi}]"));
            continue;
        }
        // The series of sin x − x cos x costs a few digits, its zeros more.
        let slack = if function == "sin_minus_angle_cos" { 4 } else { 1 };
        let excess = |from: f64, to: f64, step: fn(f64) -> f64| {
            let mut x = from;
            (0..=slack).find(|_| {
                let found = x == to;
                x = step(x);
                found
            })
        };
        let below = excess(lo, range.lo(), Float::next_down);
        let above = excess(hi, range.hi(), Float::next_up);
        let near_zero = function == "sin_minus_angle_cos" && lo.abs() < 1e-10;
        assert!(
            near_zero || (below.is_some() && above.is_some()),
            "{function} {arguments:?}: {range}, best are {lo} and {hi}"
        );
        points += 1;
        wide += usize::from(below != Some(0) || above != Some(0));
    }
    println!("{points} points, {wide} not the tightest");
    for failure in &failures {
        println!("{failure}");
    }
    assert!(failures.is_empty(), "{} failures", failures.len());
    assert!(points > 2000 && wide < points / 20);
}
