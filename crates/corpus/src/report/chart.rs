//! SVG charts: bars of a distribution, and curves with intervals. Each has a title and stands beside its
//! table.

use cwl_host::escape_html;

use crate::stats::ConfidenceInterval;

const WIDE: f64 = 540.0;
const HIGH: f64 = 240.0;
const LEFT: f64 = 56.0;
const FOOT: f64 = 34.0;
const EDGE: f64 = 14.0;
const NAME_HIGH: f64 = 11.0;
const LETTER: f64 = 6.0;
/// Distinct curve styles; more curves repeat them with other dashes.
const N_LOOKS: usize = 8;
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, ConfidenceInterval)>,
}

pub(crate) fn draw_bars(title: &str, bars: &[(String, u64)]) -> String {
    let most = bars.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1);
    let wide = (WIDE - LEFT - EDGE) / bars.len().max(1) as f64;
    let mut svg = begin_chart(title);
    values_axis(&mut svg, 0.0, most as f64, &|value| format!("{value:.0}"));
    for (at, (label, n)) in bars.iter().enumerate() {
        let x = LEFT + at as f64 * wide;
        let high = (HIGH - FOOT - EDGE) * *n as f64 / most as f64;
        let (y, bar, middle) = (HIGH - FOOT - high, (wide - 2.0).max(1.0), x + wide / 2.0);
        let label = escape_html(label);
        put_text(
            &mut svg,
            format_args!(
                "<g><title>{label}: {n}</title><rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{bar:.1}\" height=\"{high:.1}\"/></g>\n"
            ),
        );
        // Labels that would touch are left out; the table has all.
        if at % bars.len().div_ceil(9).max(1) == 0 {
            put_text(
                &mut svg,
                format_args!(
                    "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                    HIGH - FOOT + 16.0
                ),
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws curves with intervals. `place` writes a place on the axis below, `shown` a value.
pub(crate) fn draw_curves(
    title: &str,
    curves: &[Curve],
    place: &dyn Fn(f64) -> String,
    shown: &dyn Fn(f64) -> String,
) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let least = points().map(|(budget, _)| *budget).fold(f64::INFINITY, f64::min);
    let most = points().map(|(budget, _)| *budget).fold(0.0, f64::max);
    let low = points().map(|(_, figure)| figure.low).fold(f64::INFINITY, f64::min);
    let high = points().map(|(_, figure)| figure.high).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if high > low { (low, high) } else { (low - 1.0, low + 1.0) };
    // Names stand at the curves' ends. A long name, with a policy's options, takes at most half the picture.
    let longest = curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0);
    let names = (longest as f64 * LETTER + 12.0).clamp(76.0, WIDE / 2.0);
    let x = |budget: f64| LEFT + (budget - least) / (most - least).max(1.0) * (WIDE - LEFT - EDGE - names);
    let y = |value: f64| EDGE + (high - value) / (high - low) * (HIGH - FOOT - EDGE);
    let mut svg = begin_chart(title);
    values_axis(&mut svg, low, high, shown);
    for (at, budget) in [least, most].into_iter().enumerate().take(if most > least { 2 } else { 1 }) {
        let anchor = if at == 0 { "start" } else { "end" };
        put_text(
            &mut svg,
            format_args!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
                x(budget),
                HIGH - FOOT + 16.0,
                escape_html(&place(budget))
            ),
        );
    }
    let mut ends: Vec<(f64, f64, String)> = Vec::new();
    for (at, Curve { name, points }) in curves.iter().enumerate() {
        let (look, dash) = (at % N_LOOKS, DASHES[at / 2 % DASHES.len()]);
        let path = |of: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut path = String::new();
            of.for_each(|(budget, value)| {
                put_text(&mut path, format_args!("{:.1},{:.1} ", x(budget), y(value)));
            });
            path
        };
        let line = path(&mut points.iter().map(|(budget, figure)| (*budget, figure.value)));
        let above = points.iter().map(|(budget, figure)| (*budget, figure.high));
        let below = points.iter().rev().map(|(budget, figure)| (*budget, figure.low));
        let band = path(&mut above.chain(below));
        let name = escape_html(name);
        put_text(
            &mut svg,
            format_args!(
                "<g class=\"s{look}\"><title>{name}</title><polygon class=\"band\" points=\"{band}\"/><polyline class=\"curve\" stroke-dasharray=\"{dash}\" points=\"{line}\"/>"
            ),
        );
        for (budget, figure) in points {
            put_text(
                &mut svg,
                format_args!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>", x(*budget), y(figure.value)),
            );
        }
        svg.push_str("</g>\n");
        if let Some((budget, figure)) = points.last() {
            ends.push((y(figure.value) + 4.0, x(*budget) + 7.0, name));
        }
    }
    // Names that would touch are moved apart.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = 0.0_f64;
    for (y, x, name) in ends {
        let y = y.max(free);
        free = y + NAME_HIGH;
        put_text(&mut svg, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>\n"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Makes a chart into a file of its own, in the light colours of the page's style sheet.
pub(crate) fn standalone_chart(chart: &str) -> String {
    let colours = super::LOOK.split("@media").next().unwrap_or_default();
    let body = chart.strip_prefix("<svg").unwrap_or(chart);
    let (attributes, rest) = body.split_once('>').unwrap_or((body, ""));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\"{attributes}>\n<style>\n{colours}{}</style>\n{rest}",
        1.5 * WIDE,
        1.5 * HIGH,
        include_str!("chart.css"),
    )
}

fn begin_chart(title: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\"><title>{}</title>\n", escape_html(title))
}

fn values_axis(svg: &mut String, low: f64, high: f64, shown: &dyn Fn(f64) -> String) {
    for part in [0.0, 0.5, 1.0] {
        let (value, y) = (low + (high - low) * part, HIGH - FOOT - (HIGH - FOOT - EDGE) * part);
        put_text(
            svg,
            format_args!(
                "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                WIDE - EDGE,
                LEFT - 5.0,
                y + 4.0,
                escape_html(&shown(value))
            ),
        );
    }
}

pub(crate) fn put_text(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.push_str(&more.to_string());
}
