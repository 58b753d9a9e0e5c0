#!/usr/bin/env bash
# One entrance for building, showing and testing Reelbrush on Debian 12. 'packaging/setup.sh help' says how.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
jobs="${JOBS:-$(nproc)}"
demo_style="${REELBRUSH_DEMO_STYLE:-starry-night}"

# Each line: what builds, what is linked, what tests and the demo run.
packages=(
    build-essential cmake ninja-build ccache mold pkgconf
    libavcodec-dev libavfilter-dev libavformat-dev libavutil-dev libswresample-dev libswscale-dev
    libopencv-core-dev libopencv-imgcodecs-dev libopencv-imgproc-dev libopencv-video-dev
    libdnnl-dev libhwy-dev libsimdjson-dev libsqlite3-dev libutf8proc-dev libxxhash-dev libzstd-dev nettle-dev
    libfmt-dev libexpected-dev nlohmann-json3-dev libcli11-dev
    libgtest-dev libgmock-dev ffmpeg zstd
)

usage() {
    cat <<'TEXT'
Usage: packaging/setup.sh VERB

  deps            install the Debian packages that are missing (needs root only if some are)
  build [PRESET]  deps, then build one of CMakePresets.json's presets (default: release)
  demo [FOLDER]   deps, build the command line program and restyle the bundled clip into FOLDER (default: build/demo)
  test            deps, build everything with and without the window, run every test and print the totals
  help            this text

JOBS=N limits the parallel jobs (default: one per processor).
Exit codes: 0 done, 1 failed, 2 wrong usage.
TEXT
}

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'setup.sh: %s\n' "$*" >&2; exit 1; }

missing_packages() {
    # dpkg-query fails when it does not know one of the names; what it does know it still prints.
    local installed
    installed="$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
        awk '$2 == "installed" { print $1 }' || true)"
    local package
    for package in "${packages[@]}"; do
        grep -qxF "$package" <<<"$installed" || printf '%s\n' "$package"
    done
}

deps() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        fail "this is not a Debian system (no apt-get): install the counterparts of these by hand: ${packages[*]}"
    fi
    local missing
    mapfile -t missing < <(missing_packages)
    if ((${#missing[@]} == 0)); then
        echo "All ${#packages[@]} packages are installed."
        return
    fi
    local ID='' VERSION_ID=''
    # shellcheck source=/dev/null
    [[ -r /etc/os-release ]] && . /etc/os-release
    [[ "$ID" == debian && "${VERSION_ID%%.*}" -ge 12 ]] 2>/dev/null ||
        echo "Made for Debian 12; this is ${ID:-unknown} ${VERSION_ID}: package names and versions may differ." >&2
    ((EUID == 0)) ||
        fail "not root, and ${#missing[@]} packages are missing; run: sudo apt-get install --no-install-recommends ${missing[*]}"
    say "Installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || echo "setup.sh: apt-get update failed; trying with the package lists at hand." >&2
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" ||
        fail "apt-get could not install: ${missing[*]}; see its message above"
}

# configure PRESET; prints CMake's words only when it fails
configure() {
    local log="$root/build/$1-configure.log"
    mkdir -p "$root/build"
    (cd "$root" && cmake --preset "$1" >"$log" 2>&1) || { cat "$log" >&2; fail "configuring preset '$1' failed"; }
}

# build PRESET [TARGET...]
build() {
    local preset="$1" targets=()
    shift
    (($# == 0)) || targets=(--target "$@")
    say "Building preset '$preset'${*:+: $*}"
    configure "$preset"
    (cd "$root" && cmake --build --preset "$preset" -j "$jobs" "${targets[@]}") || fail "building preset '$preset' failed"
}

demo() {
    local folder="${1:-$root/build/demo}" film sheet program="$root/build/release/app/cli/reelbrush-cli"
    deps
    build release reelbrush-cli
    mkdir -p "$folder"
    folder="$(cd "$folder" && pwd)"
    film="$folder/reelbrush-demo.mp4"
    sheet="$folder/reelbrush-demo.png"
    say "Restyling resources/clips/sample.mp4 after '$demo_style'"
    "$program" stylize "$root/resources/clips/sample.mp4" "$film" --style "$demo_style" || fail "restyling the sample clip failed"
    "$program" contact-sheet "$root/resources/clips/sample.mp4" "$film" "$sheet" || fail "making the contact sheet failed"
    say "Done"
    printf 'The film:              %s\nBefore and after:      %s\n' "$film" "$sheet"
}

# The fuzzers need clang, which 'deps' leaves to those who have it.
fuzz_briefly() {
    local program seeds list="$root/build/fuzz/fuzzers.txt"
    if ! command -v clang++ >/dev/null ||
        ! clang++ -fsanitize=fuzzer,address -fopenmp -x c++ -o /dev/null - 2>/dev/null \
            <<<'#include <omp.h>
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'; then
        echo "Fuzzers left out: clang, libclang-rt-14-dev or libomp-14-dev is not installed."
        return
    fi
    configure fuzz
    [[ -s "$list" ]] || return 0
    build fuzz fuzzers
    while IFS= read -r program; do
        say "Fuzzing for ten seconds: $(basename "$program")"
        # What it finds goes into a folder of its own; the seeds of a_fuzz are in tests/fuzz/corpus/a.
        mkdir -p "$program-found"
        seeds="$root/tests/fuzz/corpus/$(basename "$program" _fuzz)"
        [[ -d "$seeds" ]] || seeds="$program-found"
        (cd "$program-found" && "$program" "$program-found" "$seeds" -max_total_time=10 -verbosity=0) ||
            fail "$program found a failing input; see above"
    done <"$list"
}

run_tests() {
    local junit="$root/build/ci/junit.xml" status=0
    deps
    build ci
    build no-gui
    fuzz_briefly
    say "Running the tests"
    rm -f "$junit"
    # Many small programs share the processors: waiting threads of OpenMP must not spin.
    (cd "$root" && OMP_WAIT_POLICY=passive ctest --test-dir build/ci -j "$jobs" --timeout 900 --output-on-failure \
        --no-tests=error --output-junit "$junit") || status=1
    [[ -s "$junit" ]] || fail "ctest left no results"
    say "Totals"
    awk -f "$root/packaging/test_totals.awk" "$junit" || status=1
    return "$status"
}

verb="${1:-help}"
(($# == 0)) || shift
case "$verb" in
    deps) deps ;;
    build) deps; build "${1:-release}" ;;
    demo) demo "$@" ;;
    test) run_tests ;;
    help | -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
esac
