/*
 * One start of a gateway at a time for each state directory.
 *
 * `gateway.json` is written when the gateway listens. Two that are started within the same second would both find none, both open,
 * and the second would take the runs from the first. So whoever starts first makes `gateway.starting`, which names its process, and
 * removes it when `gateway.json` is there. It is believed only while that process lives (O5), so a crash leaves nothing in the way.
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import { findUnsafe, openPrivateDir } from '@clawdfather/kit/files';
import { isProcessAlive, startTicksOf } from '@clawdfather/supervisor/alive';
import { CliError } from '../errors.ts';
import { readIdentity } from './gateway-file.ts';

interface Starter {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/* Throws when another one starts. Disposing gives it back, and may be done twice. */
export function claimStart(stateDir: string, pid: number): Disposable {
  const path = join(stateDir, 'gateway.starting');
  const own: Starter = { pid, startTicks: startTicksOf(pid) ?? 0, ...readIdentity() };
  const draft = `${path}.${pid}`;
  try {
    openPrivateDir(stateDir, () => new Error('unsafe'));
    removeDrafts(stateDir);
    writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  } catch {
    // A full disk takes the name and not the content.
    rmSync(draft, { force: true });
    // A directory that cannot be used is refused by whoever opens it next, with its reason and its cure.
    return { [Symbol.dispose]: () => {} };
  }
  try {
    // A link fails where the name is taken; a rename would not.
    if (tryLink(draft, path) === 'taken') {
      const other = readStarter(path);
      if (other !== undefined && lives(other, own)) throw alreadyStarting(stateDir, other);
      renameSync(draft, path);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    [Symbol.dispose]: () => {
      if (readStarter(path)?.pid === pid) rmSync(path, { force: true });
    },
  };
}

/* Of starts that were killed between two lines. One whose process lives is about to become the claim. */
function removeDrafts(stateDir: string): void {
  for (const name of readdirSync(stateDir)) {
    const pid = Number(/^gateway\.starting\.(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid > 0 && startTicksOf(pid) === undefined) rmSync(join(stateDir, name), { force: true });
  }
}

function tryLink(from: string, to: string): 'made' | 'taken' {
  try {
    linkSync(from, to);
    return 'made';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'taken';
    throw error;
  }
}

/* Of another boot or container nothing can be said, as with `gateway.json`: it is not waited for. */
function lives(other: Starter, own: Starter): boolean {
  const isSeen = other.bootId === own.bootId && other.pidNamespace === own.pidNamespace;
  return isSeen && isProcessAlive(other);
}

function alreadyStarting(stateDir: string, { pid }: Starter): CliError {
  return new CliError('gateway-running', 'a gateway for this state directory is starting', {
    hint: `It is process ${pid}, and this one has done nothing. How it is: clf status --wait 30s`,
    detail: { pid, stateDir },
  });
}

function readStarter(path: string): Starter | undefined {
  try {
    if (findUnsafe(path) !== undefined) return undefined;
    const json = JSON.parse(readFileSync(path, 'utf8')) as Partial<Starter> | null;
    const { pid, startTicks, bootId, pidNamespace } = json ?? {};
    const isWhole = Number.isSafeInteger(pid) && Number.isSafeInteger(startTicks);
    return isWhole && bootId !== undefined && pidNamespace !== undefined
      ? (json as Starter)
      : undefined;
  } catch {
    // Given back meanwhile, or not as we write it: nobody is known to start.
    return undefined;
  }
}
