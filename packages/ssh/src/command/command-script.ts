/*
 * The POSIX script that starts one command on a host, as statements. bootstrap.ts says how it gets there.
 */
import { SshError } from '../errors.ts';
import { bootstrapExit, checkBytes, lineBytesMax, lineEndSetup, quoteWord } from './bootstrap.ts';

export interface CommandScript {
  /* In the environment of everything that the command starts; the sweep finds it by this (sweep-script.ts). */
  readonly leaseId: string;
  /* The same for all commands of a session: what they leave is found by it when the session ends. */
  readonly sessionLeaseId?: string | undefined;
  readonly command: HostCommand;
  /* Absolute, relative to the home directory, or with `~/` before it; undefined is the home directory. */
  readonly directory: string | undefined;
  /* What the header is known by. Undefined: there is none, as a terminal has only one stream. */
  readonly nonce: string | undefined;
}

export type HostCommand =
  /* For the login shell: `$SHELL -c line`. */
  | { readonly line: string }
  /* Started as it stands, without a shell. */
  | { readonly argv: readonly string[] };

export type Environment = Readonly<Record<string, string>>;

const leaseForm = /^[0-9a-z]{16,64}$/;
/* As the client that takes the header out has it. */
const nonceForm = /^[A-Za-z0-9_-]{8,64}$/;
/* Not those of the script itself. */
const nameForm = /^(?!clf_)[A-Za-z_][A-Za-z0-9_]*$/;
const namesMax = 1_000;

export function checkLeaseId(leaseId: string): string {
  if (!leaseForm.test(leaseId)) throw new TypeError('a lease id has 16 to 64 digits and letters');
  return leaseId;
}

/* The statements before the environment: from here on only `"$@"` is used. */
export function formatSetup(script: CommandScript, isOneLine: boolean): readonly string[] {
  return [
    ...(isOneLine ? [lineEndSetup] : []),
    ...(script.nonce === undefined ? [] : formatHeader(script.nonce)),
    ...(script.directory === undefined ? [] : [formatDirectory(script.directory, isOneLine)]),
    formatWords(script.command, isOneLine),
  ];
}

export function formatEnvironment(environment: Environment, isOneLine: boolean): readonly string[] {
  const entries = Object.entries(environment);
  if (entries.length > namesMax) throw unquotable('the environment has too many names', 'name');
  const words = entries.map(([name, value]) => {
    if (!nameForm.test(name))
      throw unquotable('a name in the environment is none, or one of ours', 'name');
    return `${name}=${quoteWord(value, isOneLine)}`;
  });
  return words.length === 0 ? [] : [`export ${words.join(' ')}`];
}

/* The lease comes after the environment, which therefore cannot change it. */
export function formatStart({
  leaseId,
  sessionLeaseId,
}: Pick<CommandScript, 'leaseId' | 'sessionLeaseId'>): readonly string[] {
  const words = [
    formatLease('command', leaseId),
    ...(sessionLeaseId === undefined ? [] : [formatLease('session', sessionLeaseId)]),
  ];
  return [`export ${words.join(' ')}`, 'exec "$@"'];
}

export type LeaseKind = 'command' | 'session';

const leaseNames: Readonly<Record<LeaseKind, string>> = {
  command: 'CLAWDFATHER_LEASE_ID',
  session: 'CLAWDFATHER_SESSION_LEASE',
};

/* As it is in the environment of a process. */
export function formatLease(kind: LeaseKind, leaseId: string): string {
  return `${leaseNames[kind]}=${checkLeaseId(leaseId)}`;
}

/*
 * `␞CLF1 <nonce> <pid> <start ticks> <boot id>`. The name of a program in /proc/self/stat may hold blanks, parentheses and line
 * ends; the fields that matter come after the last parenthesis. A host without /proc gives 0 and `-`.
 */
function formatHeader(nonce: string): readonly string[] {
  if (!nonceForm.test(nonce)) throw new TypeError('a nonce has 8 to 64 plain characters');
  return [
    'clf_b= clf_s=',
    '{ while read -r clf_l; do clf_s="$clf_s$clf_l "; done </proc/self/stat; } 2>/dev/null',
    '{ read -r clf_b </proc/sys/kernel/random/boot_id; } 2>/dev/null',
    'set -- ${clf_s##*) }',
    'if [ $# -ge 20 ]; then shift 19; else set -- 0; fi',
    `printf "\\036CLF1 %s %s %s %s\\012" ${nonce} "$$" "$1" "\${clf_b:--}" >&2`,
  ];
}

function formatDirectory(directory: string, isOneLine: boolean): string {
  return `cd ${directoryWord(directory, isOneLine)} || exit ${bootstrapExit.noDirectory}`;
}

/* With a slash in front `cd` takes it as it stands: it looks in no other place (CDPATH), and `-` is a name. */
function directoryWord(directory: string, isOneLine: boolean): string {
  if (directory === '') throw unquotable('the directory is empty', 'directory');
  if (directory === '~') return '"$HOME"';
  if (directory.startsWith('~/')) return `"$HOME"${quoteWord(directory.slice(1), isOneLine)}`;
  return quoteWord(directory.startsWith('/') ? directory : `./${directory}`, isOneLine);
}

function formatWords(command: HostCommand, isOneLine: boolean): string {
  if ('line' in command) {
    const line = checkBytes('the command line', command.line, lineBytesMax);
    return `set -- "\${SHELL:-/bin/sh}" -c ${quoteWord(line, isOneLine)}`;
  }
  const [program = ''] = command.argv;
  // `exec` would take it for an option.
  if (program === '' || program.startsWith('-'))
    throw unquotable('the program is empty or begins with -', 'program');
  const words = command.argv.map((word) =>
    quoteWord(checkBytes('an argument', word, lineBytesMax), isOneLine),
  );
  return `set -- ${words.join(' ')}`;
}

function unquotable(message: string, field: string): SshError {
  return new SshError('command-unquotable', message, { detail: { field } });
}
