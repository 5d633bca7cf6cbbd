//! The memory limit of a search where none is given: three quarters of what the process can get. That is the machine's
//! memory, or less in a container. Under `ulimit -v` and `ulimit -d`, it is half of what is not taken yet, also where a
//! larger limit is given: what is reserved counts there, a table that grows exists twice meanwhile, and a reservation that
//! fails ends the process.

use std::path::{Path, PathBuf};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// The limit in force, of the one that was given; none where the system reports nothing (it does on Linux).
pub fn limit(given: Option<u64>) -> Option<u64> {
    let wanted = given.or_else(|| {
        let machine = read("/proc/meminfo").and_then(|text| total_bytes(&text));
        let group = read("/proc/self/cgroup").and_then(|text| group_limit(&text, Path::new(GROUPS)));
        Some([machine, group].into_iter().flatten().min()? / 4 * 3)
    });
    [wanted, largest()].into_iter().flatten().min()
}

/// What the limits on address space leave for a search.
pub fn largest() -> Option<u64> {
    let taken = memory_stats::memory_stats().map_or(0, |stats| stats.virtual_mem as u64);
    Some(address_space()?.saturating_sub(taken) / 2)
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The least limit of the control groups that the process is in: of its own one and of those above.
fn group_limit(groups: &str, mounted: &Path) -> Option<u64> {
    let of_group = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (root, file) = match controllers {
            "" => (mounted.to_path_buf(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mounted.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let own = root.join(path.trim_start_matches('/'));
        let up: Vec<PathBuf> =
            own.ancestors().take_while(|path| path.starts_with(&root)).map(|p| p.join(file)).collect();
        up.iter().filter_map(|file| read(file)?.trim().parse::<u64>().ok()).min()
    };
    groups.lines().filter_map(of_group).min()
}

/// What `ulimit -v` and `ulimit -d` allow.
#[cfg(unix)]
pub fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};

    [Resource::As, Resource::Data].into_iter().filter_map(|resource| getrlimit(resource).current).min()
}

#[cfg(not(unix))]
pub fn address_space() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_kernels_figures() {
        assert_eq!(total_bytes("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(total_bytes("nonsense"), None);
    }

    #[test]
    fn the_least_limit_of_the_groups_counts() {
        let mounted = tempfile::tempdir().expect("a directory");
        let write = |path: &str, text: &str| {
            let path = mounted.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        write("a/b/memory.max", "max\n");
        write("a/memory.max", "1000\n");
        write("memory/old/memory.limit_in_bytes", "500\n");
        let limit = |groups: &str| group_limit(groups, mounted.path());
        assert_eq!(limit("0::/a/b\n"), Some(1000));
        assert_eq!(limit("4:cpu,memory:/old\n0::/a\n"), Some(500));
        assert_eq!(limit("0::/elsewhere\n3:cpu:/\n"), None);
    }
}
