/*
 * Modes that a person chooses while others are being set, on paper, in all orders: an agent gets a prompt in the mode that was wanted when the
 * prompt was stored, or gets none (W16).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Choosing, type Chosen, chooseValues } from '@clawdfather/agents';
import {
  answered,
  answeredAfterUpdate,
  answeredAndLeft,
  cancelled,
  changedItself,
  chose,
  chosenMode,
  exited,
  modeNames,
  modesWith,
  newWorld,
  type Pending,
  refused,
  said,
  shownMode,
  waitedTooLong,
  type World,
} from '../support/choosing-world.ts';
import { newThread } from '../support/thread-model.ts';

/* `npm run test:effects:long` goes further. */
const isLong = process.env['SWEEP'] === 'all';

type Check = (before: World, after: World) => void;
type Next = readonly (readonly [name: string, world: World])[];

interface Walk {
  /* Agents answer in the order in which they were asked; one that does not can be held to less. */
  readonly isInOrder: boolean;
  /* It takes whatever it is told, answers soon, and does nothing by itself. */
  readonly isObedient?: boolean;
  readonly stepsMax: number;
}

function nextOf(world: World, how: Walk): Next {
  return [
    ...bySomeone(world),
    ...(how.isObedient === true ? [] : byChance(world)),
    ...byAgent(world, how),
  ];
}

function bySomeone(world: World): Next {
  const { rows } = world;
  const next: [string, World][] = [];
  for (const mode of [...modeNames, null]) {
    const after = chose(world, mode);
    if (after !== undefined) next.push([`chose ${mode}`, after]);
  }
  if (rows.turn === undefined && rows.queue.length === 0) next.push(['said', said(world)]);
  if (rows.turn !== undefined && rows.turn.promptCall === undefined) {
    next.push(['cancelled', cancelled(world)]);
  }
  return next;
}

function byChance(world: World): Next {
  const { rows, agent } = world;
  const next: [string, World][] = [];
  const { call, late = [] } = rows.run?.setting ?? {};
  // More of the same shows nothing new.
  if (call !== undefined && rows.turn !== undefined && late.length < 2) {
    next.push(['waited too long', waitedTooLong(world)]);
  }
  if (agent.mode !== 'bypass') next.push(['left for bypass', changedItself(world, 'bypass')]);
  if (!agent.pending.some(({ is }) => is === 'prompt')) {
    next.push(['exited, told', exited(world, modesWith('ask'))]);
    next.push(['exited, told nothing', exited(world, {})]);
  }
  return next;
}

/* The agent answers one of those that it has received. */
function byAgent(world: World, { isInOrder, isObedient }: Walk): Next {
  const { pending } = world.agent;
  const next: [string, World][] = [];
  for (const one of isInOrder ? pending.slice(0, 1) : pending) {
    const rest = pending.filter(({ id }) => id !== one.id);
    const asItWas = { ...world, agent: { ...world.agent, pending: rest } };
    if (one.is === 'prompt') {
      next.push(['took the prompt', answered(asItWas, one.id, { stopReason: 'end_turn' })]);
      continue;
    }
    const { id, mode } = one;
    const taken = { ...world, agent: { mode, pending: rest } };
    next.push([`took ${mode}`, answered(taken, id, {})]);
    if (isObedient === true) continue;
    next.push([`took ${mode}, and said so before`, answeredAfterUpdate(taken, one)]);
    next.push([`took ${mode}, and left for bypass`, answeredAndLeft(taken, id, 'bypass')]);
    next.push([`refused ${mode}`, refused(asItWas, id)]);
  }
  return next;
}

/* What is the same but for the numbers of calls and turns goes on in the same way. */
function keyOf({ rows, agent, own, isVague }: World): string {
  const { setting, choices } = rows.run ?? {};
  const ids = [
    ...agent.pending.map(({ id }) => id),
    ...(setting?.late ?? []).map(({ callId }) => callId),
    ...(setting?.call ? [setting.call.callId] : []),
  ].toSorted((one, other) => one - other);
  const rank = (id: number): number => ids.indexOf(id);
  const { call, late = [], tried = [] } = setting ?? {};
  return JSON.stringify([
    rows.run?.state,
    rows.thread.chosen,
    rows.thread.currentChoices?.map(({ value }) => value),
    choices?.map(({ current }) => current ?? null),
    call && [rank(call.callId), call.value, call.shown],
    late.map((one) => [rank(one.callId), one.value, one.isPassed]),
    setting && [setting.turnId === '', setting.turnId === rows.turn?.id],
    tried.map(({ value, shown, why }) => [value, shown, why]),
    agent.mode,
    agent.pending.map((one) => ({ ...one, id: rank(one.id) })),
    own,
    isVague,
    rows.turn && [rows.turn.promptCall !== undefined, rows.turn.requeuedCount],
    rows.queue.length,
  ]);
}

/* Every way on from here; the way is told with what is wrong. */
function walk(from: World, how: Walk, check: Check): number {
  const known = new Set([keyOf(from)]);
  let edge: readonly { readonly world: World; readonly way: readonly string[] }[] = [
    { world: from, way: [] },
  ];
  for (let count = 0; count < how.stepsMax; count += 1) {
    const found: { world: World; way: readonly string[] }[] = [];
    for (const { world, way } of edge) {
      for (const [name, after] of nextOf(world, how)) {
        const whole = [...way, name];
        try {
          checkStep(world, after, name);
          check(world, after);
        } catch (error) {
          throw new Error(`after ${whole.join(', ')}: ${String(error)}`, { cause: error });
        }
        const key = keyOf(after);
        if (known.has(key)) continue;
        known.add(key);
        found.push({ world: after, way: whole });
      }
    }
    edge = found;
  }
  return known.size;
}

/* It is never stuck, what fails says so and changes no wish, and what agents have once offered is still tried. */
function checkStep(before: World, after: World, name: string): void {
  const { turn, run, calls } = after.rows;
  const isReady = run?.phase === 'ready' && run.state === 'open';
  if (turn !== undefined && turn.promptCall === undefined && isReady) {
    const callId = run.setting?.call?.callId;
    assert.ok(callId !== undefined, 'the turn waits for nothing');
    assert.ok(calls.has(callId), 'its call is not known');
  }
  if (!name.startsWith('chose') && !name.includes('left')) {
    assert.equal(chosenMode(after), chosenMode(before), 'the wish is another');
  }
  for (const { cause, message = '' } of after.ended.slice(before.ended.length)) {
    assert.doesNotMatch(message, /does not offer/);
    if (name === 'said') assert.notEqual(cause, 'choice-not-set', 'it was not tried');
  }
}

/* The prompt that the agent has had, if it was that. */
function promptDone(before: World, after: World): Extract<Pending, { is: 'prompt' }> | undefined {
  if (after.rows.run?.runId !== before.rows.run?.runId) return undefined;
  const isLeft = (id: number): boolean => after.agent.pending.some((one) => one.id === id);
  for (const one of before.agent.pending) if (one.is === 'prompt' && !isLeft(one.id)) return one;
  return undefined;
}

test('an agent that answers in order gets every prompt in the mode that was wanted, whatever comes between', (t) => {
  const worlds = walk(
    newWorld(),
    { isInOrder: true, stepsMax: isLong ? 10 : 7 },
    (before, after) => {
      const prompt = promptDone(before, after);
      if (prompt === undefined || prompt.isAnyMode) return;
      const { wish, own } = prompt;
      const { mode } = before.agent;
      if (wish !== undefined) assert.equal(mode, wish, 'it was prompted in another mode');
      else if (own.length > 0)
        assert.ok(own.includes(mode), `${mode}, and people were shown ${own.join(', ')}`);
    },
  );
  t.diagnostic(`${worlds} worlds`);
  assert.ok(worlds > 1_000, `${worlds} worlds`);
});

test('what any agent has taken is what people are shown, in whichever order it answers', (t) => {
  const worlds = walk(
    newWorld(),
    { isInOrder: false, stepsMax: isLong ? 9 : 6 },
    (before, after) => {
      if (after.agent.mode === before.agent.mode) return;
      if (after.rows.run?.runId !== before.rows.run?.runId) return;
      assert.equal(shownMode(after), after.agent.mode);
    },
  );
  t.diagnostic(`${worlds} worlds`);
  assert.ok(worlds > 1_000, `${worlds} worlds`);
});

test('no turn fails while the agent takes what it is told, however often people change their minds', (t) => {
  const how = { isInOrder: true, isObedient: true, stepsMax: 12 };
  const worlds = walk(newWorld(), how, (_before, { ended }) => {
    assert.ok(ended.every(({ cause }) => cause === undefined));
  });
  t.diagnostic(`${worlds} worlds`);
  assert.ok(worlds > 100, `${worlds} worlds`);
});

test('who takes a mode back while it is set gets back what was shown', () => {
  const waiting = chose(said(chose(newWorld(), 'bypass')!), null)!;
  const [first] = waiting.agent.pending;
  assert.ok(first?.is === 'set');
  const back = takenOf(waiting);
  assert.deepEqual(back.agent.pending.map(nameOf), ['ask']);
  assert.deepEqual(takenOf(back).agent.pending.map(nameOf), ['prompt']);
});

test('what the agent changes itself is not put back', () => {
  const twice = chose(chose(said(chose(newWorld(), 'plan')!), 'ask')!, 'plan')!;
  const [first] = twice.agent.pending;
  const left = answeredAndLeft(withoutPending(twice), first!.id, 'bypass');
  assert.equal(chosenMode(left), undefined);
  assert.deepEqual(left.agent.pending.map(nameOf), ['prompt']);
});

test('what an agent says of the value that is set is no news', () => {
  const waiting = said(chose(newWorld(), 'plan')!);
  const [first] = waiting.agent.pending;
  assert.ok(first?.is === 'set');
  assert.deepEqual(answeredAfterUpdate(withoutPending(waiting), first).own, []);
});

test('a call that is never answered makes no later turn set its mode again', () => {
  const failed = waitedTooLong(said(chose(newWorld(), 'plan')!));
  const again = said(withoutPending(failed));
  const prompted = takenOf(again);
  assert.deepEqual(prompted.agent.pending.map(nameOf), ['prompt']);
  const done = answered(withoutPending(prompted), prompted.agent.pending[0]!.id, {});
  assert.deepEqual(said(done).agent.pending.map(nameOf), ['prompt']);
});

test('an agent that never answers is replaced where nothing is chosen, and the next one is talked to', () => {
  const failed = waitedTooLong(said(chose(newWorld(), 'plan')!));
  assert.equal(failed.rows.run?.state, 'open', 'something is chosen, which it may still take');
  const again = said(chose(failed, null)!);
  assert.deepEqual(again.agent.pending.map(nameOf), ['plan', 'ask']);
  const closing = waitedTooLong(again);
  assert.equal(closing.ended.at(-1)?.cause, 'choice-not-set');
  assert.equal(closing.rows.run?.state, 'closing');
  const waiting = said(closing);
  assert.deepEqual(waiting.agent.pending.map(nameOf), ['plan', 'ask']);
  assert.deepEqual(exited(waiting, modesWith('ask')).agent.pending.map(nameOf), ['prompt']);
});

test('who takes a mode back whose turn was cancelled gets back what was shown, or no prompt', () => {
  const waiting = chose(cancelled(said(chose(newWorld(), 'bypass')!)), null)!;
  const back = said(takenOf(waiting));
  assert.deepEqual(back.agent.pending.map(nameOf), ['ask']);
  assert.deepEqual(takenOf(back).agent.pending.map(nameOf), ['prompt']);
  const [set] = back.agent.pending;
  const { ended } = refused(withoutPending(back), set!.id);
  assert.equal(ended.at(-1)?.cause, 'choice-not-set');
});

test('a choice is one by its id and by its category: it is changed and taken back by either', () => {
  const rows = newThread();
  const offered = { id: 'permissions', name: 'Permissions', category: 'mode' };
  const currentChoices = [{ ...offered, value: 'ask', valueName: 'Ask' }];
  const chosenAfter = (before: Chosen, chosen: Choosing['chosen']) => {
    const thread = { ...rows.thread, currentChoices, chosen: before };
    const change = chooseValues({ ...rows, thread }, { chosen, actor: 'device:1' }, 1);
    return change === undefined ? 'unchanged' : change.rows.thread.chosen;
  };
  for (const [one, other] of [
    ['permissions', 'mode'],
    ['mode', 'permissions'],
  ] as const) {
    assert.equal(chosenAfter({ [one]: 'plan' }, { [other]: null }), undefined);
    assert.deepEqual(chosenAfter({ [one]: 'plan' }, { [other]: 'bypass' }), { [other]: 'bypass' });
    assert.equal(chosenAfter({ [one]: 'plan' }, { [one]: 'plan' }), 'unchanged');
    assert.equal(chosenAfter({ model: 'large' }, { [other]: null }), 'unchanged');
  }
  const both = { permissions: 'plan', mode: 'bypass' };
  assert.deepEqual(chosenAfter(both, { mode: 'bypass' }), { mode: 'bypass' });
});

test('what cannot be set ends the turn in words, with what stands and what to do', () => {
  const waiting = said(chose(newWorld(), 'plan')!);
  const [result] = refused(waiting, waiting.agent.pending[0]!.id).ended;
  assert.deepEqual(result, {
    code: 'error',
    cause: 'choice-not-set',
    message:
      'Mode “plan” could not be set: not today. It is “ask”. Nothing was sent to the agent: choose another mode, or send the message again.',
  });
});

function nameOf(one: Pending): string {
  return one.is === 'set' ? one.mode : 'prompt';
}

function withoutPending(world: World): World {
  return { ...world, agent: { ...world.agent, pending: [] } };
}

/* It takes the only one. */
function takenOf(world: World): World {
  assert.equal(world.agent.pending.length, 1);
  const [first] = world.agent.pending;
  return answered(withoutPending(world), first!.id, {});
}
