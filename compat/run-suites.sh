#!/bin/bash
# Runs the loom tests of public crates on selvedge, and prints one line for each suite: tests, passed, failed, CPU seconds.
#
#   compat/run-suites.sh [--loom] SUITE=PATH...
#
# PATH is a checkout of the crate; it is copied, never changed. `[patch.crates-io]` puts compat/loom in the place of loom.
# With --loom the tests run on loom itself, for comparison. The suites:
#
#   loom              tokio-rs/loom, its own tests against compat/loom
#   concurrent-queue, parking, event-listener     smol-rs
#   bytes             tokio-rs/bytes
#   left-right        jonhoo/left-right
#   multishot, diatomic-waker                     asynchronics
#   oneshot           faern/oneshot
#   tokio             tokio-rs/tokio (tokio-sync and tokio-runtime for the parts)
#
# Environment: CARGO (the command for cargo), SCRATCH (a directory to build in), LIMIT (CPU seconds for each suite).
set -u
here=$(cd "$(dirname "$0")" && pwd)
cargo=${CARGO:-cargo}
scratch=${SCRATCH:-${TMPDIR:-/tmp}/selvedge-compat}
limit=${LIMIT:-600}
patched=1
[ "${1:-}" = --loom ] && { patched=; shift; }
mkdir -p "$scratch"
export CARGO_TARGET_DIR=$scratch/target${patched:--loom}
export SELVEDGE_REGRESSIONS=off

copy() { # NAME PATH: a copy whose dependency tree has our loom
    rm -rf "${scratch:?}/$1"
    cp -r "$2" "$scratch/$1"
    cd "$scratch/$1" || exit 2
    rm -f Cargo.lock # it names loom's version
    if [ -n "$patched" ]; then
        printf '\n[patch.crates-io]\nloom = { path = "%s/loom" }\n' "$here" >>Cargo.toml
    fi
}

own_tests() { # loom's tests in a package that depends on loom, whoever that is
    rm -rf "${scratch:?}/loom"
    mkdir -p "$scratch/loom/src"
    cp -r "$1/tests" "$scratch/loom/tests"
    cd "$scratch/loom" || exit 2
    : >src/lib.rs
    local loom="{ path = \"$here/loom\", features = [\"futures\"] }"
    [ -n "$patched" ] || loom="{ version = \"0.7.2\", features = [\"futures\"] }"
    printf '[package]\nname = "loom-suite"\nversion = "0.0.0"\nedition = "2021"\n\n[features]\ndefault = ["futures"]\nfutures = []\n\n[dev-dependencies]\nloom = %s\nfutures-util = "0.3"\n\n[workspace]\n' \
        "$loom" >Cargo.toml
}

report() { # NAME LOG
    awk -v name="$1" '
        /^test .* \.\.\. ok/ { passed++ }
        /^test .* \.\.\. FAILED/ { failed++; names = names " " $2 }
        /^test result|^error/ { if (/^error/) broken = 1 }
        /^cpu / { cpu = $2 + $3 }
        END { printf "%s\t%d passed\t%d failed\t%.1f s CPU%s%s\n", name, passed, failed, cpu, (passed + failed ? "" : "\tnot built"), (names ? "\t" names : "") }
    ' "$2"
}

run() { # NAME CFG ARGUMENTS OF cargo test
    local name=$1 cfg=$2 log=$scratch/$1${patched:--loom}.log
    shift 2
    RUSTFLAGS="${cfg:+--cfg $cfg} --cap-lints allow" $cargo test --no-run "$@" >"$log" 2>&1
    (
        ulimit -t "$limit"
        export TIMEFORMAT='cpu %U %S'
        time RUSTFLAGS="${cfg:+--cfg $cfg} --cap-lints allow" $cargo test --no-fail-fast "$@" -- --test-threads=1
    ) >>"$log" 2>&1
    report "$name" "$log"
}

for suite; do
    name=${suite%%=*} path=${suite#*=}
    case $name in
    loom) own_tests "$path" && run loom "" ;;
    oneshot) copy "$name" "$path" && run oneshot oneshot_loom --features loom,async --test loom ;;
    diatomic-waker) copy "$name" "$path" && run "$name" diatomic_waker_loom --lib ;;
    multishot) copy "$name" "$path" && run "$name" multishot_loom --lib ;;
    concurrent-queue | parking | event-listener) copy "$name" "$path" && run "$name" loom --features loom --test loom ;;
    bytes) copy "$name" "$path" && run "$name" loom --lib ;;
    left-right) copy "$name" "$path" && run "$name" loom --test loom ;;
    tokio-sync) copy tokio "$path" && run "$name" loom -p tokio --features full --lib sync ;;
    tokio-runtime) copy tokio "$path" && run "$name" loom -p tokio --features full --lib runtime ;;
    *)
        echo "run-suites.sh: there is no suite $name; the script's first lines list them" >&2
        exit 2
        ;;
    esac
done
