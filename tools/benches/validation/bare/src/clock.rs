use std::hint::black_box;
use std::time::{Duration, Instant};

/// The number of runs that take about as long as `batch`.
pub fn calibrate<T>(batch: Duration, run: impl Fn() -> T) -> u32 {
    let mut runs = 1;
    loop {
        let start = Instant::now();
        (0..runs).for_each(|_| drop(black_box(run())));
        if start.elapsed() >= batch || runs > 1 << 24 {
            return runs;
        }
        runs *= 2;
    }
}

/// The average duration of one of `runs` runs, in nanoseconds.
pub fn nanoseconds<T>(runs: u32, run: impl Fn() -> T) -> f64 {
    let start = Instant::now();
    (0..runs).for_each(|_| drop(black_box(run())));
    start.elapsed().as_nanos() as f64 / f64::from(runs)
}
