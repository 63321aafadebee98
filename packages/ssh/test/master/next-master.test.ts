/*
 * The life of a master: every state with every event, the paths that matter, and what holds on every path.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MasterCause } from '../../src/master/cause-table.ts';
import { masterDueAtMs, masterHealth } from '../../src/master/master-state.ts';
import type { MasterEffect, MasterEvent, MasterState } from '../../src/master/master-state.ts';
import { nextMaster } from '../../src/master/next-master.ts';

const atMs = 1_000_000;
const starting = { startedAtMs: atMs - 1_000 };
const live = {
  status: 'live',
  heardAtMs: atMs - 20_000,
  pingedAtMs: atMs,
  isAnswerDue: true,
  missed: 1,
} as const;
const draining = { status: 'draining', why: 'closed', sinceMs: atMs, wasLive: true } as const;

const states = {
  idle: { status: 'idle' },
  dialing: { status: 'dialing', ...starting },
  keying: { status: 'keying', ...starting },
  signing: { status: 'signing', ...starting },
  opening: { status: 'opening', ...starting },
  live,
  ending: { ...draining, rung: 'ending-commands' },
  terminating: { ...draining, rung: 'terminating' },
  signalled: { ...draining, rung: 'signalled' },
  killed: { ...draining, rung: 'killed' },
  ended: { status: 'ended', cause: 'refused' },
} as const satisfies Readonly<Record<string, MasterState>>;

type StateName = keyof typeof states;

const events: Readonly<Record<MasterEvent['type'], MasterEvent>> = {
  start: { type: 'start' },
  adopted: { type: 'adopted' },
  'start-failed': { type: 'start-failed', cause: 'dns' },
  dialed: { type: 'dialed' },
  keyed: { type: 'keyed' },
  signed: { type: 'signed' },
  opened: { type: 'opened' },
  heard: { type: 'heard' },
  drain: { type: 'drain', why: 'key-revoked' },
  'commands-ended': { type: 'commands-ended' },
  force: { type: 'force' },
  'run-ended': { type: 'run-ended', cause: 'host-closed' },
  due: { type: 'due' },
};

/* What a state becomes, in short: `status`, a rung or cause, and the effects. Nothing: it stays as it is. */
type Row = Partial<Record<MasterEvent['type'], string>>;

const failedStart = 'ended host-closed: remove-directory';
const stop = 'draining signalled key-revoked: send-sigterm';
const forced = 'draining killed closed: send-sigkill';
const closedEnd = 'ended closed: fail-commands remove-directory';

const table: Readonly<Record<StateName, Row>> = {
  idle: {
    start: 'dialing: start-run',
    adopted: 'live 0: ping',
    'start-failed': 'ended dns:',
    drain: 'ended key-revoked:',
    force: 'ended closed:',
  },
  dialing: {
    dialed: 'keying:',
    keyed: 'signing:',
    signed: 'opening:',
    opened: 'live 0: ping',
    drain: stop,
    force: forced,
    'run-ended': failedStart,
  },
  keying: {
    keyed: 'signing:',
    signed: 'opening:',
    opened: 'live 0: ping',
    drain: stop,
    force: forced,
    'run-ended': failedStart,
  },
  signing: {
    signed: 'opening:',
    opened: 'live 0: ping',
    drain: stop,
    force: forced,
    'run-ended': failedStart,
  },
  opening: { opened: 'live 0: ping', drain: stop, force: forced, 'run-ended': failedStart },
  live: {
    heard: 'live 0:',
    drain: 'draining ending-commands key-revoked: end-commands',
    force: forced,
    'run-ended': 'ended host-closed: fail-commands remove-directory',
  },
  ending: {
    'commands-ended': 'draining terminating closed: terminate',
    force: forced,
    'run-ended': closedEnd,
  },
  terminating: { force: forced, 'run-ended': closedEnd },
  signalled: { force: forced, 'run-ended': closedEnd },
  killed: { 'run-ended': closedEnd },
  ended: {},
};

function inShort(state: MasterState, effects: readonly MasterEffect[]): string {
  const more =
    state.status === 'draining'
      ? ` ${state.rung} ${state.why}`
      : state.status === 'ended'
        ? ` ${state.cause}`
        : state.status === 'live'
          ? ` ${state.missed}`
          : '';
  return `${state.status}${more}: ${effects.join(' ')}`.trim();
}

test('every event in every state has one outcome', () => {
  for (const [name, state] of Object.entries(states) as [StateName, MasterState][]) {
    for (const event of Object.values(events)) {
      const step = nextMaster(state, event, atMs);
      const expected = table[name][event.type];
      if (expected === undefined) {
        assert.deepEqual(step, { state, effects: [] }, `${name} stays after ${event.type}`);
      } else {
        assert.equal(inShort(step.state, step.effects), expected, `${name} after ${event.type}`);
      }
    }
  }
});

function after(
  state: MasterState,
  ...types: readonly (readonly [MasterEvent['type'], number])[]
): string {
  let step = { state, effects: [] as readonly MasterEffect[] };
  for (const [type, at] of types) step = nextMaster(step.state, events[type], at);
  return inShort(step.state, step.effects);
}

test('a start that takes 30 s is ended, and the evidence says why', () => {
  const dialing = nextMaster({ status: 'idle' }, events.start, 0).state;
  assert.equal(masterDueAtMs(dialing), 30_000);
  const keying = nextMaster(dialing, events.dialed, 29_000).state;
  assert.equal(masterDueAtMs(keying), 30_000, 'for all stages together');
  assert.equal(after(keying, ['due', 29_999]), 'keying:');
  const over = nextMaster(keying, events.due, 30_000);
  assert.equal(inShort(over.state, over.effects), 'draining signalled start-limit: send-sigterm');
  assert.equal(after(over.state, ['due', 33_000]), 'draining killed start-limit: send-sigkill');
  const end = nextMaster(over.state, { type: 'run-ended', cause: 'silent-server' }, 31_000);
  assert.equal(inShort(end.state, end.effects), 'ended silent-server: remove-directory');
});

test('pings go out every 10 s, are counted as missed, and 90 s of silence are the end', () => {
  let state = nextMaster(states.opening, events.opened, 0).state;
  for (let at = 10_000; at < 90_000; at += 10_000) {
    assert.equal(masterDueAtMs(state), at);
    const step = nextMaster(state, events.due, at);
    assert.equal(inShort(step.state, step.effects), `live ${at / 10_000}: ping`);
    assert.equal(masterHealth(step.state), 'quiet');
    ({ state } = step);
  }
  assert.equal(masterDueAtMs(state), 90_000);
  const lost = nextMaster(state, events.due, 90_000);
  assert.equal(
    inShort(lost.state, lost.effects),
    'draining terminating silence: fail-commands terminate',
  );
  assert.equal(masterHealth(lost.state), 'lost');
  const end = nextMaster(lost.state, { type: 'run-ended', cause: 'host-closed' }, 91_000);
  assert.deepEqual(end.state, { status: 'ended', cause: 'keepalive' });
  assert.equal(masterHealth(end.state), 'lost');
});

test('an answer ends the silence', () => {
  let state = nextMaster(states.opening, events.opened, 0).state;
  for (let at = 10_000; at <= 80_000; at += 10_000) state = nextMaster(state, events.due, at).state;
  state = nextMaster(state, events.heard, 85_000).state;
  assert.equal(masterHealth(state), 'ok');
  state = nextMaster(state, events.due, 90_000).state;
  assert.equal(masterHealth(state), 'ok', 'the last ping was answered');
  assert.equal(masterDueAtMs(state), 100_000);
});

test('a gateway that was frozen for minutes does not call the host silent', () => {
  const state = nextMaster(states.opening, events.opened, 0).state;
  const woken = nextMaster(state, events.due, 600_000);
  assert.equal(inShort(woken.state, woken.effects), 'live 0: ping');
  assert.equal(masterDueAtMs(woken.state), 610_000);
  // From here on the host's silence counts.
  let silent = woken.state;
  let at = 600_000;
  for (let pings = 0; pings < 20 && silent.status === 'live'; pings += 1) {
    at = masterDueAtMs(silent) ?? assert.fail();
    silent = nextMaster(silent, events.due, at).state;
  }
  assert.equal(at, 680_000);
});

test('the ladder: commands, TERMINATE, SIGTERM after 2 s, SIGKILL at 5 s', () => {
  let { state, effects } = nextMaster(live, events.drain, 0);
  const seen: string[] = [`0 ${effects.join(' ')}`];
  for (let rungs = 0; rungs < 10; rungs += 1) {
    const due = masterDueAtMs(state);
    if (due === undefined) break;
    ({ state, effects } = nextMaster(state, events.due, due));
    seen.push(`${due} ${effects.join(' ')}`);
  }
  assert.deepEqual(seen, [
    '0 end-commands',
    '10000 terminate',
    '12000 send-sigterm',
    '15000 send-sigkill',
  ]);
});

const causes: readonly MasterCause[] = ['refused', 'host-closed', 'closed', 'key-not-installed'];
const anyEvent: fc.Arbitrary<MasterEvent> = fc.oneof(
  fc.constantFrom(...Object.values(events)),
  fc.constantFrom(...causes).map((cause): MasterEvent => ({ type: 'run-ended', cause })),
  fc
    .constantFrom('closed' as const, 'pin-changed' as const)
    .map((why): MasterEvent => ({ type: 'drain', why })),
);
const anyPath = fc.array(fc.tuple(anyEvent, fc.nat(40_000)), { maxLength: 40 });

/* Who may do what. An effect that its state does not own would act on what is not there. */
const owners: Readonly<Record<MasterEffect, readonly MasterState['status'][]>> = {
  'start-run': ['dialing'],
  ping: ['live'],
  'end-commands': ['draining'],
  'fail-commands': ['draining', 'ended'],
  terminate: ['draining'],
  'send-sigterm': ['draining'],
  'send-sigkill': ['draining'],
  'remove-directory': ['ended'],
};

test('on every path: one run, effects of the state that owns them, a final end with a cause', () => {
  fc.assert(
    fc.property(anyPath, (path) => {
      let state = states.idle as MasterState;
      let now = 0;
      let [runs, removed] = [0, 0];
      let why: string | undefined;
      for (const [event, waitMs] of path) {
        now += waitMs;
        const before = state;
        const step = nextMaster(before, event, now);
        state = step.state;
        for (const effect of step.effects) assert.ok(owners[effect].includes(state.status), effect);
        runs += step.effects.filter((effect) => effect === 'start-run').length;
        removed += step.effects.filter((effect) => effect === 'remove-directory').length;
        if (before.status === 'ended') assert.deepEqual(step, { state: before, effects: [] });
        if (before.status === 'draining' && state.status === 'draining')
          assert.equal(state.why, before.why, 'the first reason stays');
        if (state.status === 'draining') ({ why } = state);
        if (state.status === 'ended' && before.status === 'draining' && why !== 'start-limit')
          assert.equal(state.cause, why === 'silence' ? 'keepalive' : why);
        // What was live has its commands failed before it is over.
        if (before.status === 'live' && state.status === 'ended')
          assert.ok(step.effects.includes('fail-commands'));
        const dueAtMs = masterDueAtMs(state);
        const isWaiting = state.status === 'idle' || state.status === 'ended';
        const isKilled = state.status === 'draining' && state.rung === 'killed';
        assert.equal(dueAtMs === undefined, isWaiting || isKilled, 'a limit for every wait');
      }
      assert.ok(runs <= 1 && removed <= 1);
      if (state.status === 'ended') assert.ok(state.cause);
    }),
    { numRuns: 2_000 },
  );
});

test('left alone, a path ends: by its limits alone a run is killed or the host is heard', () => {
  fc.assert(
    fc.property(fc.constantFrom<MasterState>(...Object.values(states)), anyPath, (first, path) => {
      let state = first;
      let now = atMs;
      for (const [event, waitMs] of path) {
        now += waitMs;
        ({ state } = nextMaster(state, event, now));
      }
      for (let rounds = 0; rounds < 30; rounds += 1) {
        const due = masterDueAtMs(state);
        if (due === undefined) break;
        now = Math.max(now, due);
        ({ state } = nextMaster(state, events.due, now));
      }
      assert.equal(masterDueAtMs(state), undefined);
      assert.ok(state.status !== 'live');
    }),
  );
});
