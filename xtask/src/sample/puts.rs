//! Formatting into a string, which cannot fail and so needs no `Result`.

macro_rules! put {
    ($out:expr, $($arguments:tt)*) => {
        $out.push_str(&format!($($arguments)*))
    };
}

macro_rules! put_line {
    ($out:expr, $($arguments:tt)*) => {{
        $out.push_str(&format!($($arguments)*));
        $out.push('\n');
    }};
}

pub(super) use {put, put_line};
