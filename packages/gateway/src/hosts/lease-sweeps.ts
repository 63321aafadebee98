/*
 * Ends what is on the list of a host (lease-files.ts) and not carried any more: what a lost connection left there, what a session's
 * commands left, a command whose client was killed while it opened.
 *
 * One sweep at a time on each connection: a session of its own on the master is kept free for it, and no more than one.
 */
import type { Clock, Log } from '@clawdfather/kit';
import { formatSweep, type ReportLine } from '@clawdfather/ssh';
import type { LiveHost } from './host-sessions.ts';
import type { HostLease, LeaseFiles } from './lease-files.ts';
import { parseSwept, runThrough, type ThroughCommand } from './through-master.ts';

export interface LeaseSweepsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly shimPath: string;
  readonly leases: LeaseFiles;
  /* What has it is still looked after: a run that lives, a session that is not over. */
  readonly isCarried: (host: LiveHost, lease: HostLease) => Promise<boolean>;
}

export interface LeaseSweeps {
  /* All that is on the list. Never rejects. */
  sweep(host: LiveHost): Promise<void>;
  /* What the commands of this session have left. Never rejects. */
  sweepSession(host: LiveHost): Promise<void>;
}

/* A session of its own, the sweep's own rounds, and round trips. */
export const sweepMs = 10_000;
/*
 * A command whose client was killed while it opened carries its lease only when the login shell has read its files. So nothing found is
 * no proof for a while. What comes later than this is found by the lease of the session.
 */
const ghostPausesMs = [250, 500, 1_000, 2_000];
const bootForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createLeaseSweeps(deps: LeaseSweepsDeps): LeaseSweeps {
  const { clock, log, shimPath, leases } = deps;
  const turns = new Map<string, Promise<void>>();

  const run = async (master: LiveHost['master'], command: ThroughCommand) => {
    const through = { clock, shimPath, socketPath: master.place.socketPath };
    const first = parseSwept((await runThrough(through, command))?.stdout ?? '');
    const isOpen = master.state().status === 'live' || master.state().status === 'draining';
    if (first !== undefined || !isOpen) return first;
    // A host with few sessions may have none left: the ping's is lent.
    await master.pausePing();
    return parseSwept((await runThrough(through, command))?.stdout ?? '');
  };

  const sweepOne = async (host: LiveHost, lease: HostLease): Promise<void> => {
    const { connectionId, master } = host;
    const lines = await leases.report(connectionId, lease.id);
    if (isConfirmed(lines)) return leases.confirm(connectionId, lease.id);
    const { kind, leaseId, graceMs } = lease;
    const execString = formatSweep({ kind, leaseId, bootId: bootOf(lines), graceMs });
    const pausesMs = mayBeOnItsWay(lines) ? ghostPausesMs : [];
    for (const pauseMs of [...pausesMs, undefined]) {
      const swept = await run(master, { execString, limitMs: graceMs + sweepMs });
      if (swept === undefined || swept.left > 0) break;
      if (swept.found > 0 || pauseMs === undefined) return leases.confirm(connectionId, lease.id);
      await clock.sleep(pauseMs);
    }
    log.warn('ssh.unconfirmed', {
      component: 'ssh',
      connection_id: connectionId,
      kind,
      id: lease.id,
    });
  };

  const inTurn = (host: LiveHost, work: () => Promise<void>): Promise<void> => {
    const { connectionId } = host;
    const before = turns.get(connectionId) ?? Promise.resolve();
    const turn = before.then(work).catch((error: unknown) => {
      log.warn('ssh.not-swept', { component: 'ssh', connection_id: connectionId, error });
    });
    turns.set(connectionId, turn);
    void turn.then(() => {
      if (turns.get(connectionId) === turn) turns.delete(connectionId);
    });
    return turn;
  };

  return {
    sweep: (host) =>
      inTurn(host, async () => {
        for (const lease of await leases.list(host.connectionId)) {
          if (!(await deps.isCarried(host, lease))) await sweepOne(host, lease);
        }
      }),
    sweepSession: (host) =>
      inTurn(host, async () => {
        const found = await leases.list(host.connectionId);
        const mine = found.find(({ kind, id }) => kind === 'session' && id === host.session.id);
        if (mine !== undefined) await sweepOne(host, mine);
      }),
  };
}

/* Its end on the host is known: it gave its code, nothing with its lease is left, or it never was there. */
export function isConfirmed(lines: readonly ReportLine[]): boolean {
  const last: readonly ReportLine['kind'][] = ['exit', 'refused', 'no-master', 'not-sent'];
  return lines.some(
    (line) => last.includes(line.kind) || (line.kind === 'swept' && line.outcome === 'confirmed'),
  );
}

/* It was asked for, and was not seen to run. */
function mayBeOnItsWay(lines: readonly ReportLine[]): boolean {
  const has = (kind: ReportLine['kind']): boolean => lines.some((line) => line.kind === kind);
  return has('opening') && !has('header');
}

/* Undefined for a host that does not say. */
function bootOf(lines: readonly ReportLine[]): string | undefined {
  const header = lines.find((line) => line.kind === 'header');
  return header !== undefined && bootForm.test(header.bootId) ? header.bootId : undefined;
}
