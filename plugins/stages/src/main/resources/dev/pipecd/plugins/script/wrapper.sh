# SPDX-License-Identifier: Apache-2.0
# Runs the script of the run directory $1 at most once, whoever calls this how often, and leaves its exit code there.
# $2 is the process id of the host. Names are long so that no variable of the script's own environment is touched.
# Whatever a shell can do itself it does: beside a short script, programs started around it are most of the work.
pipecd_run_directory=$1
pipecd_run_host=$2

# A stop goes to the whole group: the script ends by it, this shell stays to write down how.
trap : TERM INT HUP

read -r pipecd_run_boot < /proc/sys/kernel/random/boot_id || exit 97
read -r pipecd_run_stat < /proc/$$/stat || exit 97
# Behind the program's name, which may hold anything, the start time is the twentieth field.
set -- ${pipecd_run_stat##*) }
printf '%s %s %s\n' "$$" "${20}" "$pipecd_run_boot" > "$pipecd_run_directory/process.$$" || exit 97

# The claim is made behind the record of who makes it, and by one alone; who comes second has nothing to do.
set -C
{ printf '' > "$pipecd_run_directory/process"; } 2> /dev/null || exit 98
set +C

(. "$pipecd_run_directory/script")
pipecd_run_code=$?
# On a full disk this shell stays, and the script counts as going on, until how it ended is written down: an end that nobody knows would be undone.
until {
  printf '%s\n' "$pipecd_run_code" > "$pipecd_run_directory/exit" &&
    [ -s "$pipecd_run_directory/exit" ]
} 2> /dev/null; do
  sleep 1
done
# A host that is there brings it to the disk before it tells anybody.
kill -0 "$pipecd_run_host" 2> /dev/null ||
  sync "$pipecd_run_directory/exit" "$pipecd_run_directory" 2> /dev/null || sync
