#!/bin/sh
# Runs the programs natively: those that are broken must hang, those that are safe must end.
# With a C compiler: tests/deadlocks/native.sh [CC]
cd "$(dirname "$0")" || exit 2
compiler=${1:-gcc}
program=$(mktemp)
trap 'rm -f "$program"' EXIT
wrong=0
for source in *.c; do
    for background in -UBACKGROUND -DBACKGROUND; do
        "$compiler" -O1 -pthread -DNATIVE $background -o "$program" "$source" || exit 2
        timeout 3 "$program"
        status=$?
        case $source in
            *_broken.c) [ $status -eq 124 ] || { echo "$source $background ends"; wrong=1; } ;;
            *_safe.c) [ $status -eq 0 ] || { echo "$source $background hangs"; wrong=1; } ;;
        esac
    done
done
exit $wrong
