//! The translation against a direct reading of the logic, and against Spin.

mod claims;
mod lassos;
mod reader;
mod sizes;
