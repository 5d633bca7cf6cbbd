//! Runs the built binary, in a directory of its own where a test writes files.

#[allow(dead_code, reason = "not every test file reads the corpus")]
pub mod corpus;
#[allow(dead_code, reason = "not every test file validates documents")]
pub mod schema;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the binary gave.
pub struct Ran {
    /// Exit code; -1 after a signal.
    #[allow(dead_code, reason = "not every test file runs the binary by itself")]
    pub code: i32,
    /// stdout.
    pub out: String,
    /// stderr.
    pub err: String,
}

impl Ran {
    /// stdout as JSON.
    #[allow(dead_code, reason = "not every test file reads JSON")]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }
}

/// The repository's root.
#[allow(dead_code, reason = "not every test file reads the corpus")]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Keeps `check` from saving runs.
const NO_SAVE: &str = "SELVEDGE_CHECK_NO_SAVE";

/// The binary.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env_remove("NO_COLOR").env_remove("COLUMNS").stdin(Stdio::null());
    // A runner of continuous integration sets these, and the command would speak to it.
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY").env_remove("GITHUB_WORKSPACE");
    // What is not run in a directory of the test's own leaves nothing behind.
    command.env(NO_SAVE, "true");
    command
}

/// Runs a command.
pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the binary starts");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        err: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// A directory that is removed when the test is over.
#[allow(dead_code, reason = "not every test file writes files")]
pub struct Scratch {
    directory: PathBuf,
}

#[allow(dead_code, reason = "not every test file writes files")]
impl Scratch {
    /// An empty directory for the test of this name.
    pub fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("selvedge-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory for the test");
        Scratch { directory }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a directory");
        }
        fs::write(path, text).expect("a file");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Where a file is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The binary, to be run here.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = command();
        command.args(args).current_dir(&self.directory).env_remove(NO_SAVE);
        command
    }

    /// Runs the binary here.
    pub fn run(&self, args: &[&str]) -> Ran {
        ran(&mut self.command(args))
    }

    /// Runs the binary here with text on its stdin.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // The binary may be done before it has read everything.
        let _ = child.stdin.take().expect("stdin is piped").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("the binary ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Two threads read, add one and write; the third sees that one update got lost.
#[allow(dead_code, reason = "not every test file needs it")]
pub const RACE: &str = "\
byte x, done;
active [2] proctype inc()
{
    byte t;
    t = x;
    x = t + 1;
    done++
}
active proctype check()
{
    done == 2;
    assert(x == 2)
}
";

/// Nothing is wrong with it.
#[allow(dead_code, reason = "not every test file needs it")]
pub const HOLDS: &str = "byte x;\nactive proctype p() { x = 1; printf(\"x is %d\\n\", x); assert(x == 1) }\n";

/// Two locks taken in different orders.
#[allow(dead_code, reason = "not every test file needs it")]
pub const DEADLOCK: &str = "\
bool a, b;
active proctype left() { atomic { !a -> a = true }; atomic { !b -> b = true } }
active proctype right() { atomic { !b -> b = true }; atomic { !a -> a = true } }
";

/// More states than a test can wait for.
#[allow(dead_code, reason = "not every test file needs it")]
pub const BIG: &str = "\
int a, b, c;
active proctype p() { do :: a++ :: b++ :: c++ :: assert(a != -1 || b != -1 || c != -1) od }
";

/// A text that was wrapped, on one line.
#[allow(dead_code, reason = "not every test reads sentences")]
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that each command line is refused with exit code 2 and a message that has these words. Scripts get the
/// diagnostics; without --json nothing is on stdout.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn assert_refused(scratch: &Scratch, table: &[(&str, &str)]) {
    for (line, words) in table {
        let ran = scratch.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 2, "{line}: {}", ran.err);
        assert_eq!(ran.out.contains("\"diagnostics\""), line.contains("--json"), "{line}: {}", ran.out);
        assert!(line.contains("--json") || ran.out.is_empty(), "{line}: {}", ran.out);
        assert!(on_one_line(&ran.err).contains(words), "{line}: {}", ran.err);
    }
}
