//! Formatting into a string, which cannot fail and so needs no `Result`.

/// Appends formatted text to a `String`.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => {
        $out.push_str(&format!($($arguments)*))
    };
}

/// Appends formatted text and a newline to a `String`.
macro_rules! put_line {
    ($out:expr, $($arguments:tt)*) => {{
        $out.push_str(&format!($($arguments)*));
        $out.push('\n');
    }};
}

pub(super) use {put, put_line};
