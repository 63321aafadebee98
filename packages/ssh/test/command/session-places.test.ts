/*
 * Places on a master: commands wait in order, the kept places stay free, and a host's limit is learned, whatever the order of the
 * answers. The host of the property test is a model that refuses what is too much.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createPlaces,
  nextPlaces,
  placesLimit,
  waitingMax,
} from '../../src/command/session-places.ts';
import type { PlacesEvent, PlacesState } from '../../src/command/session-places.ts';

function after(
  state: PlacesState,
  ...events: readonly PlacesEvent[]
): { state: PlacesState; done: string[] } {
  const done: string[] = [];
  let now = state;
  for (const event of events) {
    const step = nextPlaces(now, event);
    now = step.state;
    done.push(...step.effects.map((effect) => `${effect.do} ${effect.id}`));
  }
  return { state: now, done };
}

const asked = (id: string): PlacesEvent => ({ type: 'asked', id });
const opened = (id: string): PlacesEvent => ({ type: 'opened', id });
const refused = (id: string): PlacesEvent => ({ type: 'refused', id });
const left = (id: string): PlacesEvent => ({ type: 'left', id });
const ping: PlacesEvent = { type: 'ping-opened' };

test('eight at a time, the others in the order in which they came', () => {
  const ids = 'abcdefghijkl'.split('');
  const { state, done } = after(createPlaces(), ping, ...ids.map(asked));
  assert.deepEqual(
    done,
    ids.slice(0, 8).map((id) => `open ${id}`),
  );
  assert.deepEqual(after(state, opened('c'), left('c'), left('i'), left('a')).done, [
    'open i',
    'open j',
    'open k',
  ]);
});

test('MaxSessions 3: two are kept, and one command at a time is admitted', () => {
  const first = after(createPlaces(), ping, ...'abcde'.split('').map(asked));
  assert.deepEqual(first.done, ['open a', 'open b', 'open c', 'open d', 'open e']);
  const then = after(first.state, refused('d'), refused('e'), refused('c'), asked('f'));
  assert.deepEqual(then.done, [], 'nothing is admitted beside those that ask again');
  assert.equal(then.state.sessionsMax, 3);
  assert.equal(placesLimit(then.state), 1);
  const last = after(then.state, ...'acbed'.split('').map(left));
  assert.deepEqual(last.done, ['open f']);
});

test('a refusal that is seen before the openings learns no less than what opens', () => {
  const { state } = after(createPlaces(), ping, ...'abcdef'.split('').map(asked), refused('f'));
  assert.equal(placesLimit(state), 4);
  const late = after(
    state,
    ...'abcde'.split('').map(opened),
    ...'abcde'.split('').map(left),
    refused('f'),
  );
  assert.equal(placesLimit(late.state), 4, 'six were open at one time');
});

test('a host that has sessions for the ping alone still lets one command ask', () => {
  const { state } = after(createPlaces(), ping, asked('a'), refused('a'), asked('b'));
  assert.equal(placesLimit(state), 1);
  assert.deepEqual(after(state, left('a')).done, ['open b']);
});

test('a queue has an end', () => {
  let state = createPlaces(1);
  for (let at = 0; at <= waitingMax; at += 1) ({ state } = nextPlaces(state, asked(`c${at}`)));
  assert.deepEqual(nextPlaces(state, asked('more')).effects, [{ do: 'fail', id: 'more' }]);
});

test('answers that come twice or too late change nothing', () => {
  const { state } = after(createPlaces(), ping, asked('a'), opened('a'));
  for (const event of [asked('a'), refused('a'), opened('x'), refused('x'), left('x')])
    assert.deepEqual(nextPlaces(state, event), { state, effects: [] }, event.type);
});

interface Model {
  readonly sessionsMax: number;
  readonly commands: number;
  /* Which of the things that can happen next happens. */
  readonly choices: readonly number[];
}

/* A host with MaxSessions, answers that wait to be seen, clients that ask again, commands that end when they are chosen to. */
function play({ sessionsMax, commands, choices }: Model): void {
  let state = nextPlaces(createPlaces(), ping).state;
  const onHost = new Set<string>();
  const askingAgain = new Set<string>();
  const answers: PlacesEvent[] = [];
  const ended: string[] = [];
  const order: string[] = [];
  let next = 0;
  const tryToOpen = (id: string): void => {
    // The ping has a place on the host as well.
    if (onHost.size + 1 < sessionsMax) {
      askingAgain.delete(id);
      onHost.add(id);
      answers.push(opened(id));
    } else if (!askingAgain.has(id)) {
      askingAgain.add(id);
      answers.push(refused(id));
    }
  };
  const apply = (event: PlacesEvent): void => {
    const before = state;
    const step = nextPlaces(state, event);
    state = step.state;
    for (const effect of step.effects) {
      assert.equal(effect.do, 'open', 'with a place for it no command fails');
      order.push(effect.id);
      tryToOpen(effect.id);
    }
    if (state.running.length > before.running.length)
      assert.ok(state.running.length <= placesLimit(state), 'never above the limit');
    if (state.waiting.length > 0)
      assert.ok(state.running.length >= placesLimit(state), 'no place is wasted');
  };
  for (let at = 0; ended.length < commands; at += 1) {
    assert.ok(at < 10_000, 'it ends');
    const possible = [
      ...(next < commands ? ['ask'] : []),
      ...answers.map((_, index) => `answer ${index}`),
      ...(onHost.size + 1 < sessionsMax ? [...askingAgain].map((id) => `again ${id}`) : []),
      ...[...onHost].map((id) => `end ${id}`),
    ];
    const [what, which = ''] = (
      possible[((choices[at % choices.length] ?? 0) + at) % possible.length] ?? ''
    ).split(' ');
    if (what === 'ask') {
      apply(asked(`c${next}`));
      next += 1;
    } else if (what === 'answer') {
      const [answer] = answers.splice(Number(which), 1);
      apply(answer ?? assert.fail());
    } else if (what === 'again') {
      tryToOpen(which);
    } else {
      onHost.delete(which);
      ended.push(which);
      apply(left(which));
    }
  }
  assert.deepEqual([state.running, state.waiting], [[], []]);
  assert.deepEqual(
    order,
    Array.from({ length: commands }, (_, at) => `c${at}`),
    'first come, first served',
  );
  assert.ok(state.openPeak <= sessionsMax);
}

test('every command runs once, in order, on any host with two sessions or more', () => {
  const model = fc.record({
    sessionsMax: fc.integer({ min: 2, max: 12 }),
    commands: fc.integer({ min: 1, max: 30 }),
    choices: fc.array(fc.nat(100), { minLength: 1, maxLength: 60 }),
  });
  fc.assert(fc.property(model, play), { numRuns: 1_000 });
});
