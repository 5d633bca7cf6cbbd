//! Values of options on the command line: one of a fixed list, or a number with a unit (`30s`, `4G`). With the feature
//! `command-line`, by which a [`Request`](crate::Request) is made of clap's arguments.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::choice::Choice;

/// One of the values that an option of a check can have, by its name.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let value = |(_, name, help): &(T, &'static str, &'static str)| match help.is_empty() {
        true => PossibleValue::new(*name),
        false => PossibleValue::new(*name).help(*help),
    };
    PossibleValuesParser::new(T::ALL.iter().map(value))
        .try_map(|name| T::named(&name).ok_or_else(|| format!("there is no `{name}`")))
}

/// A time such as `500ms`, `30s`, `5m`, `2h` or `1.5h`.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a number and a unit: 30s, 5m or 2h".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "write a number and a unit: 30s, 5m or 2h".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "too long".to_owned())
}

/// A size in bytes such as `65536`, `64K`, `512M`, `4G`; `KiB` and `KB` mean the same as `K`.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_uppercase();
    let shift = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("write a number and K, M or G: 512M, 4G".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "write a number and K, M or G: 512M, 4G".to_owned())?;
    let bytes = number * (1u64 << shift) as f64;
    if bytes >= u64::MAX as f64 { Err("too large".to_owned()) } else { Ok(bytes as u64) }
}

/// The number and what follows it.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(time("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        for wrong in ["30", "", "s", "-1s", "1 s", "1d", "1.2.3s", "99999999999999999999h"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_powers_of_two() {
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!((size("64k"), size("64KiB"), size("64KB")), (Ok(65536), Ok(65536), Ok(65536)));
        assert_eq!((size("1000"), size("0.5M")), (Ok(1000), Ok(1 << 19)));
        for wrong in ["", "G", "-4G", "4X", "99999999999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
