//! Errors that the page reports.

use cwl_inspect::figures::on_one_line;

const REPORT_LIMIT: usize = 4_000;

/// Logs an error of the page, where a person or a test sees it.
pub fn report_of_page(message: &str) {
    tracing::error!(target: "page", "{}", describe_reported(message));
}

fn describe_reported(message: &str) -> String {
    on_one_line(message).take(REPORT_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_harmless_line() {
        let check = |message: &str, expected: &str| assert_eq!(describe_reported(message), expected);
        check("TypeError: x is undefined", "TypeError: x is undefined");
        check("a\nb\r\n\x1b[2Jc\u{9b}d", "a b   [2Jc d");
        assert_eq!(describe_reported(&"é".repeat(9_000)).chars().count(), REPORT_LIMIT);
    }
}
