//! The default memory limit of a search: three quarters of the machine's memory.

/// Three quarters of physical memory, where the system reports it (Linux); else no limit.
pub fn default_limit() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(total_bytes(&text)? / 4 * 3)
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::total_bytes;

    #[test]
    fn reads_the_kernels_figures() {
        assert_eq!(total_bytes("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(total_bytes("nonsense"), None);
    }
}
