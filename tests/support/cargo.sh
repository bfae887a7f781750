#!/usr/bin/env bash
# cargo, as the documents' commands meet it in a test: offline, in the debug profile, with a shared target folder.
set -euo pipefail
crate=$PWD
arguments=()
while (($#)); do
    case $1 in
        --manifest-path) crate=$(cd "$(dirname "$2")" && pwd); arguments+=("$1" "$2"); shift ;;
        --release) ;;
        *) arguments+=("$1") ;;
    esac
    shift
done
# The repository itself was built for the test that runs this, and testing it is what runs this.
if [[ $crate == "$DESK" ]]; then
    case ${arguments[*]} in
        "build" | "test --workspace") exit 0 ;;
        *) echo "cargo ${arguments[*]}: not a command that a test can run here" >&2; exit 1 ;;
    esac
fi
# The versions that are here already, so that nothing has to be fetched.
[[ -e $crate/Cargo.lock ]] || cp "$DESK_LOCK" "$crate/Cargo.lock"
# As `--release` would, but quickly built; the tests of `scorers new` say the same and share the folder.
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=false
"$REAL_CARGO" "${arguments[@]}" --offline --quiet --target-dir "$DESK_TARGET"
mkdir -p "$crate/target"
ln -sfn "$DESK_TARGET/debug" "$crate/target/release"
ln -sfn "$DESK_TARGET/debug" "$crate/target/debug"
