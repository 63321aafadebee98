/*
 * What may run unasked from the first day: programs that only read, whatever their options.
 *
 * Each was checked for options that write a file or start something. Hence not here, though they look as if they only
 * read: sort (-o, --compress-program), uniq (a second operand is written to), find (-exec, -delete, -fprint), sed, awk, less,
 * more, man, tree (-o), file (-C), shuf and ptx (an output file), xxd (an output file), rg (--pre), git (aliases, pagers,
 * hooks), date and hostname (they set it), dmesg (-c), env, time, timeout, nice, xargs (they run others), egrep,
 * fgrep, zcat and which (shell scripts), locale (-m runs the first gzip in PATH), top (saves its settings), yes (never
 * ends).
 *
 * Which files they read is not a matter of this list: a run that it alone lets through is confined to the working tree by the
 * kernel (starter-reach.ts), and programs whose arguments name no file to read are let through everywhere.
 *
 * Only from the system's own directories, which only its administrator writes to. The file in the end must be the system's
 * too, though it may lie deeper: some distributions link all of them to one binary below /usr/lib.
 */
import { basename, dirname } from 'node:path';
import type { FoundProgram } from './find-program.ts';

const systemDirectories: ReadonlySet<string> = new Set(['/bin', '/usr/bin']);

const systemFile = /^\/(?:usr\/(?!local\/)|bin\/)/;

const starterNames: ReadonlySet<string> = new Set(
  `ls dir vdir cat tac head tail wc nl cut tr paste join comm expand unexpand fold fmt pr rev column od hexdump
   stat du df readlink realpath basename dirname pwd
   grep cmp diff md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base32 base64
   echo printf true false test [ expr seq sleep numfmt factor jq
   id whoami groups logname users who tty uname arch nproc uptime free ps pgrep printenv getconf lscpu lsblk`
    .trim()
    .split(/\s+/),
);

/*
 * Those that read no file of a user's, whatever their arguments: they compute, or show what the kernel knows of their own
 * process, the machine, or the size and place of a file. Not here: `who FILE`, `lscpu -s DIR`, and ps, which shows environments.
 */
const readingNothing: ReadonlySet<string> = new Set(
  `echo printf true false test [ expr seq sleep numfmt factor tr pwd basename dirname stat df readlink realpath
   id whoami groups logname tty uname arch nproc uptime free printenv getconf`
    .trim()
    .split(/\s+/),
);

/* Of a starter program. */
export function readsNothing({ namedPath }: FoundProgram): boolean {
  return readingNothing.has(basename(namedPath));
}

/* Programs that run whatever they are told to; not all there are, but those that people meet. */
const runnerNames =
  /^(sh|dash|bash|zsh|fish|ksh|busybox|env|xargs|find|sudo|doas|su|ssh|nice|nohup|setsid|timeout|time|watch|script|make|git|docker|podman|kubectl|vi|vim|nvim|emacs|nano|less|man|awk|gawk|mawk|sed|tar|rsync|npm|npx|pnpm|yarn|bun|deno|node|nodejs|tsx|cargo|go|java|php|lua|ruby|perl|pip|pipx|uv|uvx|python|parallel|tmux|screen|systemd-run|at|crontab|expect|gdb)([0-9.]*)$/;

/* A person who let this program run unasked has let it read every file, so confining others beside it gains nothing. */
export function canReadAnything(program: FoundProgram): boolean {
  return canRunAnything(program) || (isStarterProgram(program) && !readsNothing(program));
}

/* An agent that may run this unasked may run anything. */
export function canRunAnything({ namedPath, realPath }: FoundProgram): boolean {
  return [namedPath, realPath].some((path) => runnerNames.test(basename(path)));
}

export function isStarterProgram({ namedPath, realPath }: FoundProgram): boolean {
  return (
    starterNames.has(basename(namedPath)) &&
    systemDirectories.has(dirname(namedPath)) &&
    systemFile.test(realPath)
  );
}
