//! What the fuzzer runs, on random bytes and without a fuzzer: `random [executions] [seed]`.

use std::time::Instant;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A float, with a preference for those at which something happens.
    fn word(&mut self) -> u64 {
        let bits = self.next();
        match self.next() >> 60 {
            0 => 0,
            1 => f64::INFINITY.to_bits() | bits << 63,
            2 => bits & ((1 << 52) - 1) | bits << 63,
            3 => f64::MAX.to_bits() - (bits >> 60),
            4 => (1.0_f64.to_bits() - 8 + (bits >> 60)) | bits << 63,
            5 => f64::from(bits as i8).to_bits(),
            6..=8 => (1023 - 32 + (bits >> 58)) << 52 | bits & ((1 << 52) - 1) | bits << 63,
            9 => f64::from(f32::from_bits(bits as u32)).to_bits(),
            _ => bits,
        }
    }
}

/// Of which most texts are made; the fuzzer finds such itself.
const PIECES: [&str; 40] = [
    "[",
    "]",
    ",",
    " ",
    "-",
    "+",
    ".",
    "/",
    "?",
    "??",
    "u",
    "d",
    "e",
    "E",
    "p",
    "0x",
    "inf",
    "infinity",
    "entire",
    "empty",
    "0",
    "1",
    "2",
    "9",
    "7",
    "00000000",
    "99999999",
    "1e400",
    "1e-400",
    "e-324",
    "e308",
    "0.1",
    "0x1.8p-4",
    "2/3",
    "3.56?1",
    "18014398509481984",
    "9223372036854775808",
    "f",
    "\u{221e}",
    "\t",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let executions: u64 = arguments.next().map_or(1_000_000, |n| n.parse().expect("a number"));
    let seed: u64 = arguments.next().map_or(1, |n| n.parse().expect("a seed"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed << 1);
    let start = Instant::now();
    for _ in 0..executions {
        let mut data = vec![(random.next() >> 56) as u8];
        if data[0] & 1 == 0 {
            for _ in 0..6 {
                data.extend(random.word().to_le_bytes());
            }
        } else {
            for _ in 0..random.next() >> 60 {
                let piece = (random.next() >> 33) as usize % PIECES.len();
                data.extend(PIECES[piece].as_bytes());
            }
        }
        popgd_fuzz::exercise(&data);
    }
    println!("{executions} executions in {:.0} s, none failed", start.elapsed().as_secs_f64());
}
