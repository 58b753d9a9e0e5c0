# Reads the JUnit file of 'ctest --output-junit'. Prints every skipped test with its reason and every failed one;
# the last line is 'N passed, N failed, N skipped'. Exit code 1 when a test failed or none passed.
# ctest writes one element a line. It also calls skipped what is not: a test whose program is missing, and one that
# failed before it skipped the rest of itself. Both count as failed here.

function attribute(line, key,    start, rest) {
    start = index(line, " " key "=\"")
    if (!start) return ""
    rest = substr(line, start + length(key) + 3)
    return substr(rest, 1, index(rest, "\"") - 1)
}

function plain(text) {
    gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

# GoogleTest prints 'file:line: Skipped', the reason on the next lines, then '[  SKIPPED ] name'.
function note_output(line) {
    sub(/^[ \t]*<system-out>/, "", line)
    if (line ~ /: Skipped$/) { in_reason = 1; return }
    if (line ~ /^\[  SKIPPED \]/ || line ~ /<\/system-out>/) in_reason = 0
    if (in_reason && line ~ /[^ \t]/) reason = reason (reason == "" ? "" : " ") line
}

/<testcase / {
    name = plain(attribute($0, "name")); status = attribute($0, "status")
    message = ""; reason = ""; in_reason = 0; broke = 0
}
/<skipped / { message = plain(attribute($0, "message")) }
/^\[  FAILED  \]/ { broke = 1 }
in_output || /<system-out>/ { in_output = 1; note_output($0) }
/<\/system-out>/ { in_output = 0 }
/<\/testcase>/ {
    if (status == "run") ++passed
    else if (status == "disabled" || (!broke && status == "notrun" && message ~ /^(SKIP_|Disabled)/)) {
        ++skipped
        printf "skipped: %s: %s\n", name, (reason != "" ? plain(reason) : message != "" ? message : "disabled")
    } else {
        ++failed
        printf "failed: %s%s\n", name, (message != "" ? ": " message : "")
    }
}
END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
