/*
 * Ends what no session has any more (HS3): sessions that another gateway has ended, masters of a start that was cut off, and the files of
 * both. Once at the start of a gateway, then with each clean-up.
 *
 * A master is a stray only when it is known that its session is over. One that is still to be taken over is not.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isId, type Log, within } from '@clawdfather/kit';
import type { SessionDeps } from '@clawdfather/sessions';
import { masterDirLabel } from '@clawdfather/ssh';
import { parseAccountId } from '@clawdfather/store';
import { liveRunStates, type RunRecord, type Supervisor } from '@clawdfather/supervisor';
import { sshBackend } from '@clawdfather/supervisor/origins';
import { type HostSessions, ofAccountLabel, ofSessionLabel } from './host-sessions.ts';

export interface StrayDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly supervisor: Supervisor;
  readonly sessions: Pick<SessionDeps, 'recordsOf'>;
  readonly hosts: HostSessions;
  /* Where masters have their directories. */
  readonly baseDir: string;
}

/* Longer than the grace of a master. */
const endMsMax = 5_000;

export async function endStrays(deps: StrayDeps): Promise<void> {
  await endOfOthers(deps);
  for (const run of mastersOf(deps)) {
    if (await isStray(deps, run)) await endStray(deps, run);
  }
  await removeDirectories(deps);
}

/* Ended over another gateway, which cannot reach what is here. */
async function endOfOthers({ hosts, sessions }: StrayDeps): Promise<void> {
  for (const { session } of hosts.all()) {
    const record = await sessions.recordsOf(session.accountId).get(session.id);
    if (record === undefined || record.endedAtMs === undefined) continue;
    const why = record.closeReason === 'key_revoked' ? 'key-revoked' : 'closed';
    await hosts.end(session.id, why);
  }
}

function mastersOf({ supervisor }: StrayDeps): readonly RunRecord[] {
  return supervisor.list({ backendId: sshBackend, states: liveRunStates });
}

async function isStray({ hosts, sessions }: StrayDeps, { labels }: RunRecord): Promise<boolean> {
  const id = labels[ofSessionLabel] ?? '';
  const account = labels[ofAccountLabel] ?? '';
  if (hosts.has(id)) return false;
  // Those of a test have none.
  if (!isId(id) || !isId(account)) return true;
  const record = await sessions.recordsOf(parseAccountId(account)).get(id);
  return record === undefined || record.endedAtMs !== undefined;
}

async function endStray(
  { clock, log, supervisor }: StrayDeps,
  { runId }: RunRecord,
): Promise<void> {
  log.warn('ssh.stray-master', { component: 'ssh', runId });
  try {
    const run = await supervisor.attach(runId);
    await run.cancel('manual-cancel', 'ssh');
    await within(run.waitTree(), { clock, ms: endMsMax, late: () => undefined });
  } catch (error) {
    // It comes again at the next look.
    log.warn('ssh.stray-not-ended', { component: 'ssh', runId, error });
  }
}

/* Also those of a start that was cut off before it had a run. */
async function removeDirectories(deps: StrayDeps): Promise<void> {
  const { baseDir, hosts, log } = deps;
  const names = await readdir(baseDir);
  const living = new Set(mastersOf(deps).map(({ labels }) => labels[masterDirLabel]));
  for (const name of names) {
    const directory = join(baseDir, name);
    if (living.has(directory) || hosts.uses(directory)) continue;
    await rm(directory, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn('ssh.directory-left', { component: 'ssh', error }),
    );
  }
}
