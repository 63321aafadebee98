/*
 * The order of the queue, as a pure function: every small queue there is, and larger ones by chance.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSpots, type ReadyTurn, type RunningTurn } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import fc from 'fast-check';
import { nextAdmissions, type QueueState } from '../../src/queue/next-admissions.ts';
import { usualQueueLimits } from '../../src/queue/queue-limits.ts';

const here = 'here';

function limitsOf(agent: number, account: number, gateway: number) {
  const lane = (activeMax: number) => ({ activeMax, waitingMax: 99, waitMsMax: 99 });
  const memory = usualQueueLimits.memory;
  return { agent: lane(agent), account: lane(account), gateway: lane(gateway), memory };
}

let count = 0;

function ready(account: string, agent: string, given: Partial<ReadyTurn> = {}): ReadyTurn {
  count += 1;
  return {
    accountId: account as AccountId,
    agent,
    turnId: `turn-${count}`,
    threadId: `thread-${count}`,
    priority: 0,
    queueKey: count,
    place: 1,
    readyAtMs: count,
    hasAgent: false,
    ...given,
  };
}

function running(account: string, agent: string, instanceId = here): RunningTurn {
  count += 1;
  const [turnId, threadId] = [`turn-${count}`, `thread-${count}`];
  return { accountId: account as AccountId, agent, turnId, threadId, instanceId, startedAtMs: 0 };
}

function admitted(state: Partial<QueueState>): readonly ReadyTurn[] {
  const usual = { instanceId: here, running: [], ready: [], startsMax: Number.POSITIVE_INFINITY };
  return nextAdmissions({ ...usual, limits: limitsOf(5, 10, 20), ...state });
}

test('a full lane of one agent does not hold up another agent behind it', () => {
  const [claude, codex] = [ready('ann', 'claude'), ready('ann', 'codex')];
  const limits = limitsOf(1, 9, 9);
  const state = { limits, running: [running('bob', 'claude')], ready: [claude, codex] };
  assert.deepEqual(admitted(state), [codex]);
});

test('the account with the fewest running is next, then the one that is ready the longest', () => {
  const [ann1, ann2, bob, eve] = [
    ready('ann', 'a'),
    ready('ann', 'a'),
    ready('bob', 'a'),
    ready('eve', 'a'),
  ];
  const state = { running: [running('eve', 'a')], ready: [eve, ann1, ann2, bob] };
  assert.deepEqual(admitted(state), [ann1, bob, eve, ann2].toSorted(byRounds));
  // Ann and Bob have none, Eve has one: Ann, Bob; then one each, and Ann's second is older than Eve's.
  function byRounds(left: ReadyTurn, right: ReadyTurn): number {
    const order = [ann1, bob, ann2, eve];
    return order.indexOf(left) - order.indexOf(right);
  }
});

test('a higher priority is first within its account, and counts for nothing against others', () => {
  const [low, high] = [ready('ann', 'a'), ready('ann', 'a', { priority: 5 })];
  const bob = ready('bob', 'a', { readyAtMs: 0 });
  const limits = limitsOf(2, 9, 9);
  assert.deepEqual(admitted({ limits, ready: [low, high, bob] }), [bob, high]);
});

test('of turns with one key that comes first which is shown first', () => {
  const [later, earlier] = [
    ready('ann', 'a', { queueKey: 7, place: 2, turnId: 'a' }),
    ready('ann', 'a', { queueKey: 7, place: 1, turnId: 'b' }),
  ];
  assert.deepEqual(admitted({ limits: limitsOf(1, 9, 9), ready: [later, earlier] }), [earlier]);
});

test('turns of other gateways count in the lanes of agents and accounts, not in ours', () => {
  const one = ready('ann', 'a');
  const elsewhere = { running: [running('ann', 'a', 'there')], ready: [one] };
  assert.deepEqual(admitted({ ...elsewhere, limits: limitsOf(2, 2, 1) }), [one]);
  assert.deepEqual(admitted({ ...elsewhere, limits: limitsOf(1, 2, 1) }), []);
  assert.deepEqual(admitted({ ...elsewhere, limits: limitsOf(2, 1, 1) }), []);
});

test('without memory for an agent those go on whose agent runs', () => {
  const [cold, warm] = [ready('ann', 'a'), ready('ann', 'a', { hasAgent: true })];
  assert.deepEqual(admitted({ ready: [cold, warm], startsMax: 0 }), [warm]);
  assert.deepEqual(admitted({ ready: [cold, ready('ann', 'a')], startsMax: 1 }), [cold]);
});

test('without memory for an agent those go on whose agent is started on a host, and take none of it', () => {
  const [cold, far] = [ready('ann', 'a'), ready('ann', 'a', { isOnHost: true })];
  assert.deepEqual(admitted({ ready: [cold, far], startsMax: 0 }), [far]);
  assert.deepEqual(admitted({ ready: [far, cold], startsMax: 1 }), [cold, far]);
});

test('whatever waits: lanes hold, nothing that fits is left, order and fairness are kept', () => {
  const turns = fc.array(
    fc.record({
      account: fc.constantFrom('ann', 'bob', 'eve'),
      agent: fc.constantFrom('a', 'b', 'c'),
      priority: fc.integer({ min: -1, max: 1 }),
      hasAgent: fc.boolean(),
      isRunning: fc.boolean(),
      isHere: fc.boolean(),
    }),
    { maxLength: 24 },
  );
  const numbers = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(6), fc.nat(5));
  fc.assert(
    fc.property(turns, numbers, (given, [agent, account, gateway, startsMax]) => {
      const state: QueueState = {
        instanceId: here,
        limits: limitsOf(agent, account, gateway),
        running: given
          .filter(({ isRunning }) => isRunning)
          .map((turn) => running(turn.account, turn.agent, turn.isHere ? here : 'there')),
        ready: given
          .filter(({ isRunning }) => !isRunning)
          .map(({ priority, hasAgent, ...turn }) =>
            ready(turn.account, turn.agent, { priority, hasAgent }),
          ),
        startsMax,
      };
      check(state, nextAdmissions(state));
    }),
    { numRuns: 2_000 },
  );
});

/* By the words of the header of the function, step by step. */
function check(state: QueueState, chosen: readonly ReadyTurn[]): void {
  const { limits, startsMax } = state;
  const runs: (Pick<RunningTurn, 'accountId' | 'agent'> & { readonly isHere: boolean })[] =
    state.running.map((turn) => ({ ...turn, isHere: turn.instanceId === here }));
  const left = new Set(state.ready);
  let starts = startsMax;
  const fits = ({ accountId, agent, hasAgent }: ReadyTurn): boolean =>
    runs.filter((run) => run.agent === agent).length < limits.agent.activeMax &&
    runs.filter((run) => run.accountId === accountId).length < limits.account.activeMax &&
    runs.filter(({ isHere }) => isHere).length < limits.gateway.activeMax &&
    (hasAgent || starts > 0);
  const runningOf = (accountId: string): number =>
    runs.filter((run) => run.accountId === accountId).length;
  for (const turn of chosen) {
    assert.ok(left.delete(turn), 'each once');
    assert.ok(fits(turn), 'within the lanes');
    for (const other of left) {
      if (!fits(other)) continue;
      if (other.accountId === turn.accountId) {
        assert.ok(compareSpots(turn, other) < 0, 'in the order of its account');
      } else {
        assert.ok(runningOf(turn.accountId) <= runningOf(other.accountId), 'fair');
      }
    }
    runs.push({ ...turn, isHere: true });
    if (!turn.hasAgent) starts -= 1;
  }
  assert.ok(![...left].some(fits), 'nothing is left that fits');
}
