#!/bin/sh
# A plugin for PipeCD in one file: this script, and behind its last line a jar that it starts.
# JAVA_HOME, PATH and the usual folders are searched for a Java 25 or later; PLUGIN_JAVA_OPTS is added to its flags.
least=25
older=

accept() {
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
    while IFS='=' read -r key value; do
        [ "$key" = JAVA_VERSION ] || continue
        version=${value#\"} version=${version%\"}
        major=${version%%[!0-9]*}
        [ "${major:-0}" -ge "$least" ] && java=$1/bin/java && return 0
        older="$older $1 ($version)"
        return 1
    done <"$1/release"
    return 1
}

find_java() {
    [ -n "${JAVA_HOME:-}" ] && accept "${JAVA_HOME%/}" && return 0
    found=$(command -v java) && found=$(readlink -f -- "$found") && accept "${found%/bin/*}" && return 0
    for folder in /usr/lib/jvm /opt "${HOME:-/nonexistent}/.sdkman/candidates/java" "${HOME:-/nonexistent}/.jdks" /usr/local; do
        for candidate in "$folder" "$folder"/*; do
            accept "$candidate" && return 0
        done
    done
    return 1
}

if ! find_java; then
    echo "java: none (expected: Java $least or later in JAVA_HOME, on PATH or in the usual folders). Install one, or set JAVA_HOME of the agent." >&2
    [ -z "$older" ] || echo "Found, but too old:$older" >&2
    exit 127
fi

# A C locale would make Java refuse every file name that is not ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
C | POSIX) unset LC_ALL && LC_CTYPE=C.UTF-8 && export LC_CTYPE ;;
esac
MALLOC_ARENA_MAX=2
export MALLOC_ARENA_MAX
exec "$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:TrimNativeHeapInterval=5000 -Xms16m -Xmx128m -XX:+ExitOnOutOfMemoryError -Xshare:auto \
    --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8 ${PLUGIN_JAVA_OPTS:-} -cp "$0" @MAIN_CLASS@ "$@"
exit 127
