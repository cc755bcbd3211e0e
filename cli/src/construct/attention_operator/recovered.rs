//! The weights of atoms, from values of the operator; and ln M as an integral of it.

use popgd_core::in_context::attention_operator::recovery::{
    enclose, scratch, solve, write_equations,
};
use popgd_core::in_context::attention_operator::{Measure, rate_of_log_moment};
use popgd_core::scalar::float::Float;
use popgd_core::{Error, Interval};

use super::AttentionOperatorSettings;
use super::instance::{Instance, center};
use crate::construct::comparison::greater;
use crate::construct::random;
use crate::construct::report::{Claim, Status, Verdict};
use crate::construct::share::Share;
use crate::scalar::{CliScalar, Number};

/// More atoms than these are not recovered: it takes a time that grows with their third power.
const MOST: usize = 128;

/// Exponents of queries are up to this.
const REACH: f64 = 6.0;

/// What was recovered, and how well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovered {
    is_rigorous: bool,
    is_own: bool,
    checked: u64,
    undetermined: u64,
    repeated: u64,
    off: Share,
    condition: f64,
    missed: u64,
    width: Share,
    widest: f64,
    integrals: u64,
    integral: f64,
}

impl Recovered {
    pub(super) fn new(is_rigorous: bool, is_own: bool) -> Self {
        Self {
            is_rigorous,
            is_own,
            checked: 0,
            undetermined: 0,
            repeated: 0,
            off: Share::default(),
            condition: 0.0,
            missed: 0,
            width: Share::default(),
            widest: 0.0,
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
                self.repeated += u64::from(is_repeated(floats));
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
        let mut enclosures = vec![Interval::point(0.0); n];
        let mut scratch = enclosures.clone();
        let inverse = &room[..n * n];
        enclose(&equations, &picked, inverse, &weights, &mut enclosures, &mut scratch)?;
        // How far the equations themselves leave the weights open: through the inverse, row by row.
        let open = openness(&equations, &picked, &weights);
        for (at, (found, given)) in enclosures.iter().zip(&exact.weights).enumerate() {
            let truth = *given / mass;
            self.missed += u64::from(found.is_disjoint_from(truth));
            let through = inverse[at * n..][..n].iter().zip(&open).map(|(c, e)| c.abs() * e);
            self.width.add(Number::Float(found.width()), Number::Float(through.sum()));
            self.widest = greater(self.widest, found.width());
            // In floats: the proven error of what they found, and roundings of the truth.
            let (lo, hi) = (found.lo() - truth.hi(), found.hi() - truth.lo());
            let proven = hi.max(-lo);
            let off = (weights[at] - center(truth)).abs();
            let rounded = 4.0 * f64::EPSILON * center(truth);
            self.off.add(Number::Float(off), Number::Float(proven + rounded));
        }
        if !self.is_rigorous {
            return Ok(weights.iter().map(|x| x.report()).collect());
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
        self.integral = greater(self.integral, (integral - moment).abs() / scale);
        Ok(())
    }

    /// What was found on other instances, too.
    pub(super) fn merge(&mut self, other: &Self) {
        self.checked += other.checked;
        self.undetermined += other.undetermined;
        self.repeated += other.repeated;
        self.off.merge(&other.off);
        self.condition = self.condition.max(other.condition);
        self.missed += other.missed;
        self.width.merge(&other.width);
        self.widest = greater(self.widest, other.widest);
        self.integrals += other.integrals;
        self.integral = greater(self.integral, other.integral);
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
        let condition = format!("condition {:.1e} at most", self.condition);
        if determined > 0 && self.is_rigorous {
            claims.push(Claim::at_most(
                "recovery",
                format!("weights of atoms outside of what is recovered, {condition}"),
                determined,
                self.missed as f64,
                0.0,
                Status::Proven,
            ));
            let title = format!(
                "width of recovered weights ({:.1e} at most) over what equations leave open",
                self.widest
            );
            let mut claim = self.width.claim("recovery_width", title, Status::Proven);
            // A wide enclosure is true all the same.
            if claim.verdict == Verdict::Fails {
                claim.verdict = Verdict::Open;
            }
            claims.push(claim);
        } else if determined > 0 {
            let title =
                format!("error of recovered weights over what is proven of it, {condition}");
            claims.push(self.off.claim("recovery", title, Status::Measured));
        }
        if self.repeated > 0 {
            let title = "measures with an atom that is given twice";
            let (number, status) = (self.repeated as f64, Status::Measured);
            claims.push(Claim::at_most("repeated", title, 0, number, 0.0, status).open());
        }
        let others = self.undetermined - self.repeated;
        if others > 0 {
            // That as many atoms are too near to be told apart in doubles is no claim about the operator:
            // it is told, and open only for those of one's own, whose weights were asked for.
            let title = "measures whose weights equations do not determine in doubles";
            let most = f64::INFINITY;
            let status = Status::Measured;
            let claim = Claim::at_most("undetermined", title, others, others as f64, most, status);
            claims.push(if self.is_own { claim.open() } else { claim.not_applicable() });
        }
        claims
    }
}

/// Whether an atom is given twice.
fn is_repeated(floats: &Instance<f64>) -> bool {
    let atoms: Vec<&[f64]> = floats.atoms.chunks_exact(floats.dimension).collect();
    atoms.iter().enumerate().any(|(at, atom)| atoms[..at].contains(atom))
}

/// How far each picked equation is open at these weights: four times what its widths and a rounding of
/// each term come to, the room for what is of second order.
fn openness(equations: &[Interval<f64>], picked: &[usize], weights: &[f64]) -> Vec<f64> {
    let rounding = 4.0 * f64::EPSILON;
    let row = |&from: &usize| -> f64 {
        let of = |at: usize| equations.get(from * weights.len() + at);
        let terms = weights.iter().enumerate().map(|(at, x)| {
            let (width, size) = of(at).map_or((0.0, 1.0), |m| (m.width(), m.magnitude()));
            (width + rounding * size) * x.abs()
        });
        4.0 * (terms.sum::<f64>() + rounding)
    };
    picked.iter().map(row).collect()
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
