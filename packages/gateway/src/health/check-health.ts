/*
 * How the gateway is, as /health reports it (docs/observability.md).
 *
 * - `unhealthy`: a row of the database cannot be written and read within 5 s, or it is damaged. Nothing works without it.
 * - `degraded`: something works badly: the database is slow, its file was taken away, the disk refuses or is nearly full, the
 *   event loop is late.
 * - `ok`: the rest.
 *
 * An answer is used again for a second, so frequent requests cost nothing. A change is logged with its reasons, which the answer
 * does not contain.
 */
import { join } from 'node:path';
import type { Clock, Log } from '@clawdfather/kit';
import type { Readiness, Store } from '@clawdfather/store';
import type { EventLoopLag } from '../observe/event-loop-lag.ts';
import {
  checkFilesystem,
  countSockets,
  fileIdentityOf,
  removeHealthFiles,
} from './check-filesystem.ts';
import { limited } from './limited.ts';

export type HealthStatus = 'ok' | 'degraded' | 'unhealthy';

export interface Health {
  readonly status: HealthStatus;
  readonly reasons: readonly HealthReason[];
  /* `undefined` when it did not answer in time. */
  readonly readiness: Readiness | undefined;
  readonly db: { readonly status: HealthStatus; readonly latencyMs: number };
  readonly filesystem: {
    readonly status: HealthStatus;
    readonly isWritable: boolean;
    readonly freeBytes: number | undefined;
  };
  /* `undefined` while it cannot be known. */
  readonly activeSessions: number | undefined;
  readonly activeControlmasters: number | undefined;
}

export type HealthReason =
  | 'database-down'
  | 'database-damaged'
  | 'database-unwritable'
  | 'database-slow'
  | 'database-file-gone'
  | 'disk-not-writable'
  | 'disk-nearly-full'
  | 'event-loop-late';

export interface HealthDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Store, 'readiness' | 'system'>;
  readonly stateDir: string;
  /* Where ControlMaster sockets are; undefined: there can be none. */
  readonly socketsDir: string | undefined;
  /* SQLite's file. SQLite goes on writing to a removed file, and everything is lost when this process ends. */
  readonly databaseFile?: string | undefined;
  readonly lag: Pick<EventLoopLag, 'read'>;
}

export type CheckHealth = () => Promise<Health>;

const believedMs = 1_000;
/* docs/observability.md names these limits. */
const databaseMsMax = 5_000;
const filesystemMsMax = 5_000;
/* Beyond this, people notice that answers are slow. */
const databaseSlowMs = 1_000;
/* The alert about disk space begins at the same number. */
export const freeBytesMin = 500 * 1_048_576;
/* Every answer waits this long on top of its own time. */
const lagSecondsMax = 0.25;

/* Where our state and the journals are. */
function directoriesOf(stateDir: string): readonly string[] {
  return [stateDir, join(stateDir, 'runs')];
}

export function createCheckHealth(deps: HealthDeps): CheckHealth {
  const { clock, log } = deps;
  let last: { readonly answer: Promise<Health>; untilMs: number } | undefined;
  let status: HealthStatus = 'ok';
  const opened = databaseFileOf(deps);
  removeHealthFiles(directoriesOf(deps.stateDir));

  const look = async (): Promise<Health> => {
    const health = await lookNow(deps, opened);
    if (health.status !== status) {
      const { reasons } = health;
      const fields = { from: status, to: health.status, reasons };
      status = health.status;
      if (status === 'ok') log.event('health.changed', fields);
      else log[status === 'degraded' ? 'warn' : 'error']('health.changed', fields);
    }
    return health;
  };

  return () => {
    if (last !== undefined && clock.monotonicMs() < last.untilMs) return last.answer;
    // Requests that come meanwhile wait for the same answer.
    const current = { answer: look(), untilMs: Number.POSITIVE_INFINITY };
    last = current;
    const believe = (): void => {
      current.untilMs = clock.monotonicMs() + believedMs;
    };
    current.answer.then(believe, believe);
    return current.answer;
  };
}

async function databaseFileOf({ clock, databaseFile }: HealthDeps): Promise<string | undefined> {
  if (databaseFile === undefined) return undefined;
  return limited(clock, filesystemMsMax, fileIdentityOf(databaseFile));
}

async function lookNow(deps: HealthDeps, opened: Promise<string | undefined>): Promise<Health> {
  const { clock, stateDir, socketsDir, lag, store } = deps;
  const sinceMs = clock.monotonicMs();
  const [readiness, activeSessions, disk, activeControlmasters, before, now] = await Promise.all([
    limited(clock, databaseMsMax, store.readiness()),
    limited(clock, databaseMsMax, store.system.leases.count('active')),
    limited(clock, filesystemMsMax, checkFilesystem(directoriesOf(stateDir))),
    limited(
      clock,
      filesystemMsMax,
      socketsDir === undefined ? Promise.resolve(0) : countSockets(socketsDir),
    ),
    opened,
    databaseFileOf(deps),
  ]);
  const isUp = readiness?.database === 'up';
  const latencyMs = readiness?.latencyMs ?? clock.monotonicMs() - sinceMs;
  const isWritable = disk?.isWritable ?? false;
  const freeBytes = disk?.freeBytes;
  const reasons: HealthReason[] = [];
  if (!isUp) reasons.push(`database-${readiness?.database ?? 'down'}`);
  else if (latencyMs > databaseSlowMs) reasons.push('database-slow');
  if (before !== undefined && before !== now) reasons.push('database-file-gone');
  if (!isWritable) reasons.push('disk-not-writable');
  if (freeBytes !== undefined && freeBytes < freeBytesMin) reasons.push('disk-nearly-full');
  if (lag.read().p99 > lagSecondsMax) reasons.push('event-loop-late');
  return {
    status: statusOf(reasons, '', isUp),
    reasons,
    readiness,
    db: {
      status: statusOf(reasons, 'database-', isUp),
      latencyMs,
    },
    filesystem: {
      status: statusOf(reasons, 'disk-'),
      isWritable,
      freeBytes,
    },
    activeSessions: isUp ? activeSessions : undefined,
    activeControlmasters,
  };
}

function statusOf(reasons: readonly HealthReason[], about: string, isUp = true): HealthStatus {
  if (!isUp) return 'unhealthy';
  return reasons.some((reason) => reason.startsWith(about)) ? 'degraded' : 'ok';
}
