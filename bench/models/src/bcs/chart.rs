//! Charts as SVG text: a grid of panels, bounds to the right, cost upwards on a logarithmic scale.
//!
//! Figures 8 and 10 of \[BCS\]. Bounds stand at equal distances, because those measured double from one to the next.

use std::fmt::Write;

/// One line of a panel: a value for each bound, where there is one.
pub struct Line {
    /// What the legend calls it.
    pub label: &'static str,
    /// Costs, in the order of the bounds.
    pub points: Vec<Option<f64>>,
}

/// One diagram.
pub struct Panel {
    /// Stands above it.
    pub title: String,
    /// What is compared.
    pub lines: Vec<Line>,
}

const COLOURS: [&str; 4] = ["#1b6ca8", "#e08214", "#b2182b", "#666666"];
const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 40.0;
const COLUMNS: usize = 3;

/// Where values stand between the bottom and the top of a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    /// The least scale of whole powers of ten that holds all values, which must be positive; 1 to 10 where there are none.
    pub fn around(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = values
            .filter(|v| *v > 0.0)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v.log10()), high.max(v.log10())));
        if low > high {
            return Scale { low: 0, high: 1 };
        }
        let low = low.floor() as i32;
        Scale { low, high: (high.ceil() as i32).max(low + 1) }
    }

    /// 0 at the bottom, 1 at the top.
    pub fn place(self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|power| 10_f64.powi(power))
    }
}

/// The whole picture.
pub fn svg(title: &str, bounds: &[u32], panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, COLUMNS);
    let rows = panels.len().div_ceil(columns);
    let (width, height) = (columns as f64 * WIDTH, rows as f64 * HEIGHT + 50.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"16\" font-size=\"13\">{}</text>\n",
        escaped(title)
    );
    for (number, line) in panels.first().map_or(&[][..], |p| &p.lines).iter().enumerate() {
        let x = 8.0 + 170.0 * number as f64;
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(text, "<path d=\"M{x} 30h18\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        let _ = writeln!(text, "<text x=\"{}\" y=\"33\">{}</text>", x + 22.0, escaped(line.label));
    }
    for (number, panel) in panels.iter().enumerate() {
        let (column, row) = (number % columns, number / columns);
        let _ = writeln!(text, "<g transform=\"translate({} {})\">", column as f64 * WIDTH, 40.0 + row as f64 * HEIGHT);
        draw(&mut text, bounds, panel);
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

fn draw(text: &mut String, bounds: &[u32], panel: &Panel) {
    let (left, right, top, bottom) = (MARGIN, WIDTH - 10.0, 20.0, HEIGHT - 20.0);
    let scale = Scale::around(panel.lines.iter().flat_map(|l| l.points.iter().flatten().copied()));
    let x = |at: usize| left + (right - left) * at as f64 / (bounds.len().max(2) - 1) as f64;
    let y = |value: f64| bottom - (bottom - top) * scale.place(value);
    let _ = writeln!(text, "<text x=\"{left}\" y=\"14\" font-weight=\"bold\">{}</text>", escaped(&panel.title));
    for tick in scale.ticks() {
        let _ = writeln!(text, "<path d=\"M{left} {:.1}H{right}\" stroke=\"#ddd\"/>", y(tick));
        let _ =
            writeln!(text, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>", left - 4.0, y(tick) + 3.0);
    }
    for (at, bound) in bounds.iter().enumerate() {
        let _ =
            writeln!(text, "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{bound}</text>", x(at), bottom + 13.0);
    }
    for (number, line) in panel.lines.iter().enumerate() {
        let places = line.points.iter().enumerate().filter_map(|(at, v)| v.filter(|v| *v > 0.0).map(|v| (x(at), y(v))));
        let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            places.join(" ")
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_holds_its_values_between_powers_of_ten() {
        let scale = Scale::around([0.03, 0.5, 42.0].into_iter());
        assert_eq!(scale, Scale { low: -2, high: 2 });
        assert!((scale.place(0.01)).abs() < 1e-9);
        assert!((scale.place(1.0) - 0.5).abs() < 1e-9);
        assert!((scale.place(100.0) - 1.0).abs() < 1e-9);
        assert_eq!(Scale::around([0.0].into_iter()), Scale { low: 0, high: 1 });
        assert_eq!(Scale::around([10.0].into_iter()), Scale { low: 1, high: 2 });
    }

    #[test]
    fn missing_points_are_left_out_and_names_escaped() {
        let line = Line { label: "ours", points: vec![Some(1.0), None, Some(10.0)] };
        let text = svg("a < b", &[0, 1, 2], &[Panel { title: "m".to_owned(), lines: vec![line] }]);
        assert!(text.contains("points=\"40.0,160.0 250.0,20.0\""), "{text}");
        assert!(text.contains("a &lt; b"));
    }
}
