# SPDX-License-Identifier: Apache-2.0
# Runs the script of the run directory $1 at most once, whoever calls this how often, and leaves its exit code there.
# Names are long so that no variable of the script's own environment is touched.
pipecd_run_directory=$1

# A stop goes to the whole group: the script ends by it, this shell stays to write down how.
trap : TERM INT HUP

# As few programs as can be are started: beside a short script they are most of the work.
pipecd_run_text=$(cat "$pipecd_run_directory/script") || exit 97
pipecd_run_exports=
if [ -s "$pipecd_run_directory/exports" ]; then
  pipecd_run_exports=$(cat "$pipecd_run_directory/exports") || exit 97
fi
read -r pipecd_run_boot < /proc/sys/kernel/random/boot_id || exit 97
read -r pipecd_run_stat < /proc/$$/stat || exit 97
# Behind the program's name, which may hold anything, the start time is the twentieth field.
set -- ${pipecd_run_stat##*) }
printf '%s %s %s\n' "$$" "${20}" "$pipecd_run_boot" > "$pipecd_run_directory/process.$$" || exit 97

# The claim and the record of who runs are one act; who comes second has nothing to do.
ln "$pipecd_run_directory/process.$$" "$pipecd_run_directory/process" 2> /dev/null || exit 98
# A power cut must not forget that the script was begun.
sync "$pipecd_run_directory" 2> /dev/null || sync

# In a shell of its own: a PATH of the script's must not hide the programs that follow.
(
  eval "$pipecd_run_exports"
  exec /bin/sh -l -c "$pipecd_run_text"
)
pipecd_run_code=$?
# On a full disk this shell stays, and the script counts as going on, until how it ended is written down: an end that nobody knows would be undone.
until {
  printf '%s\n' "$pipecd_run_code" > "$pipecd_run_directory/exit.new" &&
    [ -s "$pipecd_run_directory/exit.new" ] &&
    { sync "$pipecd_run_directory/exit.new" || sync; } &&
    mv "$pipecd_run_directory/exit.new" "$pipecd_run_directory/exit"
} 2> /dev/null; do
  sleep 1
done
sync "$pipecd_run_directory" 2> /dev/null || sync
