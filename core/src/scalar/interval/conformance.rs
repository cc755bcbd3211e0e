//! What each operation promises, how tight it is, and on what evidence.
//!
//! This page holds no code. Tiers: **proven** means that note 5 of the repository's `proofs-notes`
//! bounds every error by hand; *cited* that the statement is taken from the literature; *measured*
//! that it was seen in tests only. No enclosure is less than proven, given that the hardware (or
//! its emulation) computes sums, products, quotients and roots as IEEE 754 says. How *often* an end
//! is the best one is measured, and so is that `exp` and `ln` of a wider interval are never
//! narrower.
//!
//! As IEEE 754 says means: each operation rounded once, to nearest, subnormals included. That
//! excludes 32-bit x86 without SSE2 (the x87 computes with extended precision and rounds twice),
//! for which the crate refuses to compile; threads that flush subnormals to zero or take them for
//! zero; and threads with another rounding mode. The last two a library cannot see: whoever changes
//! them has to change them back before calling it.
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
//! | `one_minus_cos` | all | nearly best, also near 2πk; two floats below 2⁻²⁰⁰ | proven |
//! | `sin_minus_angle_cos` | all | up to three floats; near zeros absolute; some beyond ±π | proven |
//! | `softmax`, `wedge`, chord | all | as the operations they are made of | proven |
//! | `intersection`, `hull`, relations, `inf`, `sup`, `mag`, `mig` | all | exact | proven |
//! | `mid` | not empty | the nearest float, in the interval; ±MAX if one end is infinite | proven |
//! | `rad`, `wid` | not empty | best from above | proven |
//!
//! "Best" for an interval argument means the best enclosure of the range over that interval. `f32`
//! uses the kernels of `f64` and rounds once more.
//!
//! # Evidence
//! * **ITF1788** (`tests/suites/itf1788.rs`): of 7137 cases, 2183 are bare cases of operations that
//!   exist here. All 2183 give exactly the expected interval, the 560 of elementary functions and
//!   `pown` included (where two floats a side were allowed). The others are decorated or of
//!   operations left out; the test prints the counts of each. The files are public: folder `itl` of
//!   <https://github.com/oheim/ITF1788>; the test reads the folder that `ITF1788_DIR` names.
//! * **Values** with 2400 digits (`tests/suites/elementary.rs`), 2090 points.
//! * **Properties** (`tests/suites/intervals.rs`): inclusion, isotonicity and identities, with
//!   generators for subnormals, neighbours of ±1 and of multiples of π/2, huge and unbounded ends;
//!   20 000 cases each, always the same (`POPGD_SEED` and `POPGD_CASES` change them); 3 · 10⁶ cases
//!   each were run once, none failed. `sin_minus_angle_cos` is isotonic on \[−π, π\] only: beyond,
//!   the range comes from another formula than the values do, and may be the tighter one.
//! * **`f32`** (`core/tests/single_precision.rs`, points against `f64` references): all twelve
//!   functions of one argument (`exp`, `ln`, `sin`, `cos`, `atan`, `asin`, `acos`, `one_minus_cos`,
//!   `sin_minus_angle_cos`, `sqrt`, `square`, `recip`) at all 4 278 190 080 finite inputs
//!   (`POPGD_EXHAUSTIVE=1`): 0 failures, no end farther out than the best float as far as the
//!   reference can tell (largest and mean excess 0). Of these inputs 2 147 483 646 are outside of
//!   the domain of `asin` and `acos`. Where the reference lies within its own error of an end (tiny
//!   arguments, mostly) it cannot decide on which side the value is; such points are counted apart.
//! * **`f64`** (`tests/peers`, program `mpfr`), 10⁷ points a function against MPFR, many beside 0,
//!   ±1, multiples of π/2 up to 10²², the edges of overflow and underflow, and subnormals: 0
//!   failures, no end more than one float farther out than the best. Points with such an end: `exp`
//!   0.09 %, `ln` 3.2 % (neighbours of 1, whose logarithms lie very near floats), `sin` and `cos`
//!   0.22 %, `atan` 0.12 %, `asin` and `atan2` 0.19 %, `acos` 0.26 %, `one_minus_cos` 2.8 %. Of
//!   `sin_minus_angle_cos` 8 % have one, at most three floats away, but for points beside its
//!   zeros: there up to 261 floats were seen.
//! * **Fuzzing** (`tests/fuzz`): arbitrary bits and texts into every operation, in both formats; no
//!   panic, every result an interval, every range around those of points of its arguments. 33 440
//!   executions by cargo-fuzz with the address sanitizer, 600 000 of the same body by its random
//!   driver: none failed. Since then the body also asserts that sums, products, quotients, squares
//!   and roots of points have no width exactly where integers say that they are floats: 260 000
//!   executions by the random driver, none failed.
//! * **Miri**: 16 tests of `core/tests/interval.rs` (without the long loops) for s390x, where it
//!   can run `libm`'s root and the order of bytes is the other one, and the unit tests of `exact`
//!   and `natural` for x86-64, with `-Zmiri-deterministic-floats` (or Miri makes powers inexact):
//!   nothing found.
//! * **Deliberate faults**: a term that matters, left out of the kernels of `exp`, `ln`, `sin`, the
//!   angle, `pown` and the reduction, makes a test fail; so does a constant changed in the seventh
//!   digit in that of `sin_minus_angle_cos`. Terms below the declared error (2⁻⁶²) escape the
//!   tests: there the proof is the only witness.
//!
//! # What of IEEE 1788.1 is left out
//! * Decorations: there is no NaI. A refused text is an error, an invalid construction is `None`.
//! * `exp2`, `exp10`, `log2`, `log10`, `tan`, hyperbolic functions, `pow` with real exponents,
//!   `ceil`, `floor`, `trunc` and the two roundings: the library needs none of them.
//! * `cancelPlus`, `cancelMinus`, reverse functions, `overlap`, reductions.
//! * Signals: an interval literal whose ends rounding may have swapped is enclosed silently.
//! * Interchange encodings.
//!
//! # Speed
//! Nanoseconds per operation on `f64` intervals by `tests/peers`, program `speed`: arrays of 512
//! intervals, the best of 15 rounds, one run on one quiet x86-64 machine, all three crates compiled
//! for Haswell and linked with `lto = "thin"`. Between runs inari's sums and quotients differ by a
//! factor of two or three (7 to 25 ns; they switch the rounding mode), the others by a tenth.
//!
//! | | popgd | inari 2.0.0 | maryada 0.2.1 | inari ÷ popgd | maryada ÷ popgd |
//! |---|---|---|---|---|---|
//! | add | 1.3 | 10.1 | 6.3 | 7.9 | 5 |
//! | sub | 1.3 | 22.5 | 5.5 | 17.1 | 4.2 |
//! | mul | 4.1 | 6.4 | 65.9 | 1.6 | 16.2 |
//! | div | 5.1 | 7.2 | 102.3 | 1.4 | 20 |
//! | sqrt | 9.3 | 62.8 | 69.5 | 6.7 | 7.4 |
//! | exp | 9.7 | 1403 | 24.6 | 145.2 | 2.5 |
//! | ln | 15.9 | 1612 | 18.8 | 101.3 | 1.2 |
//! | sin | 122.7 | 1688 | 17 873 | 13.8 | 145.7 |
//! | cos | 123.9 | 1013 | 17 686 | 8.2 | 142.7 |
//! | asin | 69.7 | 3759 | 3283 | 53.9 | 47.1 |
//! | acos | 66.8 | 3807 | 3292 | 57 | 49.3 |
//! | atan2 | 64.8 | 3501 | 11 902 | 54 | 183.7 |
//!
//! The aims were 3 times inari for arithmetic and roots, 5 times for what inari leaves to MPFR, 50
//! times maryada for `sin` to `atan2`, and to be no slower than maryada for `exp` and `ln`. Missed:
//! * `*` is 1.6 times as fast as inari, `/` 1.4 times (up to 3 in other runs). inari multiplies and
//!   divides both ends in one vector instruction and an upward rounding mode. Here a remainder is
//!   computed, with Dekker's product (15 operations): without `std`, stable Rust has no fused
//!   multiply-add that is not a function call or `unsafe`. (By itself, outside of the library, the
//!   same product with that instruction took 2.8 ns instead of 4.2: 2.3 times as fast as inari.)
//!   All four products in a vector of four, or the lowest 64 bits of the integer product instead of
//!   Dekker's, took longer.
//! * `asin` and `acos` are 47 and 49 times as fast as maryada: a root and three divisions wait for
//!   each other.
//!
//! maryada's `exp` and `ln` are those of `libm`, moved by one float without a proven error.
