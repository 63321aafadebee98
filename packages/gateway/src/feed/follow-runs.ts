/*
 * Runs that have started and ended, from the registry of this machine into the account's events.
 *
 * Each event has a key with the id of its run, so that what is written twice is there once. A gateway that starts looks at the newest
 * runs that have ended, of which it may not have told. Runs of other parts of the gateway (agents, connections to hosts) belong to no
 * account and are not told; nor is what a person runs at a terminal of this machine, which tokens of the owner do not see.
 */
import type { Clock, Log } from '@clawdfather/kit';
import { type AccountId, parseAccountId, type Store } from '@clawdfather/store';
import { liveRunStates, type RunRecord, type Supervisor } from '@clawdfather/supervisor';
import {
  accountLabel,
  execBackend,
  hostLabel,
  localAccount,
  localHost,
} from '@clawdfather/supervisor/origins';
import { createFollower, type Follower } from './follower.ts';

export interface FollowRunsDeps {
  readonly store: Store;
  readonly supervisor: Pick<Supervisor, 'list' | 'get'>;
  readonly ownerId: AccountId;
  readonly clock: Clock;
  readonly log: Log;
}

/* Accounts have bounds far below. */
const liveMax = 1_000;
/* Looked at when a gateway starts. */
const endedMax = 200;
/* What is older than a day is no news. */
const ageMsMax = 24 * 3_600_000;
/* Runs that other processes hold begin and end without telling us. */
const everyMs = 15_000;

export interface RunFollower extends Follower {
  /* This process has seen it begin or end. */
  note(runId: RunRecord['runId']): void;
}

export function followRuns(deps: FollowRunsDeps): RunFollower {
  const { supervisor, clock, log } = deps;
  /* Told to have started, and not to have ended. */
  const live = new Set<RunRecord['runId']>();
  const noted = new Set<RunRecord['runId']>();
  let isFirst = true;
  const look = async (): Promise<void> => {
    const ofAccounts = { backendId: execBackend };
    const now = supervisor.list({ ...ofAccounts, states: liveRunStates, limit: liveMax });
    if (isFirst) {
      const ended = supervisor.list({ ...ofAccounts, states: ['exited'], limit: endedMax });
      for (const record of ended.toReversed()) {
        if (clock.wallMs() - (record.exit?.endedAtMs ?? 0) < ageMsMax)
          await tellEnded(deps, record);
      }
      isFirst = false;
    }
    for (const record of now) {
      if (record.startedAtMs === undefined || live.has(record.runId)) continue;
      await tell(deps, record, { type: 'run_started' });
      live.add(record.runId);
    }
    const ids = new Set(now.map(({ runId }) => runId));
    // Those that were too short to be seen in the list are known by what this process has seen of them.
    for (const runId of new Set([...live, ...noted])) {
      if (ids.has(runId)) continue;
      const record = supervisor.get(runId);
      if (record?.backendId === execBackend) await tellEnded(deps, record);
      live.delete(runId);
      noted.delete(runId);
    }
    for (const runId of ids) noted.delete(runId);
  };
  const follower = createFollower({
    clock,
    everyMs,
    onFailed: (error) => log.error('notice.unrecorded', { error }),
    work: look,
  });
  follower.look();
  return {
    ...follower,
    note: (runId) => {
      noted.add(runId);
      follower.look();
    },
  };
}

async function tellEnded(deps: FollowRunsDeps, record: RunRecord): Promise<void> {
  const { exit } = record;
  if (exit === undefined) return;
  const { reason, code } = exit;
  // One that was too short to be seen alive has started, too.
  if (record.startedAtMs !== undefined) await tell(deps, record, { type: 'run_started' });
  const payload = { reason, ...(code === undefined ? {} : { code }) };
  await tell(deps, record, { type: 'run_ended', payload });
}

async function tell(
  { store, ownerId }: FollowRunsDeps,
  { runId, labels }: RunRecord,
  {
    type,
    payload = {},
  }: {
    readonly type: 'run_started' | 'run_ended';
    readonly payload?: { readonly reason?: string; readonly code?: number };
  },
): Promise<void> {
  const account = labels[accountLabel];
  if (account === undefined) return;
  const accountId = account === localAccount ? ownerId : parseAccountId(account);
  // The registry may know an account that a restored database does not.
  if ((await store.forAccount(accountId).profile.get()) === undefined) return;
  const host = labels[hostLabel] ?? localHost;
  const key = `${type}:${runId}`;
  const event = { type, subjectId: runId, payload: { host, ...payload }, key };
  await store.forAccount(accountId).notices.tell({ events: [event] });
}
