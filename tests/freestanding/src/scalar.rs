//! `popgd_core::scalar`.

use crate::input::{Input, room};
use core::hint::black_box;
use core::ops::{Add, Div, Mul, Neg, Sub};
use core::str::FromStr;
use popgd_core::Scalar;
use popgd_core::scalar::Logarithm;
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;

#[inline(never)]
pub(crate) fn scalar<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let number = || input.number();
    black_box(Add::add(number(), number()));
    black_box(Sub::sub(number(), number()));
    black_box(Mul::mul(number(), number()));
    black_box(Div::div(number(), number()));
    black_box(Neg::neg(number()));

    black_box(Scalar::lift(number(), input.float()));
    black_box(Scalar::rational(number(), input.integer(), input.integer()));
    black_box(Scalar::integer(number(), input.integer()));
    black_box(Scalar::zero(number()));
    black_box(Scalar::one(number()));
    black_box(Scalar::pi(number()));

    black_box(Scalar::is_zero(number()));
    black_box(Scalar::if_zero(number(), number(), number()));
    black_box(Scalar::doubts_zero(number()));
    black_box(Scalar::is_number(number()));
    black_box(Scalar::detached(number()));
    black_box(Scalar::sign(number()));
    black_box(Scalar::fold(number()));
    black_box(Scalar::absolute(number()));
    black_box(Scalar::square(number()));
    black_box(Scalar::sqrt(number()));
    black_box(Scalar::norm(number()));
    black_box(Scalar::hypot(number(), number()));
    black_box(Scalar::exp(number()));
    black_box(Scalar::sin(number()));
    black_box(Scalar::cos(number()));
    black_box(Scalar::atan2(number(), number()));
    black_box(Scalar::one_minus_cos(number()));
    black_box(Scalar::sin_minus_angle_cos(number()));
    black_box(Scalar::two_sum(number(), number()));
    black_box(Scalar::product_difference(number(), number(), number(), number()));

    Scalar::exp_slice(room(memory));
    Scalar::atan2_slice(input.numbers(), room(memory));
    black_box(Scalar::dot(number(), input.numbers(), input.numbers()));
    Scalar::softmax(input.counts(), input.numbers(), room(memory));
    black_box(Scalar::wedge(number(), input.counts(), input.numbers(), input.numbers()));
    black_box(room(memory));
}

/// What has a logarithm.
#[inline(never)]
pub(crate) fn logarithm<S: Logarithm>(input: &Input<'_, S>, _: &mut [S]) {
    black_box(Logarithm::ln(input.number()));
}

/// What only `f32` and `f64` have.
#[inline(never)]
pub(crate) fn float<F: Float>(input: &Input<'_, F>, _: &mut [F]) {
    let number = || input.number();
    black_box::<F>(Float::from_f64(input.float()));
    black_box(Float::to_f64(number()));
    black_box(Float::next_up(number()));
    black_box(Float::next_down(number()));
    black_box(Float::stepped(number(), black_box(true), black_box(false)));
    black_box(Float::is_negative(number()));
    black_box(Float::is_moderate(number()));
    black_box(Float::is_nan(number()));
    black_box(Float::is_finite(number()));
    black_box(Float::abs(number()));
    black_box(Float::min(number(), number()));
    black_box(Float::max(number(), number()));
    black_box(Float::two_product(number(), number()));
}

/// What only intervals have.
#[inline(never)]
pub(crate) fn interval<F: Float>(input: &Input<'_, Interval<F>>, _: &mut [Interval<F>]) {
    let interval = || input.number();
    let float = || black_box(Interval::lo(input.number()));
    black_box(Interval::new(float(), float()));
    black_box(Interval::point(float()));
    black_box(Interval::hi(interval()));
    black_box(Interval::width(interval()));
    black_box(Interval::midpoint(interval()));
    black_box(Interval::magnitude(interval()));
    black_box(Interval::is_empty(interval()));
    black_box(Interval::is_bounded(interval()));
    black_box(Interval::contains(interval(), float()));
    black_box(Interval::contains_interval(interval(), interval()));
    black_box(Interval::intersection(interval(), interval()));
    black_box(Interval::hull(interval(), interval()));
    black_box(PartialEq::eq(&interval(), &interval()));
    black_box(Interval::recip(interval()));
    black_box(Interval::abs(interval()));
    black_box(Interval::ln(interval()));
    black_box(Interval::atan(interval()));
    black_box(Interval::asin(interval()));
    black_box(Interval::acos(interval()));
    black_box(Interval::inf(interval()));
    black_box(Interval::sup(interval()));
    black_box(Interval::mid(interval()));
    black_box(Interval::rad(interval()));
    black_box(Interval::wid(interval()));
    black_box(Interval::mag(interval()));
    black_box(Interval::mig(interval()));
    black_box(Interval::is_entire(interval()));
    black_box(Interval::is_singleton(interval()));
    black_box(Interval::is_common(interval()));
    black_box(Interval::min(interval(), interval()));
    black_box(Interval::max(interval(), interval()));
    black_box(Interval::argument(interval(), interval()));
    black_box(Interval::is_subset_of(interval(), interval()));
    black_box(Interval::is_interior_to(interval(), interval()));
    black_box(Interval::is_disjoint_from(interval(), interval()));
    black_box(Interval::is_weakly_less_than(interval(), interval()));
    black_box(Interval::is_strictly_less_than(interval(), interval()));
    black_box(Interval::precedes(interval(), interval()));
    black_box(Interval::strictly_precedes(interval(), interval()));
    black_box(Interval::fma(interval(), interval(), interval()));
    black_box(Interval::pown(interval(), input.integer() as i32));
    let _ = black_box(<Interval<F> as FromStr>::from_str(input.text()));
}

/// What only duals have.
#[inline(never)]
pub(crate) fn dual<T: Scalar, const N: usize>(input: &Input<'_, Dual<T, N>>, _: &mut [Dual<T, N>]) {
    let value = || input.number().value;
    black_box(Dual::<T, N>::constant(value()));
    black_box(Dual::<T, N>::variable(value(), input.size()));
}
