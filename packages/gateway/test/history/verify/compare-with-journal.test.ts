/*
 * Comparing what is stored with what was replayed: however texts were cut, and whatever was changed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { EventRow } from '@clawdfather/agents';
import fc from 'fast-check';
import { compareWithJournal } from '../../../src/history/verify/compare-with-journal.ts';
import { runOfEvent } from '../../../src/history/verify/run-of-event.ts';
import { FactList } from '../../../src/history/verify/said-facts.ts';

type Event = Pick<EventRow, 'seq' | 'type' | 'payload'>;
type Part = { readonly text: string } | { readonly tool: string } | { readonly ask: string };

const somePart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ text: fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }) }),
  fc.record({ tool: fc.string() }),
  fc.record({ ask: fc.string() }),
);

/* Each text in pieces of `size` code units, and ended by its length and hash. */
function eventsOf(parts: readonly Part[], size: number): Event[] {
  const events: Event[] = [];
  const add = (type: EventRow['type'], payload: Event['payload']): void => {
    events.push({ seq: events.length + 1, type, payload });
  };
  for (const part of parts) {
    if ('tool' in part) add('tool', { update: 'tool_call', title: part.tool });
    else if ('ask' in part) add('approval', { ask: part.ask, state: 'open', params: {} });
    else {
      const { text } = part;
      for (let from = 0; from < text.length; from += size) {
        add('delta', { role: 'agent', text: text.slice(from, from + size) });
      }
      const bytes = Buffer.from(text);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      add('message', { role: 'agent', firstSeq: 1, bytes: bytes.length, sha256 });
    }
  }
  return events;
}

function factsOf(events: readonly Event[]) {
  const list = new FactList();
  for (const event of events) list.take(event);
  return list.facts();
}

const someParts = fc.array(somePart, { maxLength: 12 });
const somePlace = fc.record({ place: fc.nat(), isRemoved: fc.boolean() });
const someSize = fc.integer({ min: 1, max: 8 });

test('the same things said are the same, however they were cut', () => {
  fc.assert(
    fc.property(someParts, someSize, someSize, (parts, one, other) => {
      const compared = compareWithJournal(
        factsOf(eventsOf(parts, one)),
        factsOf(eventsOf(parts, other)),
      );
      assert.deepEqual(compared, { outcome: 'same', compared: parts.length });
    }),
  );
});

test('an event that was changed or removed is named, and nothing before it', () => {
  fc.assert(
    fc.property(someParts, someSize, somePlace, (parts, size, { place, isRemoved }) => {
      fc.pre(parts.length > 0);
      const events = eventsOf(parts, size);
      const { seq } = events[place % events.length] ?? { seq: 0 };
      const changed = events.flatMap((event): Event[] => {
        if (event.seq !== seq) return [event];
        if (isRemoved) return [];
        const { text } = event.payload;
        const more = typeof text === 'string' ? { text: `${text}!` } : { sha256: 'x', more: 1 };
        return [{ ...event, payload: { ...event.payload, ...more } }];
      });
      // The last end that is removed leaves an open text, which is no difference; two texts that become one are.
      const isLastEnd = events.findLast(({ type }) => type !== 'approval')?.seq === seq;
      fc.pre(!(isRemoved && isLastEnd && events[seq - 1]?.type === 'message'));
      const isEndBeforeOther =
        events[seq - 1]?.type === 'message' &&
        events.find((event) => event.seq > seq && event.type !== 'approval')?.type !== 'delta';
      fc.pre(!(isRemoved && isEndBeforeOther));
      const compared = compareWithJournal(factsOf(changed), factsOf(events));
      assert.equal(compared.outcome, 'differs');
    }),
  );
});

test('each kind of difference says where it is', () => {
  const parts = [{ text: 'one' }, { tool: 'edit' }, { text: 'two' }];
  const events = eventsOf(parts, 2);
  const compare = (stored: readonly Event[], replayed: readonly Event[] = events) => {
    const compared = compareWithJournal(factsOf(stored), factsOf(replayed));
    if (compared.outcome === 'same') return 'same';
    const { kind, what, seq, lastSeq } = compared.first;
    return [kind, what, seq, lastSeq];
  };
  const change = (seq: number, payload: Event['payload']) =>
    events.map((event) =>
      event.seq === seq ? { ...event, payload: { ...event.payload, ...payload } } : event,
    );
  assert.equal(compare(events), 'same');
  assert.deepEqual(compare(change(2, { text: 'x' })), ['text', 'changed', 1, 2]);
  assert.deepEqual(compare(change(3, { bytes: 4 })), ['text', 'end-unfit', 3, 3]);
  assert.deepEqual(compare(change(4, { title: 'read' })), ['tool', 'changed', 4, 4]);
  assert.deepEqual(compare(events.slice(0, 4)), ['text', 'missing', 4, 4]);
  assert.deepEqual(compare(events, events.slice(0, 4)), ['text', 'added', 5, 6]);
  assert.equal(compare(events.slice(0, -1)), 'same', 'a text that is still open');
});

test('an event is of the run of its turn, or else of the one that was there at the time', () => {
  const runs = [
    { runId: 'b', startedAtMs: 200 },
    { runId: 'a', startedAtMs: 100 },
  ] as never as Parameters<typeof runOfEvent>[0];
  const turns = [
    { id: 'one', runId: 'a', requeuedCount: 0 },
    { id: 'again', runId: 'b', requeuedCount: 1 },
  ] as never as Parameters<typeof runOfEvent>[1];
  const of = runOfEvent(runs, turns);
  assert.equal(of({ turnId: 'one', atMs: 300 }), 'a');
  assert.equal(of({ turnId: 'again', atMs: 150 }), 'a');
  assert.equal(of({ turnId: 'again', atMs: 250 }), 'b');
  assert.equal(of({ turnId: undefined, atMs: 199 }), 'a');
  assert.equal(of({ turnId: undefined, atMs: 99 }), undefined);
});
