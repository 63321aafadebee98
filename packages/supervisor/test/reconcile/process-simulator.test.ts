/*
 * A process lifecycle simulator, as a table over the pure functions. In its names the wrapper is our
 * shim and the adapter child our root.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRecord } from '../../src/types.ts';
import { livingRoot, livingShim } from '../fake-host.ts';
import { exitOf } from '../records.ts';
import { type Case, decide, leaseEndsAtMs } from './decide-rig.ts';

const expired = { bootMs: leaseEndsAtMs };
const quoted: Partial<RunRecord> = { command: 'sh -c \'exec "my agent" --flag=a\\ b\'' };

interface Row {
  readonly name: string;
  readonly given: Case;
  readonly decision: string;
  readonly why: RegExp;
}

const rows: readonly Row[] = [
  {
    name: 'PID reused by unrelated process',
    given: { host: { processes: { 499: { startTicks: 1 }, 500: { startTicks: 2 } } } },
    decision: 'stale',
    why: /another time/,
  },
  {
    name: 'PID reused by another gateway’s wrapper root',
    given: {
      host: { processes: { 499: { startTicks: 1 }, 500: { startTicks: 2, leaseId: 'theirs' } } },
    },
    decision: 'stale',
    why: /another time/,
  },
  {
    name: 'PID held by another gateway’s root at the very same start time',
    given: { host: { processes: { 500: { startTicks: 9_000, leaseId: 'theirs' } } } },
    decision: 'leave',
    why: /another lease/,
  },
  {
    name: 'stored wrapper command is shell-quoted, the live one is not',
    given: {
      host: { processes: { ...livingShim, 500: { startTicks: 9_000, comm: 'my agent' } } },
      record: quoted,
    },
    decision: 'adopt',
    why: /match/,
  },
  {
    name: 'adapter child exits, grandchild remains in the process group',
    given: {
      host: {
        processes: {
          ...livingShim,
          501: { startTicks: 9_001, processGroupId: 500, parentPid: 499 },
        },
      },
    },
    decision: 'adopt',
    why: /match/,
  },
  {
    name: 'adapter child exits, its shim is killed, grandchild is a recorded leftover',
    given: {
      host: { processes: { 501: { startTicks: 9_001, processGroupId: 500 } } },
      record: {
        state: 'exited',
        exit: exitOf({ leftovers: [{ pid: 501, startTicks: 9_001, comm: 'x' }] }),
      },
    },
    decision: 'sweep',
    why: /leftovers live/,
  },
  {
    name: 'parent death: the shim ends the run itself, and its record is taken as it is',
    given: {
      record: { ownerLoss: 'kill' },
      journal: {
        kind: 'settled',
        exit: exitOf({ reason: 'owner-lost', signal: 'SIGKILL' }),
        isTreeGone: true,
      },
      ...expired,
    },
    decision: 'finalise',
    why: /journal/,
  },
  {
    name: 'parent death: a shim that was frozen meanwhile is told to end it (TERM, then KILL)',
    given: {
      host: { processes: { ...livingShim, ...livingRoot } },
      record: { ownerLoss: 'kill' },
      ...expired,
    },
    decision: 'terminate',
    why: /policy/,
  },
  {
    name: 'process listing unavailable',
    given: { host: { processes: { 499: 'unreadable', 500: 'unreadable' } } },
    decision: 'leave',
    why: /unavailable/,
  },
  {
    name: 'stale lease with missing process',
    given: { owner: 'unverifiable', ...expired },
    decision: 'stale',
    why: /run out.*no process/,
  },
  {
    name: 'startup orphan with wrapper, adapter child and grandchild',
    given: {
      host: {
        processes: { ...livingShim, ...livingRoot, 501: { startTicks: 9_001, parentPid: 500 } },
      },
    },
    decision: 'adopt',
    why: /owner is dead/,
  },
  {
    name: 'startup orphan whose wrapper is gone: the verified tree is ended',
    given: {
      host: { processes: { ...livingRoot, 501: { startTicks: 9_001, parentPid: 500 } } },
    },
    decision: 'sweep',
    why: /its root lives/,
  },
];

for (const { name, given, decision, why } of rows) {
  test(name, () => {
    const decided = decide(given);
    assert.equal(decided.type, decision);
    assert.match(decided.why, why);
  });
}

test('no command line ever changes a decision', () => {
  for (const { given } of rows) {
    const renamed = { ...given, record: { ...given.record, command: 'rm -rf /' } };
    assert.deepEqual(decide(renamed), decide(given));
  }
});
