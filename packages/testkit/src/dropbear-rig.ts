/*
 * Debian's dropbear as a second kind of SSH server for tests: in the foreground on a free port of the loopback, with a host key of its own.
 * Its list of keys is in the home of who logs in, so that is a user of the test's. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '@clawdfather/kit';
import { cannotMakeUsers, makeUnixUser } from './unix-user.ts';

export interface DropbearRig extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Takes the place of the one before. */
  authorize(publicKeyLine: string): void;
}

const program = '/usr/sbin/dropbear';
const keyProgram = '/usr/bin/dropbearkey';

/** For `skip`: false, or why not. */
export const dropbearSkip: string | false = existsSync(program)
  ? cannotMakeUsers
  : 'needs dropbear (Debian: dropbear-bin)';

/* It says on its standard error that it is there, and on which port only in its arguments. */
const readyWords = 'Not backgrounding';
const portsTried = 10;
const roundsMax = 2_000;
const pauseMs = 5;

export async function openDropbear(): Promise<DropbearRig> {
  await using opening = new AsyncDisposableStack();
  const user = opening.use(await makeUnixUser());
  const dir = mkdtempSync(join(tmpdir(), 'clf-dropbear-'));
  opening.defer(() => rmSync(dir, { recursive: true, force: true }));
  const keyPath = join(dir, 'host-key');
  execFileSync(keyProgram, ['-t', 'ed25519', '-f', keyPath], { stdio: 'ignore' });
  const { child, port } = await startOnFreePort(dir, keyPath);
  opening.defer(() => end(child, user.uid));
  const keysDir = join(user.home, '.ssh');
  mkdirSync(keysDir, { mode: 0o700 });
  const lifetime = opening.move();
  return {
    host: '127.0.0.1',
    port,
    user: user.name,
    authorize: (line) => {
      const path = join(keysDir, 'authorized_keys');
      writeFileSync(path, `${line.trim()}\n`, { mode: 0o600 });
      for (const each of [keysDir, path]) chownSync(each, user.uid, user.gid);
    },
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  };
}

/* A port that another program has is no end: it says so and leaves. */
async function startOnFreePort(
  dir: string,
  keyPath: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  for (let start = 1; ; start += 1) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const child = spawn(
      '/usr/bin/setpriv',
      [
        '--pdeathsig',
        'TERM',
        program,
        '-FEsm',
        '-r',
        keyPath,
        '-P',
        join(dir, 'pid'),
        '-p',
        `127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' },
    );
    const said = await firstWords(child);
    const isBound = said.includes(readyWords) && !said.includes('Failed listening');
    if (isBound) return { child, port };
    child.kill('SIGKILL');
    if (start === portsTried) throw new Error(`dropbear did not start: ${said}`);
  }
}

async function firstWords(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const bytes of child.stderr ?? []) {
    said += String(bytes);
    if (said.includes(readyWords)) break;
  }
  child.stderr?.resume();
  return said;
}

/* The listener, then what serves its connections and what they started: all of it is the user's, or ends with its connection. */
async function end(child: ChildProcess, uid: number): Promise<void> {
  const clock = createSystemClock();
  child.kill('SIGKILL');
  for (let round = 1; ; round += 1) {
    const left = processesOf(uid);
    if (left.length === 0) return;
    if (round > roundsMax)
      throw new Error(`processes of the test's user do not go: ${left.join()}`);
    for (const pid of left) kill(pid);
    await clock.sleep(pauseMs);
  }
}

function processesOf(uid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && ownerOf(pid) === uid);
}

function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself.
  }
}
