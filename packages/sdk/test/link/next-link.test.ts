/*
 * The line to a terminal: every event in every state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiErrors, socketCloseCodes } from '@clawdfather/protocol/api';
import { type LinkEvent, nextLink, type Link } from '../../src/link/next-link.ts';

const sinceMs = 500;
const atMs = 900;
const connecting: Link = { kind: 'connecting', attempt: 2, downSinceMs: sinceMs };
const live: Link = { kind: 'live', attempt: 2 };
const lost: Link = { kind: 'lost', attempt: 3, downSinceMs: sinceMs };
const lostNow: Link = { kind: 'lost', attempt: 3, downSinceMs: atMs };
const over: Link = { kind: 'over', end: { kind: 'left' } };
const states = [connecting, live, lost, over];

const closed = (code: number, reason = ''): LinkEvent => ({ kind: 'closed', code, reason, atMs });
const refused = (code: string): LinkEvent => ({ kind: 'refused', code, message: 'm', atMs });
const codeOf = (link: Link): string | undefined =>
  link.kind === 'over' && link.end.kind === 'refused' ? link.end.code : undefined;

test('what happens in every state', () => {
  const table: readonly (readonly [LinkEvent, readonly Link[]])[] = [
    [{ kind: 'attached' }, [{ kind: 'live', attempt: 2 }, live, lost, over]],
    [{ kind: 'heard' }, [connecting, { kind: 'live', attempt: 0 }, lost, over]],
    [{ kind: 'retry' }, [connecting, live, { ...lost, kind: 'connecting' }, over]],
    [
      { kind: 'retry-now' },
      [connecting, live, { kind: 'connecting', attempt: 0, downSinceMs: sinceMs }, over],
    ],
    [
      { kind: 'distrusted', atMs },
      [
        { kind: 'connecting', attempt: 0, downSinceMs: sinceMs },
        { kind: 'connecting', attempt: 0, downSinceMs: atMs },
        { kind: 'connecting', attempt: 0, downSinceMs: sinceMs },
        over,
      ],
    ],
    [closed(1006), [lost, lostNow, lost, over]],
    [refused('unavailable'), [lost, lostNow, lost, over]],
  ];
  for (const [event, after] of table) {
    assert.deepEqual(
      states.map((state) => nextLink(state, event)),
      after,
      event.kind,
    );
  }
  const end = { kind: 'ended' } as const;
  for (const state of [connecting, live, lost]) {
    assert.deepEqual(nextLink(state, { kind: 'over', end }), { kind: 'over', end });
  }
  assert.equal(nextLink(over, { kind: 'over', end }), over, 'an end is final');
});

test('hearing something on a line that is well changes nothing', () => {
  const well: Link = { kind: 'live', attempt: 0 };
  assert.equal(nextLink(well, { kind: 'heard' }), well);
});

test('these close codes end it, and every other is an invitation to come again', () => {
  const final = new Map<number, string>([
    [socketCloseCodes.policy, 'request_timeout'],
    [socketCloseCodes.ended, 'unauthorized'],
    [socketCloseCodes.notFound, 'not_found'],
  ]);
  for (let code = 1000; code < 5000; code += 1) {
    const next = nextLink(live, closed(code));
    assert.equal(next.kind, final.has(code) ? 'over' : 'lost', String(code));
    assert.equal(codeOf(next), final.get(code));
  }
});

test('a normal close that the end of the run did not precede is a lost connection', () => {
  assert.equal(nextLink(live, closed(socketCloseCodes.normal)).kind, 'lost');
  const ended = nextLink(live, { kind: 'over', end: { kind: 'ended' } });
  assert.equal(nextLink(ended, closed(socketCloseCodes.normal)), ended);
});

test('a refusal says why in the gateway’s words', () => {
  const told = nextLink(live, closed(socketCloseCodes.ended, 'it was revoked'));
  assert.ok(told.kind === 'over' && told.end.kind === 'refused');
  assert.equal(told.end.message, 'it was revoked');
});

test('every code of the API either ends it or is waited for', () => {
  for (const [code, { status }] of Object.entries(apiErrors)) {
    const isForNow = status >= 500 || status === 429;
    const next = nextLink(connecting, refused(code));
    assert.equal(next.kind, isForNow ? 'lost' : 'over', code);
    assert.equal(codeOf(next), isForNow ? undefined : code);
  }
  assert.equal(codeOf(nextLink(connecting, refused('something_newer'))), 'something_newer');
});
