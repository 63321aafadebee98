/*
 * Watches a login from outside: the report of our programs and the control socket, as files of the master's directory. Each stage
 * that is over is an event for nextMaster.
 */
import { type FSWatcher, watch } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import type { Clock, Timer } from '@clawdfather/kit';
import { comparePin, type HostKey } from '../pins/host-key.ts';
import { offeredKey } from './cause.ts';
import type { MasterPlace } from './master-place.ts';
import type { MasterEvent } from './master-state.ts';
import { parseReport, type ReportLine } from './report.ts';

export interface LoginWatch extends Disposable {
  /* What was reported so far, read anew. */
  report(): Promise<readonly ReportLine[]>;
  /* When the dialer's success was seen; undefined before. */
  dialedAtMs(): number | undefined;
}

export interface LoginWatchDeps {
  readonly clock: Clock;
  readonly place: MasterPlace;
  readonly pin: HostKey | undefined;
  /* Whether the signer has signed. */
  readonly hasSigned: () => boolean;
  readonly send: (event: MasterEvent) => void;
}

/* Beside the kernel's notices, which some file systems do not give and which can run out. */
const lookAgainMs = 200;
/* A dozen lines, one of them with a key. */
const reportBytesMax = 256 * 1024;

export function watchLogin(deps: LoginWatchDeps): LoginWatch {
  const { clock, place, pin, send } = deps;
  let dialedAtMs: number | undefined;
  let isOver = false;
  let isLooking = false;
  let isAgain = false;
  const look = async (): Promise<void> => {
    const lines = await readReport(place.reportPath);
    if (lines.some(({ kind }) => kind === 'dial-connected')) {
      dialedAtMs ??= clock.monotonicMs();
      send({ type: 'dialed' });
    }
    const offered = offeredKey(lines);
    const isPinned = offered !== undefined && offered !== 'unusable';
    if (isPinned && comparePin(pin, offered) === 'same') send({ type: 'keyed' });
    if (deps.hasSigned()) send({ type: 'signed' });
    if (await isSocket(place.socketPath)) send({ type: 'opened' });
  };
  /* One look at a time: events of one look come in the order of the stages. */
  const lookSoon = (): void => {
    if (isOver) return;
    isAgain = true;
    if (isLooking) return;
    isLooking = true;
    void (async () => {
      while (isAgain && !isOver) {
        isAgain = false;
        await look();
      }
      isLooking = false;
    })();
  };
  const watcher = openWatcher(place.directory, lookSoon);
  let timer: Timer;
  const beat = (): void => {
    lookSoon();
    timer = clock.timer(lookAgainMs, beat);
    timer.unref();
  };
  beat();
  return {
    report: () => readReport(place.reportPath),
    dialedAtMs: () => dialedAtMs,
    [Symbol.dispose]: () => {
      isOver = true;
      timer.cancel();
      watcher?.close();
    },
  };
}

/* Without it there are the looks by the clock. */
function openWatcher(directory: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, changed);
    watcher.on('error', () => {});
    return watcher;
  } catch {
    return undefined;
  }
}

async function readReport(path: string): Promise<readonly ReportLine[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return parseReport(text.slice(0, reportBytesMax)).lines;
}

async function isSocket(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSocket() === true;
}
