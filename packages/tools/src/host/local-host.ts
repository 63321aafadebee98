/*
 * Commands on this machine, each as the user that its account has here (local-users.ts).
 *
 * The environment is the base with the additions over it. A command on a terminal does not get the base's TERM: what it
 * talks to is our own model of one (supervisor: xterm-256color), whatever terminal the caller happens to sit at. Another user
 * gets its own names and directories, and of ours only what is about the machine.
 */
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { type Clock, orAborted } from '@clawdfather/kit';
import { execLimits } from '@clawdfather/protocol';
import type {
  FoundDirectory,
  HostCommand,
  HostPort,
  HostSpawn,
  HostUser,
} from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import type { LocalUsers } from './local-users.ts';

export interface LocalHostOptions {
  readonly clock: Clock;
  readonly baseEnvironment: Readonly<Record<string, string>>;
  readonly homeDirectory: string;
  readonly users: LocalUsers;
}

/* What a login without a PATH gets on most systems. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';

/*
 * A directory that was there a moment ago is not looked at again: the look goes through another thread, which costs a busy
 * machine as much as the rest of a call. If it went away since, the start says so.
 */
const trustedMs = 2_000;
const trustedMax = 100;

export function createLocalHost(options: LocalHostOptions): HostPort {
  const { baseEnvironment, homeDirectory, users } = options;
  const searchPath = baseEnvironment['PATH'] ?? usualPath;
  const base: Environment = { ...baseEnvironment, PATH: searchPath };
  const own = startingPoints(base);
  return {
    id: localHost,
    usualTimeoutSeconds: execLimits.timeoutSeconds.usualLocal,
    searchPath,
    homeDirectory,
    userOf: async (account) => users.of(account),
    findDirectory: createDirectoryFinder(options.clock),
    plan: async (command) => {
      const { cwd, envAdditions, terminal, user } = command;
      const starts = user === undefined ? own : startingPoints(environmentOf(user, base));
      const env = { ...(terminal === undefined ? starts.pipes : starts.terminal), ...envAdditions };
      return { cwd, env, ...programOf(command), ...(user && { runAs: idsOf(user) }) };
    },
  };
}

type Environment = Readonly<Record<string, string>>;

function startingPoints(base: Environment) {
  const { TERM: _callersTerminal, ...terminal } = base;
  return { pipes: base, terminal };
}

const aboutTheMachine: readonly string[] = ['PATH', 'LANG', 'TZ', 'TERM'];

function environmentOf(user: HostUser, base: Environment): Environment {
  const kept = Object.entries(base).filter(
    ([name]) => aboutTheMachine.includes(name) || name.startsWith('LC_'),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: user.shell,
    TMPDIR: user.temporaryDirectory,
  };
}

export function idsOf({ uid, gid, groups }: HostUser) {
  return { uid, gid, groups: [...groups] };
}

type Program = HostSpawn extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'cwd' | 'env' | 'runAs'>
    : never
  : never;

/* A line goes to its shell verbatim, on a terminal as on pipes. */
function programOf({ command, terminal }: HostCommand): Program {
  if (command.kind === 'argv') {
    return { mode: terminal === undefined ? 'child' : 'pty-argv', argv: command.argv };
  }
  const { shell, line } = command;
  if (terminal === undefined) return { mode: 'child', argv: [shell, '-c', line] };
  return { mode: 'pty', ptyCommand: line, shell };
}

function createDirectoryFinder(clock: Clock): HostPort['findDirectory'] {
  const seen = new Map<string, { readonly atMs: number; readonly found: FoundDirectory }>();
  return async (path, signal) => {
    const nowMs = clock.monotonicMs();
    const known = seen.get(path);
    if (known !== undefined && nowMs - known.atMs < trustedMs) return known.found;
    // A dead network mount never answers, so the caller's signal counts.
    const found = await orAborted(lookAt(path), signal);
    if (seen.size >= trustedMax) seen.clear();
    if (found.kind === 'found') seen.set(path, { atMs: nowMs, found });
    else seen.delete(path);
    return found;
  };
}

/*
 * Links are followed here and not by the start: `/proc/self/cwd`, or a link to it, is another place to every process that
 * follows it. Only a directory that may be searched has an entry for itself.
 */
async function lookAt(path: string): Promise<FoundDirectory> {
  try {
    const place = await realpath(path);
    await access(`${place}/.`, constants.X_OK);
    return { kind: 'found', path: place };
  } catch (error) {
    return { kind: 'unusable', why: whyUnusable(error) };
  }
}

function whyUnusable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is not a directory';
  if (code === 'EACCES' || code === 'EPERM') return 'it cannot be entered: permission denied';
  if (code === 'ELOOP') return 'its symbolic links go round in circles';
  return `it cannot be looked at (${String(code ?? error)})`;
}
