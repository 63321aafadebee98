/*
 * Which sessions have work on this host: all of them, however many runs there are, and none that is no session.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom, silentLog } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import type { RunFilter, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { createSessionRuns, type SessionRunsDeps } from '../../src/sessions/session-runs.ts';

const random = createSystemRandom();
/* What the registry returns when nobody names a limit. */
const usualLimit = 1_000;

function runsOver(records: readonly Pick<RunRecord, 'sessionId' | 'labels'>[]) {
  const list = ({ sessionId, labels, limit = usualLimit }: RunFilter = {}) =>
    records
      .filter((record) => sessionId === undefined || record.sessionId === sessionId)
      .filter((record) => labels === undefined || record.labels['account'] === labels['account'])
      .slice(0, limit);
  // All that is asked of them here.
  const runs = { supervisor: { list } as unknown as Supervisor } as SessionRunsDeps['runs'];
  return createSessionRuns({ runs, log: silentLog });
}

test('a session is found behind any number of other runs', () => {
  const account = random.id();
  const records = Array.from({ length: 2_500 }, () => ({
    sessionId: random.id(),
    labels: { account },
  }));
  const runs = runsOver(records);
  assert.equal(runs.busy().length, 2_500);
  const last = { accountId: parseAccountId(account), id: records.at(-1)?.sessionId ?? '' };
  assert.equal(runs.isBusy(last), true);
  assert.equal(runs.isBusy({ ...last, accountId: parseAccountId(random.id()) }), false);
});

test('several runs of a session are one session; runs without one are none', () => {
  const [account, id] = [random.id(), random.id()];
  const runs = runsOver([
    { sessionId: id, labels: { account } },
    { sessionId: id, labels: { account } },
    { sessionId: 'cli', labels: { account: 'cli' } },
    { sessionId: 'api', labels: { account } },
    { sessionId: id, labels: {} },
  ]);
  assert.deepEqual(runs.busy(), [{ accountId: account, id }]);
});
