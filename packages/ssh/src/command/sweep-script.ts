/*
 * The script that ends what a command left on a host, and proves it.
 *
 * What is ended: every process of this user with exactly this lease in its environment; all processes of the sessions that those
 * are in, because a session's id is not used again while it has a member; and the descendants of all of them. A process that
 * cleared its environment, left the session and lost its parent cannot be told from a stranger's, and lives.
 *
 * Steps: compare the boot (after a restart of the host nothing is left, and a pid means another process) → find → SIGTERM and
 * SIGCONT → wait for the grace → find again and SIGKILL, until nothing is found or the rounds are over → one line:
 *
 *   CLF-SWEPT <how many processes were found> <how many are left>
 *
 * A start time is read again right before each signal. No line means that nothing is proven: a host without /proc or without
 * grep, sed, tr, id and sleep, for one.
 *
 * It needs a POSIX sh and those five, which look at all processes at once: a shell reads a file byte by byte. What they find
 * is read again by the shell itself, because the name of a program can make a line of /proc look like two.
 */
import { encodeBootstrap } from './bootstrap.ts';
import { checkLeaseId, formatLease, type LeaseKind } from './command-script.ts';

export interface SweepInput {
  readonly leaseId: string;
  /* Of one command, or of all commands of a session. */
  readonly kind?: LeaseKind | undefined;
  /* Of the header. Undefined: it is not known, and is not compared. */
  readonly bootId?: string | undefined;
  readonly graceMs: number;
}

const bootForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const napMs = 50;
const graceMsMax = 600_000;
/* 2 s for what the kernel needs to end a process, and for what is forked meanwhile. */
const killRoundsMax = 40;

/* An exec string, for any login shell. */
export function formatSweep({ leaseId, kind = 'command', bootId, graceMs }: SweepInput): string {
  if (bootId !== undefined && !bootForm.test(bootId)) throw new TypeError('that is no boot id');
  if (!Number.isFinite(graceMs) || graceMs < 0 || graceMs > graceMsMax)
    throw new TypeError(`a grace has 0 to ${graceMsMax} ms`);
  const settings = [
    `lease=${checkLeaseId(leaseId)}`,
    `entry=${formatLease(kind, leaseId)}`,
    `boot=${bootId ?? ''}`,
    `naps=${Math.ceil(graceMs / napMs)}`,
    `rounds=${killRoundsMax}`,
  ];
  return encodeBootstrap([...settings, sweepScript].join('\n'));
}

const sweepScript =
  String.raw`for tool in grep sed tr id sleep; do command -v $tool >/dev/null || exit 3; done
{ read -r now </proc/sys/kernel/random/boot_id; } 2>/dev/null || exit 3
if [ "$boot" ] && [ "$boot" != "$now" ]; then echo CLF-SWEPT 0 0; exit 0; fi
rm -f "\${XDG_RUNTIME_DIR:-/tmp}/clf-env-$lease"
uid=$(id -u)
nap() { sleep 0.0\${1:-5} 2>/dev/null || { sleep 1; i=$((i + 19)); }; }
# state, parent, session, start of a process; false when it is gone or a zombie.
look() {
  line=
  { while read -r part; do line="$line$part "; done <"/proc/$1/stat"; } 2>/dev/null
  set -- \${line##*) }
  [ $# -ge 20 ] || return 1
  state=$1 parent=$2 session=$4
  shift 19
  start=$1
  case $state in Z | X) return 1 ;; esac
}
# Whether the process of an entry pid:start is still the same one.
same() { look "\${1%%:*}" && [ "$start" = "\${1#*:}" ]; }
mine() {
  { while read -r name value rest; do
    case $name in Uid:) [ "$value" = "$uid" ]; return ;; esac
  done <"/proc/$1/status"; } 2>/dev/null
  return 1
}
holders() {
  held=' '
  files=$(grep -lF "$entry" /proc/[0-9]*/environ 2>/dev/null)
  case $? in 126 | 127) exit 3 ;; esac
  for file in $files; do
    pid=\${file#/proc/} pid=\${pid%/environ}
    look "$pid" || continue
    case $known in *" $pid:$start "*) held="$held$pid "; continue ;; esac
    { tr '\012\000' '\001\012' <"$file"; } 2>/dev/null | grep -qxF "$entry" || continue
    mine "$pid" && held="$held$pid "
  done
}
# live: the entries that have to be ended. known: all that there ever were. sessions: theirs, but for our own and the kernel's.
look $$ || exit 3
own=$session
known=' ' sessions=' ' live= found=0
add() {
  live="$live $1:$4" pids="$pids$1 "
  case $3 in 0 | "$own") ;; *) case $sessions in *" $3 "*) ;; *) sessions="$sessions$3 " ;; esac ;; esac
  case $known in *" $1:$4 "*) ;; *) known="$known$1:$4 " found=$((found + 1)) ;; esac
}
# Whether a process belongs to them by its parent or session, or is one of those known before.
ours() {
  case $pids in *" $parent "*) return ;; esac
  case $sessions in *" $session "*) return ;; esac
  case $known in *" $1"*) return ;; esac
  return 1
}
find_all() {
  holders
  live= pids=' ' table=
  for pid in $held; do look "$pid" && add "$pid" "$parent" "$session" "$start"; done
  if [ "$found" = 0 ]; then return; fi
  table=$(sed -n 's/^\([0-9]*\) (.*) [^ZX] \([0-9]*\) [0-9]* \([0-9]*\) .*/\1:\2:\3/p' /proc/[0-9]*/stat 2>/dev/null)
  case $? in 126 | 127) exit 3 ;; esac
  more=1
  while [ "$more" = 1 ]; do
    more=0
    for row in $table; do
      pid=\${row%%:*} rest=\${row#*:}
      parent=\${rest%%:*} session=\${rest#*:}
      case $pids in *" $pid "*) continue ;; esac
      ours "$pid:" || continue
      [ "$pid" != $$ ] && look "$pid" || continue
      ours "$pid:$start " || continue
      add "$pid" "$parent" "$session" "$start"
      more=1
    done
  done
}
tell() { for one in $live; do same "$one" && kill -s "$1" "\${one%%:*}" 2>/dev/null; done; }
remain() { for one in $live; do same "$one" && return; done; return 1; }
find_all
if [ "$live" ]; then
  tell TERM
  tell CONT
  i=0
  nap 1
  while [ $i -lt $naps ] && remain; do nap; i=$((i + 1)); done
  find_all
  i=0
  while [ "$live" ] && [ $i -lt $rounds ]; do
    tell KILL
    nap 1
    find_all
    [ "$live" ] && nap
    i=$((i + 1))
  done
fi
set -- $live
echo "CLF-SWEPT $found $#"
`
    .replaceAll('\\${', '${')
    // Its comments stay here.
    .replaceAll(/^ *#.*\n/gm, '');
