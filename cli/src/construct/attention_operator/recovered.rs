//! The weights of atoms, from values of the operator; and ln M as an integral of it.

use popgd_core::in_context::attention_operator::recovery::{
    enclose, scratch, solve, write_equations,
};
use popgd_core::in_context::attention_operator::{Measure, rate_of_log_moment};
use popgd_core::scalar::float::Float;
use popgd_core::{Error, Interval};

use super::AttentionOperatorSettings;
use super::instance::{Instance, center};
use crate::construct::random;
use crate::construct::report::{Claim, Status};
use crate::scalar::{CliScalar, Number};

/// More atoms than these are not recovered: it takes a time that grows with their third power.
const MOST: usize = 128;

/// Exponents of queries are up to this.
const REACH: f64 = 6.0;

/// What was recovered, and how well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovered {
    is_rigorous: bool,
    checked: u64,
    undetermined: u64,
    off: f64,
    condition: f64,
    missed: u64,
    width: f64,
    integrals: u64,
    integral: f64,
}

impl Recovered {
    pub(super) fn new(is_rigorous: bool) -> Self {
        Self {
            is_rigorous,
            checked: 0,
            undetermined: 0,
            off: 0.0,
            condition: 0.0,
            missed: 0,
            width: 0.0,
            integrals: 0,
            integral: 0.0,
        }
    }

    /// Recovers the weights of an instance, and returns them; none if they are too many or not
    /// determined.
    pub(super) fn watch(
        &mut self,
        settings: &AttentionOperatorSettings,
        index: u64,
        floats: &Instance<f64>,
    ) -> Result<Vec<Number>, Error> {
        self.integrate(floats)?;
        if settings.count > MOST {
            return Ok(Vec::new());
        }
        self.checked += 1;
        let exact = Instance::<Interval<f64>>::of(settings, index);
        match self.recover(floats, &exact) {
            Ok(weights) => Ok(weights),
            Err(Error::Singular) => {
                self.undetermined += 1;
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    fn recover(
        &mut self,
        floats: &Instance<f64>,
        exact: &Instance<Interval<f64>>,
    ) -> Result<Vec<Number>, Error> {
        let n = floats.weights.len();
        let (equations, rows) = equations(exact, floats)?;
        let approximate: Vec<f64> = equations.iter().map(|x| center(*x)).collect();
        let (mut weights, mut picked) = (vec![0.0; n], vec![0; n]);
        let mut room = vec![0.0; scratch(rows, n)];
        let solved = solve(&approximate, &mut weights, &mut picked, &mut room)?;
        self.condition = self.condition.max(solved.condition);
        let mass = exact.measure()?.mass();
        if !self.is_rigorous {
            for (weight, given) in weights.iter().zip(&floats.weights) {
                self.off = self.off.max((weight - given / center(mass)).abs() / solved.condition);
            }
            return Ok(weights.iter().map(|x| x.report()).collect());
        }
        let mut enclosures = vec![Interval::point(0.0); n];
        let mut scratch = enclosures.clone();
        let inverse = &room[..n * n];
        enclose(&equations, &picked, inverse, &weights, &mut enclosures, &mut scratch)?;
        for (found, given) in enclosures.iter().zip(&exact.weights) {
            self.missed += u64::from(found.is_disjoint_from(*given / mass));
            self.width = self.width.max(found.width());
        }
        Ok(enclosures.iter().map(|x| x.report()).collect())
    }

    /// ln M_μ(Aᵀx) beside the integral of the operator along the way, by Gauss and Legendre's three
    /// nodes on pieces.
    fn integrate(&mut self, floats: &Instance<f64>) -> Result<(), Error> {
        const PIECES: u32 = 64;
        let measure = floats.measure()?;
        let along = floats.slope_of(&floats.matrix)?;
        let mut mean = along.clone();
        let reference = measure.reference(&along, |x| x);
        let moment = measure.log_moment(&along, reference, &mut mean)?;
        let mut scratch = vec![0.0; 2 * floats.dimension];
        let mut integral = 0.0;
        for piece in 0..PIECES {
            for (node, weight) in [(-0.6_f64.sqrt(), 5.0), (0.0, 8.0), (0.6_f64.sqrt(), 5.0)] {
                let time = (f64::from(piece) + 0.5 + 0.5 * node) / f64::from(PIECES);
                let rate = rate_of_log_moment(&measure, &along, time, |x| x, &mut scratch)?;
                integral += weight / 18.0 * rate / f64::from(PIECES);
            }
        }
        self.integrals += 1;
        // The rule errs by h⁶/2016000 times the sixth derivative of the integrand, the seventh cumulant
        // of exponents; and by some roundings.
        let size = random::norm(&along) * floats.radius;
        let pieces = f64::from(PIECES);
        let error = 720.0 * size.powi(7) / pieces.powi(6) / 2_016_000.0;
        let scale = error + 1e-13 * (1.0 + size);
        self.integral = self.integral.max((integral - moment).abs() / scale);
        Ok(())
    }

    /// What was found, as claims.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let mut claims = vec![Claim::at_most(
            "log_moment",
            "ln M less the integral of the operator, over the error of quadrature",
            self.integrals,
            self.integral,
            1.0,
            Status::Measured,
        )];
        if self.checked == 0 {
            return claims;
        }
        let determined = self.checked - self.undetermined;
        let claim = |name, title: String, measured, most, status| {
            Claim::at_most(name, title, determined, measured, most, status)
        };
        let condition = format!("condition {:.1e} at most", self.condition);
        if determined > 0 && self.is_rigorous {
            claims.extend([
                claim(
                    "recovery",
                    format!("weights of atoms outside of what is recovered, {condition}"),
                    self.missed as f64,
                    0.0,
                    Status::Proven,
                ),
                claim(
                    "recovery_width",
                    "width of recovered weights over 1e−14 times the condition".to_owned(),
                    self.width / (1e-14 * self.condition),
                    1.0,
                    Status::Proven,
                ),
            ]);
        } else if determined > 0 {
            claims.push(claim(
                "recovery",
                format!("error of recovered weights over the condition, {condition}"),
                self.off,
                1e-15,
                Status::Measured,
            ));
        }
        if self.undetermined > 0 {
            claims.push(Claim::at_most(
                "undetermined",
                "measures whose weights the equations do not determine (the same atom twice?)",
                0,
                self.undetermined as f64,
                0.0,
                Status::Measured,
            ));
        }
        claims
    }
}

/// The equations of one query an atom, along it; and how many rows they are.
fn equations(
    exact: &Instance<Interval<f64>>,
    floats: &Instance<f64>,
) -> Result<(Vec<Interval<f64>>, usize), Error> {
    let (d, n) = (exact.dimension, exact.weights.len());
    let truth = exact.measure()?;
    let known = Measure::new(d, &exact.atoms, None)?;
    let square = floats.radius * floats.radius;
    let share = if square > 0.0 { REACH / square } else { 0.0 };
    let mut equations = vec![Interval::point(0.0); d * n * n];
    let mut mean = vec![Interval::point(0.0); d];
    let near = |x: Interval<f64>| x.midpoint();
    for (atom, part) in floats.atoms.chunks_exact(d).zip(equations.chunks_exact_mut(d * n)) {
        let along: Vec<_> = atom.iter().map(|x| Interval::point(share * x)).collect();
        truth.tilt(&along, truth.reference(&along, near), &mut mean)?;
        write_equations(&known, &along, &mean, known.reference(&along, near), part)?;
    }
    debug_assert!(equations.iter().all(|x| Float::is_finite(x.lo())));
    Ok((equations, d * n))
}
