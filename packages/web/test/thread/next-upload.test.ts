/*
 * Every state of an upload with every event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  nextUpload,
  type UploadEvent,
  type UploadState,
} from '../../src/thread/attach/next-upload.ts';

const states = {
  announcing: { kind: 'announcing' },
  sending: { kind: 'sending', id: 'u1', offset: 10 },
  asking: { kind: 'asking', id: 'u1', offset: 10 },
  whole: { kind: 'whole', id: 'u1' },
  failed: { kind: 'failed', reason: 'full', id: 'u1', offset: 10 },
} as const satisfies Record<UploadState['kind'], UploadState>;

type Kind = UploadState['kind'];

test('what happens in every state', () => {
  const told = { kind: 'told', id: 'u1', offset: 20 } as const;
  const refused = { kind: 'refused', reason: 'no' } as const;
  const open = ['announcing', 'sending', 'asking'] as const;
  const all = (to: Kind) => Object.fromEntries(open.map((kind) => [kind, to]));
  const table: readonly (readonly [UploadEvent, Partial<Record<Kind, Kind>>])[] = [
    [{ ...told, isWhole: false }, all('sending')],
    [{ ...told, isWhole: true }, all('whole')],
    [{ kind: 'unanswered' }, { sending: 'asking' }],
    [
      { ...refused, code: 'gap' },
      { ...all('failed'), sending: 'asking' },
    ],
    [{ ...refused, code: 'not_found' }, all('failed')],
    [{ ...refused, code: 'storage_full' }, all('failed')],
    [{ kind: 'unreadable', reason: 'gone' }, all('failed')],
    [{ kind: 'again' }, { failed: 'asking' }],
  ];
  for (const [event, changes] of table) {
    for (const state of Object.values(states)) {
      const next = nextUpload(state, event);
      assert.equal(next.kind, changes[state.kind] ?? state.kind, `${state.kind}, ${event.kind}`);
      if (changes[state.kind] === undefined) assert.equal(next, state);
    }
  }
});

test('after a lost connection it goes on from what the gateway has, not from what we had sent', () => {
  const asking = nextUpload(states.sending, { kind: 'unanswered' });
  assert.deepEqual(asking, { kind: 'asking', id: 'u1', offset: 10 });
  const told: UploadEvent = { kind: 'told', id: 'u1', offset: 15, isWhole: false };
  assert.deepEqual(nextUpload(asking, told), { kind: 'sending', id: 'u1', offset: 15 });
});

test('what failed goes on where it was; what the gateway no longer has begins anew', () => {
  const full = nextUpload(states.sending, {
    kind: 'refused',
    code: 'storage_full',
    reason: 'full',
  });
  assert.deepEqual(full, states.failed);
  assert.deepEqual(nextUpload(full, { kind: 'again' }), states.asking);
  const gone = nextUpload(states.asking, { kind: 'refused', code: 'not_found', reason: 'gone' });
  assert.deepEqual(nextUpload(gone, { kind: 'again' }), { kind: 'announcing' });
});
