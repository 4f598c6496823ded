//! Times as text.

use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// The time so long after 1970 in UTC by RFC 3339, such as `2024-02-29T12:00:00.5Z`.
pub(super) fn rfc3339(elapsed: std::time::Duration) -> String {
    let elapsed = Duration::try_from(elapsed).unwrap_or_default();
    OffsetDateTime::UNIX_EPOCH.saturating_add(elapsed).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_dates_in_utc() {
        let all = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_735_689_599_007, "2024-12-31T23:59:59.007Z"),
        ];
        for (ms, text) in all {
            assert_eq!(rfc3339(Duration::from_millis(ms)), text);
        }
    }
}
