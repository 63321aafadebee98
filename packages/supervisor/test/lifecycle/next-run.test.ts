/*
 * The run's lifecycle, exhaustively: every event in every reachable state, and
 * every sequence of events up to a length, under each leftovers policy (T3, T4, T5).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRun } from '../../src/lifecycle/next-run.ts';
import type { RunAction, RunEvent, RunLifecycle } from '../../src/lifecycle/run-lifecycle.ts';
import type { TreeEnd } from '../../src/run-end.ts';
import type { LeftoversPolicy } from '../../src/types.ts';
import { exitOf, processOf } from '../records.ts';

const process = processOf();

const events: readonly RunEvent[] = [
  { type: 'spawned', process },
  { type: 'committed' },
  { type: 'cancel-requested', reason: 'manual-cancel', actor: 'first' },
  { type: 'cancel-requested', reason: 'owner-lost', actor: 'second' },
  { type: 'terminating', cause: { reason: 'overall-timeout', actor: 'deadline' } },
  { type: 'spawn-failed', exit: exitOf({ reason: 'spawn-error', code: undefined }) },
  { type: 'voided', exit: exitOf({ reason: 'reconciled-stale', code: undefined }) },
  { type: 'root-exited', exit: exitOf({ code: 3, detail: 'root' }) },
  { type: 'root-exited', exit: exitOf({ reason: 'manual-cancel', signal: 'SIGTERM' }) },
  { type: 'ended', exit: exitOf({ reason: 'exit', detail: 'end' }), isTreeGone: true },
  { type: 'ended', exit: exitOf({ reason: 'overall-timeout' }), isTreeGone: false },
  { type: 'shim-lost', exit: exitOf({ reason: 'unknown' }), isTreeGone: true },
  { type: 'shim-lost', exit: exitOf({ reason: 'unknown', detail: 'unswept' }), isTreeGone: false },
  { type: 'reconciled', exit: exitOf({ reason: 'host-rebooted' }), isTreeGone: true },
];

const policies: readonly LeftoversPolicy[] = ['fail', 'end', 'keep'];

function starting(leftovers: LeftoversPolicy): RunLifecycle {
  return { kind: 'starting', leftovers, process: undefined };
}

/** What happened so far, as far as a rule speaks of it. */
interface History {
  readonly isSpawned: boolean;
  readonly isCommittedAfterSpawn: boolean;
  readonly finalised: number;
  readonly treeGone: number;
  readonly firstCause: string | undefined;
}

const noHistory: History = {
  isSpawned: false,
  isCommittedAfterSpawn: false,
  finalised: 0,
  treeGone: 0,
  firstCause: undefined,
};

const order = { starting: 0, running: 1, exiting: 2, exited: 3 };

function step(
  state: RunLifecycle,
  event: RunEvent,
  history: History,
): { readonly state: RunLifecycle; readonly history: History } {
  const next = nextRun(state, event);
  const settling = next.actions.filter((action) => action.type === 'finalise').length;
  const gone = next.actions.filter((action) => action.type === 'commit-tree-gone').length;
  const after: History = {
    isSpawned: history.isSpawned || event.type === 'spawned',
    isCommittedAfterSpawn:
      history.isCommittedAfterSpawn || (history.isSpawned && event.type === 'committed'),
    finalised: history.finalised + settling,
    treeGone: history.treeGone + gone,
    firstCause: history.firstCause ?? causeOf(next.state),
  };
  checkRules({ before: state, event, after: next.state, actions: next.actions, history: after });
  return { state: next.state, history: after };
}

function causeOf(state: RunLifecycle): string | undefined {
  return state.kind === 'exiting' ? JSON.stringify(state.cause) : undefined;
}

interface Taken {
  readonly before: RunLifecycle;
  readonly event: RunEvent;
  readonly after: RunLifecycle;
  readonly actions: readonly RunAction[];
  readonly history: History;
}

function checkRules({ before, event, after, actions, history }: Taken): void {
  assert.ok(order[after.kind] >= order[before.kind], 'states only go forward');
  if (after.kind === 'running') {
    assert.ok(history.isSpawned && history.isCommittedAfterSpawn, 'running needs both');
  }
  if (before.kind === 'exited') {
    assert.equal(after.kind, 'exited', 'no event brings a run back');
    assert.equal(after.kind === 'exited' && after.exit, before.exit, 'the exit never changes');
    assert.ok(
      actions.every(({ type }) => type === 'terminate' || type === 'commit-tree-gone'),
      'nothing is settled twice',
    );
  }
  assert.ok(history.finalised <= 1, 'wait settles at most once');
  assert.equal(history.finalised === 1, after.kind === 'exited', 'settled exactly when exited');
  assert.ok(history.treeGone <= 1);
  if (after.kind === 'exiting') {
    assert.equal(JSON.stringify(after.cause), history.firstCause, 'the first cause stands');
  }
  if (after.kind === 'exited' && 'exit' in event && before.kind !== 'exited') {
    assert.equal(after.exit.code, event.exit.code, 'the record is the truth');
    if (event.type !== 'voided') assert.equal(after.exit.reason, event.exit.reason);
  }
  for (const action of actions) {
    if (action.type === 'terminate') assert.ok(history.isSpawned || before.kind === 'exited');
    if (action.type === 'void-intent') assert.ok(!history.isSpawned);
  }
}

test('every sequence of up to five events keeps the rules', () => {
  let steps = 0;
  const walk = (state: RunLifecycle, history: History, left: number): void => {
    if (left === 0) return;
    for (const event of events) {
      const next = step(state, event, history);
      steps += 1;
      walk(next.state, next.history, left - 1);
    }
  };
  for (const policy of policies) walk(starting(policy), noHistory, 5);
  const perPolicy = [1, 2, 3, 4, 5].reduce((sum, length) => sum + events.length ** length, 0);
  assert.equal(steps, policies.length * perPolicy);
});

test('sequences of any length keep the rules: the reachable states are closed', () => {
  for (const policy of policies) {
    const seen = new Map<string, readonly [RunLifecycle, History]>();
    const open: (readonly [RunLifecycle, History])[] = [[starting(policy), noHistory]];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      const key = JSON.stringify(entry);
      if (seen.has(key)) continue;
      seen.set(key, entry);
      for (const event of events) {
        const next = step(entry[0], event, entry[1]);
        open.push([next.state, next.history]);
      }
    }
    const kinds = new Set([...seen.values()].map(([state]) => state.kind));
    assert.deepEqual([...kinds].sort(), ['exited', 'exiting', 'running', 'starting']);
  }
});

test('repeating any event changes nothing and asks for nothing new but a second terminate', () => {
  for (const policy of policies) {
    for (const first of events) {
      for (const event of events) {
        const { state } = nextRun(nextRun(starting(policy), first).state, event);
        const again = nextRun(state, event);
        if (event.type === 'cancel-requested' && state.kind === 'exited') continue;
        if (event.type === 'committed' && state.kind === 'starting') continue;
        assert.deepEqual(again.state, nextRun(again.state, event).state);
        assert.deepEqual(nextRun(again.state, event).actions, []);
      }
    }
  }
});

function run(policy: LeftoversPolicy, ...path: readonly RunEvent[]) {
  let state: RunLifecycle = starting(policy);
  const actions: RunAction[] = [];
  for (const event of path) {
    const next = nextRun(state, event);
    ({ state } = next);
    actions.push(...next.actions);
  }
  return { state, actions: actions.map(({ type }) => type) };
}

const spawned: RunEvent = { type: 'spawned', process };
const committed: RunEvent = { type: 'committed' };
const cancel: RunEvent = { type: 'cancel-requested', reason: 'manual-cancel', actor: 'me' };

test('T4: under keep the root’s own exit settles, leftovers and all, and may still be cancelled', () => {
  const leftovers = [{ pid: 7, startTicks: 8, comm: 'ssh-agent' }];
  const exited: RunEvent = { type: 'root-exited', exit: exitOf({ leftovers }) };
  const { state, actions } = run('keep', spawned, committed, exited);
  assert.equal(state.kind, 'exited');
  assert.equal(state.kind === 'exited' && state.isTreeGone, false);
  assert.deepEqual(actions, ['commit-process', 'finalise']);

  const later = nextRun(state, cancel);
  assert.deepEqual(later.state, state);
  assert.deepEqual(later.actions, [
    { type: 'terminate', cause: { reason: 'manual-cancel', actor: 'me' } },
  ]);
  const killed = { pid: 1, pgid: 0, cgroup: 0 };
  const treeEnd: TreeEnd = { endedAtMs: 9_000, reason: 'manual-cancel', actor: 'me', killed };
  const gone = nextRun(state, { type: 'ended', exit: exitOf({ treeEnd }), isTreeGone: true });
  assert.deepEqual(gone.actions, [{ type: 'commit-tree-gone', treeEnd }]);
  const exit = exitOf({ leftovers, treeEnd });
  assert.deepEqual(gone.state, { kind: 'exited', exit, isTreeGone: true }, 'the exit stands');
});

test('T4: under keep a root that was cancelled settles only when its tree is gone', () => {
  const exited: RunEvent = { type: 'root-exited', exit: exitOf({ reason: 'manual-cancel' }) };
  const ended: RunEvent = {
    type: 'ended',
    exit: exitOf({ reason: 'manual-cancel' }),
    isTreeGone: true,
  };
  assert.equal(run('keep', spawned, committed, cancel, exited).state.kind, 'exiting');
  assert.equal(run('keep', spawned, committed, cancel, exited, ended).state.kind, 'exited');
});

test('T4: under fail and end the tree’s end settles', () => {
  for (const policy of ['fail', 'end'] as const) {
    const exited: RunEvent = { type: 'root-exited', exit: exitOf() };
    const reason = policy === 'fail' ? 'ownership-escape' : 'exit';
    const ended: RunEvent = { type: 'ended', exit: exitOf({ reason }), isTreeGone: true };
    assert.equal(run(policy, spawned, committed, exited).state.kind, 'exiting');
    const { state } = run(policy, spawned, committed, exited, ended);
    assert.equal(state.kind === 'exited' && state.exit.reason, reason);
  }
});

test('T5: exit against timeout settles on what the shim recorded, whatever was asked for', () => {
  const timeout: RunEvent = {
    type: 'terminating',
    cause: { reason: 'overall-timeout', actor: 'deadline' },
  };
  for (const reason of ['exit', 'overall-timeout'] as const) {
    const ended: RunEvent = { type: 'ended', exit: exitOf({ reason }), isTreeGone: true };
    for (const path of [[timeout, cancel], [cancel, timeout], [timeout]]) {
      const { state } = run('fail', spawned, committed, ...path, ended, ...path);
      assert.equal(state.kind === 'exited' && state.exit.reason, reason);
    }
  }
});

test('S1: a cancel before the start voids the intent; a shim that was faster is ended', () => {
  const voided = run('fail', cancel, { type: 'voided', exit: exitOf({ reason: 'unknown' }) });
  assert.deepEqual(voided.actions, ['commit-exiting', 'void-intent', 'finalise']);
  assert.equal(voided.state.kind === 'exited' && voided.state.exit.reason, 'manual-cancel');
  assert.equal(voided.state.kind === 'exited' && voided.state.exit.actor, 'me');

  const late = run('fail', cancel, spawned, committed);
  assert.deepEqual(late.actions, ['commit-exiting', 'void-intent', 'commit-process', 'terminate']);
  assert.equal(late.state.kind, 'exiting');
});

test('T1: an end with survivors settles, and their end is learnt later', () => {
  const ended: RunEvent = { type: 'ended', exit: exitOf({ reason: 'signal' }), isTreeGone: false };
  const { state } = run('fail', spawned, committed, ended);
  assert.equal(state.kind === 'exited' && state.isTreeGone, false);
  const later = nextRun(state, { type: 'ended', exit: exitOf(), isTreeGone: true });
  assert.equal(later.state.kind === 'exited' && later.state.isTreeGone, true);
  assert.equal(later.state.kind === 'exited' && later.state.exit.reason, 'signal');
});
