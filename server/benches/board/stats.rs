//! Numbers of a series: medians, percentiles, and how they are written.

use std::time::Duration;

/// The middle one; zero of none.
pub fn median(series: &[Duration]) -> Duration {
    percentile(series, 50)
}

/// The value that so many percent do not exceed; zero of none.
pub fn percentile(series: &[Duration], percent: usize) -> Duration {
    let mut sorted = series.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(place).copied().unwrap_or_default()
}

/// Milliseconds with the digits that mean something.
pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.2} ms"),
    }
}

/// Seconds.
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Bytes as KiB.
pub fn kib(bytes: u64) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}

/// KiB as MiB.
pub fn mib(kib: u64) -> String {
    format!("{:.1} MiB", kib as f64 / 1024.0)
}

/// How many times as long.
pub fn ratio(of: Duration, to: Duration) -> f64 {
    of.as_secs_f64() / to.as_secs_f64().max(1e-9)
}
