//! Getting Spin where that is possible.

use crate::process;
use std::process::Command;
use std::time::Duration;

/// Whether `program` can be started at all.
pub fn available(program: &str, version: &str) -> bool {
    process::run(Command::new(program).arg(version), Duration::from_secs(10)).is_ok()
}

/// Makes sure that `spin` and a C compiler are there; otherwise says why not.
pub fn ensure() -> Result<(), String> {
    let missing: Vec<&str> =
        [("spin", "-V"), ("gcc", "--version")].into_iter().filter(|(p, v)| !available(p, v)).map(|(p, _)| p).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !available("apt-get", "--version") {
        return Err(format!("no {} on PATH, and no apt-get to install it", missing.join(", ")));
    }
    if !is_root() {
        return Err(format!("no {} on PATH; try `sudo apt-get install spin gcc`", missing.join(", ")));
    }
    println!("installing {} …", missing.join(", "));
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-y"]).args(&missing).env("DEBIAN_FRONTEND", "noninteractive");
    match process::run(&mut apt, Duration::from_secs(600)) {
        Ok(done) if done.success() && available("spin", "-V") => Ok(()),
        Ok(done) => Err(format!("apt-get install failed: {}", done.complaint())),
        Err(error) => Err(format!("apt-get does not run: {error}")),
    }
}

/// `id -u` says 0. The standard library does not know user ids without `unsafe`.
fn is_root() -> bool {
    process::run(Command::new("id").arg("-u"), Duration::from_secs(10)).is_ok_and(|done| done.stdout.trim() == "0")
}

/// The version line of the installed Spin.
pub fn version() -> String {
    process::run(Command::new("spin").arg("-V"), Duration::from_secs(10))
        .map_or_else(|_| "Spin".to_owned(), |done| done.stdout.trim().to_owned())
}
