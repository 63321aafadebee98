/*
 * The line to a terminal: every event in every state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiErrors, socketCloseCodes } from '@clawdfather/protocol/api';
import {
  type LinkEvent,
  nextTerminalLink,
  type TerminalLink,
} from '../../src/terminal/next-terminal-link.ts';

const connecting: TerminalLink = { kind: 'connecting', attempt: 2 };
const live: TerminalLink = { kind: 'live', attempt: 2 };
const lost: TerminalLink = { kind: 'lost', attempt: 3 };
const over: TerminalLink = { kind: 'over', end: { kind: 'left' } };
const states = [connecting, live, lost, over];

const closed = (code: number, reason = ''): LinkEvent => ({
  kind: 'closed',
  code,
  reason,
});
const refused = (code: string, about: 'auth' | 'terminal.attach' = 'auth'): LinkEvent => ({
  kind: 'refused',
  about,
  code,
  message: 'm',
});
const codeOf = (link: TerminalLink): string | undefined =>
  link.kind === 'over' && link.end.kind === 'refused' ? link.end.code : undefined;

test('what happens in every state', () => {
  const table: readonly (readonly [LinkEvent, readonly TerminalLink[]])[] = [
    [{ kind: 'attached' }, [{ kind: 'live', attempt: 2 }, live, lost, over]],
    [{ kind: 'heard' }, [connecting, { kind: 'live', attempt: 0 }, lost, over]],
    [{ kind: 'retry' }, [connecting, live, { kind: 'connecting', attempt: 3 }, over]],
    [closed(1006), [lost, lost, lost, over]],
    [refused('unavailable'), [lost, lost, lost, over]],
  ];
  for (const [event, after] of table) {
    assert.deepEqual(
      states.map((state) => nextTerminalLink(state, event)),
      after,
      event.kind,
    );
  }
  const end = { kind: 'exit' } as const;
  for (const state of [connecting, live, lost]) {
    assert.deepEqual(nextTerminalLink(state, { kind: 'over', end }), { kind: 'over', end });
  }
  assert.equal(nextTerminalLink(over, { kind: 'over', end }), over, 'an end is final');
});

test('hearing something on a line that is well changes nothing', () => {
  const well: TerminalLink = { kind: 'live', attempt: 0 };
  assert.equal(nextTerminalLink(well, { kind: 'heard' }), well);
});

test('these close codes end it, and every other is an invitation to come again', () => {
  const final = new Map<number, string>([
    [socketCloseCodes.policy, 'request_timeout'],
    [socketCloseCodes.ended, 'unauthorized'],
    [socketCloseCodes.notFound, 'not_found'],
  ]);
  for (let code = 1000; code < 5000; code += 1) {
    const next = nextTerminalLink(live, closed(code));
    assert.equal(next.kind, final.has(code) ? 'over' : 'lost', String(code));
    assert.equal(codeOf(next), final.get(code));
  }
});

test('a normal close that the end of the run did not precede is a lost connection', () => {
  assert.equal(nextTerminalLink(live, closed(socketCloseCodes.normal)).kind, 'lost');
  const ended = nextTerminalLink(live, { kind: 'over', end: { kind: 'exit' } });
  assert.equal(nextTerminalLink(ended, closed(socketCloseCodes.normal)), ended);
});

test('a refusal says why in the gateway’s words', () => {
  const told = nextTerminalLink(live, closed(socketCloseCodes.ended, 'it was revoked'));
  assert.ok(told.kind === 'over' && told.end.kind === 'refused');
  assert.equal(told.end.message, 'it was revoked');
});

test('every code of the API either ends it or is waited for', () => {
  for (const [code, { status }] of Object.entries(apiErrors)) {
    const isForNow = status >= 500 || status === 429;
    for (const about of ['auth', 'terminal.attach'] as const) {
      const next = nextTerminalLink(connecting, refused(code, about));
      assert.equal(next.kind, isForNow ? 'lost' : 'over', code);
      assert.equal(codeOf(next), isForNow ? undefined : code);
    }
  }
  assert.equal(codeOf(nextTerminalLink(connecting, refused('something_newer'))), 'something_newer');
});
