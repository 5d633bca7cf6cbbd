#!/bin/bash
# Runs the loom tests of public crates with loom and with Selvedge, each test in a process of its own, and prints a table: tests,
# passing tests and CPU seconds of the test processes for both (user and system time), and the seconds of the tests that pass with
# both; then the tests that take longest, and every test whose verdicts differ or that did not finish.
#
#   compat/run-suites.sh [--only loom|selvedge] [--test NAME] SUITE=PATH...
#
# PATH is a checkout of the crate; it is copied, never changed. For Selvedge, cargo's option `--config patch.crates-io.loom.path=…`
# puts compat/loom in the place of loom, as the section `[patch.crates-io]` would; nothing else differs. The suites:
#
#   loom                                          tokio-rs/loom: its own tests, in a package that depends on loom
#   concurrent-queue, parking, event-listener     smol-rs
#   bytes                                         tokio-rs/bytes
#   left-right                                    jonhoo/left-right
#   multishot, diatomic-waker                     asynchronics
#   oneshot                                       faern/oneshot
#   sharded-slab, thingbuf                        hawkw; they name loom 0.5, raised to 0.7 for both
#   tokio-sync, tokio-runtime                     tokio-rs/tokio
#
# Environment: SCRATCH   a directory to build in; logs and results stay there   (default $TMPDIR/selvedge-compat)
#              LIMIT     CPU seconds of one test, after which it is ended        (default 60)
#              BOUND     LOOM_MAX_PREEMPTIONS for both; `none` leaves it unset   (default 2)
#              PROFILE   --release or nothing                                    (default --release)
#              CARGO     the command for cargo                                   (default cargo)
set -u
here=$(cd "$(dirname "$0")" && pwd)
cargo=${CARGO:-cargo}
scratch=${SCRATCH:-${TMPDIR:-/tmp}/selvedge-compat}
limit=${LIMIT:-60}
bound=${BOUND:-2}
profile=${PROFILE---release}
engines="loom selvedge" only=
while :; do
    case ${1:-} in
    --only) engines=$2 && shift 2 ;;
    --test) only=$2 && shift 2 ;;
    *) break ;;
    esac
done
mkdir -p "$scratch" || exit 2
export SELVEDGE_REGRESSIONS=off
export RUST_BACKTRACE=0 # naming the functions on the stack of an expected panic takes longer than most tests
[ "$bound" = none ] || export LOOM_MAX_PREEMPTIONS=$bound

fail() {
    echo "run-suites.sh: $*" >&2
    exit 2
}

# A copy of a crate for one engine.
copy() { # ENGINE NAME PATH
    local to=$scratch/$1/$2
    mkdir -p "$to"
    (cd "$3" && git ls-files -z | tar -c --null -T -) | tar -x -C "$to" || fail "$3 is not a checkout"
    cd "$to" || exit 2
    rm -f Cargo.lock # it names loom's version
}

# loom's tests in a package that depends on loom, whoever that is.
copy_loom() { # ENGINE PATH
    local to=$scratch/$1/loom loom=$here/loom
    [ "$1" = loom ] && loom=$2
    rm -rf "$to" && mkdir -p "$to/src"
    cp -r "$2/tests" "$to/tests"
    cd "$to" || exit 2
    : >src/lib.rs
    cat >Cargo.toml <<TOML
[package]
name = "loom-suite"
version = "0.0.0"
edition = "2021"

[features]
default = ["futures", "checkpoint"]
futures = []
checkpoint = []

[dev-dependencies]
loom = { path = "$loom", features = ["futures", "checkpoint"] }
futures-util = "0.3"

[workspace]
TOML
}

# Builds the tests of the package in the current directory; the paths of the test binaries.
build() { # ENGINE LOG FLAGS ARGUMENTS OF cargo test
    local engine=$1 log=$2 flags=$3
    shift 3
    [ "$engine" = selvedge ] && set -- --config "patch.crates-io.loom.path='$here/loom'" "$@"
    CARGO_TARGET_DIR=$scratch/$engine/target RUSTFLAGS="$flags --cap-lints allow" \
        $cargo test --no-run $profile --message-format=json-render-diagnostics "$@" 2>"$log" |
        sed -n 's/.*"test":true.*"executable":"\([^"]*\)".*/\1/p'
}

# Runs one test; its verdict, CPU seconds, user and system, and what Selvedge completed.
run_test() { # ENGINE BINARY TEST LOG
    local log=$4 status seconds verdict
    seconds=$(
        TIMEFORMAT='%U %S'
        [ "$1" = selvedge ] && export LOOM_LOG=1
        { time { (ulimit -c 0; ulimit -t "$limit"; exec "$2" --exact "$3" --test-threads=1 --nocapture) >"$log" 2>&1; }; } 2>&1
        echo "$?" >"$log.status"
    )
    status=$(cat "$log.status") && rm -f "$log.status"
    case $status in
    0) verdict=pass ;;
    137 | 152) verdict=unfinished ;;
    *) verdict=fail ;;
    esac
    [ "$verdict" = pass ] && grep -q 'selvedge: .*: incomplete' "$log" && verdict=incomplete
    printf '%s\t%s\t%s\n' "$verdict" "$(echo "$seconds" | tail -1 | awk '{ printf "%.3f", $1 + $2 }')" "$(grep -o 'bound [0-9]* complete' "$log" | tail -1)"
}

# Runs a suite with one engine: a line for each test in SUITE.ENGINE.tsv.
run_suite() { # ENGINE SUITE PATH
    local engine=$1 suite=$2 path=$3 log=$scratch/$2.$1.build.log out=$scratch/$2.$1.tsv binaries
    local args cfgs="--cfg loom"
    # One set of flags for several crates, so that the engine is built once for all of them.
    local own="--cfg oneshot_loom --cfg diatomic_waker_loom --cfg multishot_loom"
    case $suite in
    loom) args=(--tests) ;;
    oneshot) cfgs=$own args=(--features loom,async --test loom) ;;
    diatomic-waker | multishot) cfgs=$own args=(--lib) ;;
    concurrent-queue | parking | event-listener) args=(--features loom --test loom) ;;
    bytes) args=(--lib) ;;
    thingbuf) args=(-p thingbuf --lib) ;;
    left-right) args=(--test loom) ;;
    sharded-slab) args=(--features loom --lib) ;;
    tokio-sync | tokio-runtime)
        cfgs="--cfg loom --cfg tokio_unstable -C debug-assertions" # tokio's tests demand them
        export LOOM_MAX_BRANCHES=10000                             # as tokio's own workflow
        args=(-p tokio --features full --lib)
        ;;
    *) fail "there is no suite $suite; the first lines of the script list them" ;;
    esac
    case $suite in
    loom) copy_loom "$engine" "$path" ;;
    tokio-*) copy "$engine" tokio "$path" ;;
    *) copy "$engine" "$suite" "$path" ;;
    esac
    case $suite in
    sharded-slab | thingbuf) sed -i '/^loom = { git/d; s/^loom = { version = "0.5[^"]*"/loom = { version = "0.7"/' Cargo.toml ;;
    esac
    binaries=$(build "$engine" "$log" "$cfgs" "${args[@]}")
    [ -n "$binaries" ] || fail "$suite was not built with $engine: see $log"
    : >"$out"
    mkdir -p "$scratch/logs"
    local binary test
    for binary in $binaries; do
        "$binary" --list --format terse 2>/dev/null | sed -n 's/: test$//p' | sort | while read -r test; do
            case $suite in
            tokio-*) [[ $test == ${suite#tokio-}::* && $test == *loom* ]] || continue ;;
            esac
            [[ -z $only || $test == *$only* ]] || continue
            local name="$(basename "$binary" | sed 's/-[0-9a-f]*$//')::$test"
            printf '%s\t%s\n' "$name" "$(run_test "$engine" "$binary" "$test" "$scratch/logs/$suite.$engine.${name//[:\/]/_}.log")" >>"$out"
        done
    done
}

# The line of a suite in the table, and the one of all suites.
summarize() { # SUITE RESULTS OF loom RESULTS OF selvedge
    awk -F'\t' -v suite="$1" '
        { tests[$1]; seconds[engine] += $3; passes[engine] += $2 == "pass"; of[$1, engine] = $3; good[$1] += $2 == "pass" }
        END {
            for (t in tests) { n++; if (good[t] == 2) { both++; loom += of[t, 1]; ours += of[t, 2] } }
            ratio = ours ? sprintf("%.1f", loom / ours) : "-"
            printf "| %s | %d | %d | %d | %.2f | %.2f | %d | %.2f | %.2f | %s |\n", suite, n, passes[1], passes[2],
                seconds[1], seconds[2], both, loom, ours, ratio
        }
    ' engine=1 "$2" engine=2 "$3"
}

# The tests that take longest among those that pass with both, Selvedge's time first.
longest() { # HOW MANY
    awk -F'\t' '
        { of[$1, engine] = $3; good[$1] += $2 == "pass"; reached[$1] = $4 }
        END { for (t in good) if (good[t] == 2) printf "%.3f\t| `%s` | %.2f | %.2f |\n", of[t, 2], t, of[t, 1], of[t, 2] }
    ' engine=1 "$scratch/all.loom.tsv" engine=2 "$scratch/all.selvedge.tsv" | sort -rn | head -n "$1" | cut -f 2
}

# The tests of a suite that do not pass with both.
differences() { # SUITE
    awk -F'\t' -v suite="$1" '
        { if (!($1 in known)) { known[$1]; order[++n] = $1 } verdict[$1, engine] = $2 " " $3; reached[$1] = $4 }
        END {
            for (i = 1; i <= n; i++) {
                t = order[i]
                if (verdict[t, 1] !~ /^pass/ || verdict[t, 2] !~ /^pass/)
                    printf "| %s | `%s` | %s | %s | %s |\n", suite, t, verdict[t, 1], verdict[t, 2], reached[t]
            }
        }
    ' engine=1 "$scratch/$1.loom.tsv" engine=2 "$scratch/$1.selvedge.tsv"
}

suites=()
for suite; do
    [[ $suite == *=* ]] || fail "SUITE=PATH is expected instead of $suite"
    path=$(cd "${suite#*=}" 2>/dev/null && pwd) || fail "there is no directory ${suite#*=}"
    for engine in $engines; do (run_suite "$engine" "${suite%%=*}" "$path") || exit 2; done
    suites+=("${suite%%=*}")
done
for suite in "${suites[@]}"; do touch "$scratch/$suite.loom.tsv" "$scratch/$suite.selvedge.tsv"; done
for engine in loom selvedge; do
    for suite in "${suites[@]}"; do sed "s/^/$suite: /" "$scratch/$suite.$engine.tsv"; done >"$scratch/all.$engine.tsv"
done
echo "| suite | tests | pass with loom | pass with Selvedge | loom, CPU s | Selvedge, CPU s | pass with both | loom, CPU s | Selvedge, CPU s | loom / Selvedge |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for suite in "${suites[@]}"; do summarize "$suite" "$scratch/$suite.loom.tsv" "$scratch/$suite.selvedge.tsv"; done
[ "${#suites[@]}" = 1 ] || summarize "all suites" "$scratch/all.loom.tsv" "$scratch/all.selvedge.tsv"
echo
echo "| the longest tests that pass with both | loom, CPU s | Selvedge, CPU s |"
echo "| --- | ---: | ---: |"
longest 12
echo
echo "| suite | test | loom: verdict, CPU s | Selvedge: verdict, CPU s | Selvedge completed |"
echo "| --- | --- | --- | --- | --- |"
for suite in "${suites[@]}"; do differences "$suite"; done
