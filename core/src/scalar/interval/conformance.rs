//! What each operation promises, how tight it is, and on what evidence.
//!
//! This page holds no code. Tiers: **proven** means that note 5 of the repository's `proofs-notes`
//! bounds every error by hand; *cited* that the statement is taken from the literature; *measured*
//! that it was seen in tests only. No enclosure is less than proven, given that the hardware (or
//! its emulation) computes sums, products, quotients and roots as IEEE 754 says. How *often* an end
//! is the best one is measured.
//!
//! # Operations
//! Best: each end is the best float. Nearly best: an end lies at most one float farther out, and
//! that only where the value is within 2⁻⁶² of a float.
//!
//! | operation | domain | tightness | tier |
//! |---|---|---|---|
//! | `neg`, `abs` (`fold`), `sign`, `min`, `max` | all | best | proven, exact |
//! | `+`, `-`, `*`, `square`, `fma` | all | best, through overflow and underflow | proven |
//! | `/`, `recip` | divisor ≠ 0 | best | proven |
//! | `sqrt` | x ≥ 0 | best | proven |
//! | `integer`, `lift`, `pi`, text | all | best (text: up to 400 digits) | proven |
//! | `rational` | denominator ≠ 0 | best, if both are floats | proven |
//! | `pown` | x ≠ 0 if n < 0 | nearly best; best while squares are exact | proven |
//! | `exp` | all | nearly best | proven |
//! | `ln` | x > 0 | nearly best | proven |
//! | `sin`, `cos` | all | nearly best, at any size; range \[−1, 1\] from a width of 6 on | proven |
//! | `asin`, `acos` | \|x\| ≤ 1 | nearly best, also near ±1 | proven |
//! | `atan`, `atan2`, `argument` | all; `argument` without the origin | nearly best | proven |
//! | `one_minus_cos` | all | nearly best, also near multiples of 2π; two floats below 2⁻²⁰⁰ | proven |
//! | `sin_minus_angle_cos` | all | up to three floats; near its zeros the error is absolute; some floats beyond ±π | proven |
//! | `softmax`, `wedge`, chord | all | as the operations they are made of | proven |
//! | `intersection`, `hull`, relations, `inf`, `sup`, `mag`, `mig` | all | exact | proven |
//! | `mid` | not empty | the nearest float, in the interval; ±MAX if one end is infinite | proven |
//! | `rad`, `wid` | not empty | best from above | proven |
//!
//! "Best" for an interval argument means the best enclosure of the range over that interval.
//! `f32` uses the kernels of `f64` and rounds once more.
//!
//! # Evidence
//! * **ITF1788** (`tests/suites/itf1788.rs`): of 7137 cases, 2183 are bare cases of operations that
//!   exist here. All 2183 give exactly the expected interval, the 560 of elementary functions and
//!   `pown` included (where two floats a side were allowed). The others are decorated or of
//!   operations left out; the test prints the counts of each.
//!   The files are public: folder `itl` of <https://github.com/oheim/ITF1788>; the test reads the
//!   folder that `ITF1788_DIR` names.
//! * **Values** with 2400 digits (`tests/suites/elementary.rs`), 2090 points.
//! * **Properties** (`tests/suites/intervals.rs`): inclusion, isotonicity and identities, with
//!   generators for subnormals, neighbours of ±1 and of multiples of π/2, huge and unbounded ends.
//! * **`f32`** (`core/tests/single_precision.rs`, points against `f64` references): `exp`, `ln` and
//!   `atan` at all 4 278 190 080 finite inputs (`POPGD_EXHAUSTIVE=1`): 0 failures, no end farther out than the
//!   best float as far as the reference can tell. `sin`, `cos`, `asin`, `acos`, `one_minus_cos`,
//!   `sin_minus_angle_cos`, `sqrt`, `square` and `recip` at every 61st input, 70 134 264 each: the
//!   same. Where the reference lies within its own error of an end (tiny arguments, mostly) it
//!   cannot decide on which side the value is; such points are counted apart.
//! * **`f64`** (`tests/peers`, program `mpfr`), 10⁷ points a function against MPFR, many beside 0, ±1,
//!   multiples of π/2 up to 10²², the edges of overflow and underflow, and subnormals: 0 failures, no
//!   end more than one float farther out than the best. Points with such an end: `exp` 0.09 %,
//!   `ln` 3.3 % (neighbours of 1, whose logarithms lie very near floats), `sin` and `cos` 0.22 %, `atan`
//!   0.12 %, `asin` and `atan2` 0.19 %, `acos` 0.26 %. With 3·10⁵ points only: `one_minus_cos` 2.8 %;
//!   `sin_minus_angle_cos` 8 %, up to three floats away from its zeros, nine beside one of them.
//! * **Deliberate faults**: a term that matters, left out of the kernels of `exp`, `ln`, `sin`, the angle,
//!   `pown` and the reduction, makes a test fail; so does a constant changed in the seventh digit in
//!   that of `sin_minus_angle_cos`. Terms below the declared error (2⁻⁶²) escape the tests: there the
//!   proof is the only witness.
//!
//! # What of IEEE 1788.1 is left out
//! * Decorations: there is no NaI. A refused text is an error, an invalid construction is `None`.
//! * `exp2`, `exp10`, `log2`, `log10`, `tan`, hyperbolic functions, `pow` with real exponents, `ceil`,
//!   `floor`, `trunc` and the two roundings: the library needs none of them.
//! * `cancelPlus`, `cancelMinus`, reverse functions, `overlap`, reductions.
//! * Signals: an interval literal whose ends rounding may have swapped is enclosed silently.
//! * Interchange encodings.
//!
//! # Speed
//! Nanoseconds per operation on `f64` intervals by `tests/peers`, program `speed`: the best of some
//! runs of nine rounds on one busy x86-64 machine, all three crates compiled for Haswell. Single
//! runs differ by up to a factor of 3 for inari and more for maryada.
//!
//! | | popgd | inari 2.0.0 | maryada 0.2.1 | inari ÷ popgd | maryada ÷ popgd |
//! |---|---|---|---|---|---|
//! | add | 3.9 | 8.2 | 7.7 | 2.1 | 2.0 |
//! | sub | 3.9 | 23 | 6.7 | 5.8 | 1.7 |
//! | mul | 9.0 | 7.3 | 65 | 0.8 | 7.3 |
//! | div | 15.5 | 7.7 | 107 | 0.5 | 6.9 |
//! | sqrt | 10.2 | 56 | 77 | 5.5 | 7.5 |
//! | exp | 38 | 1444 | 26 | 38 | 0.7 |
//! | ln | 51 | 1704 | 20 | 33 | 0.4 |
//! | sin | 125 | 1732 | 19 280 | 14 | 154 |
//! | cos | 124 | 1045 | 26 600 | 8 | 215 |
//! | asin | 76 | 3939 | 3331 | 52 | 44 |
//! | acos | 76 | 3907 | 3346 | 52 | 44 |
//! | atan2 | 68 | 3354 | 36 400 | 49 | 535 |
//!
//! inari multiplies and divides with the fused multiply-add and the vector instructions that it
//! requires; here Dekker's products run on any target. maryada's exp and ln are those of `libm`,
//! moved by one float without a proven error; here twice the digits are computed.
