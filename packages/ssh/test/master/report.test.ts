/*
 * Reports: every line that our programs write is read, half a line is not, and nothing else is taken for a fact.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseReport } from '../../src/master/report.ts';
import type { ReportLine } from '../../src/master/report.ts';

const bootId = '9f1c7d9e-6f54-4b3e-9a2e-0c1d2e3f4a5b';

const lines: readonly (readonly [string, ReportLine])[] = [
  ['dial connected 12', { kind: 'dial-connected', tookMs: 12 }],
  ['dial failed ECONNREFUSED 3', { kind: 'dial-failed', errno: 'ECONNREFUSED', tookMs: 3 }],
  ['dial timeout', { kind: 'dial-timeout' }],
  ['hostkey ORDER NONE NONE', { kind: 'hostkey', invocation: 'ORDER', type: 'NONE', blob: 'NONE' }],
  [
    'hostkey HOSTNAME ssh-ed25519 AAAA+/==',
    { kind: 'hostkey', invocation: 'HOSTNAME', type: 'ssh-ed25519', blob: 'AAAA+/==' },
  ],
  ['hostkey malformed', { kind: 'hostkey-malformed' }],
  ['hostkey bad-pins', { kind: 'hostkey-bad-pins' }],
  [`header 4711 0 -`, { kind: 'header', pid: 4711, startTicks: '0', bootId: '-' }],
  ['opening', { kind: 'opening' }],
  ['opened 7', { kind: 'opened', sessionId: 7 }],
  [`header 4711 123456 ${bootId}`, { kind: 'header', pid: 4711, startTicks: '123456', bootId }],
  ['exit 0', { kind: 'exit', code: 0 }],
  ['exit 255', { kind: 'exit', code: 255 }],
  ['ended-without-code master-alive', { kind: 'ended-without-code', isMasterAlive: true }],
  ['ended-without-code master-lost', { kind: 'ended-without-code', isMasterAlive: false }],
  [
    'refused Session open refused by peer',
    { kind: 'refused', text: 'Session open refused by peer' },
  ],
  ['no-master ENOENT', { kind: 'no-master', errno: 'ENOENT' }],
  ['open-timeout', { kind: 'open-timeout' }],
  ['cancelling SIGTERM', { kind: 'cancelling', signal: 'SIGTERM' }],
  ['not-sent', { kind: 'not-sent' }],
  ['protocol version 3', { kind: 'protocol', text: 'version 3' }],
  ['bad-setup no command', { kind: 'bad-setup', text: 'no command' }],
  ['terminal-refused', { kind: 'terminal-refused' }],
  ['swept confirmed', { kind: 'swept', outcome: 'confirmed', found: undefined }],
  ['swept confirmed 4', { kind: 'swept', outcome: 'confirmed', found: 4 }],
  ['swept unconfirmed', { kind: 'swept', outcome: 'unconfirmed', why: '' }],
  [
    'swept unconfirmed open-timeout',
    { kind: 'swept', outcome: 'unconfirmed', why: 'open-timeout' },
  ],
  ['swept survivors 2', { kind: 'swept', outcome: 'survivors', left: 2 }],
];

test('every line is read', () => {
  const text = lines.map(([line]) => `${line}\n`).join('');
  const expected = lines.map(([, line]) => line);
  assert.deepEqual(parseReport(text), { lines: expected, unreadable: 0, isCut: false });
});

test('a report that was cut at any byte has the whole lines, and none of the last', () => {
  const text = lines.map(([line]) => `${line}\n`).join('');
  for (let length = 0; length <= text.length; length += 1) {
    const cut = text.slice(0, length);
    const whole = cut.split('\n').length - 1;
    assert.deepEqual(parseReport(cut), {
      lines: lines.slice(0, whole).map(([, line]) => line),
      unreadable: 0,
      isCut: !cut.endsWith('\n') && cut !== '',
    });
  }
});

test('what is no line is counted, and left out', () => {
  const bad = [
    '',
    'dial',
    'dial connected',
    'dial connected -1',
    'dial connected 1e3',
    'dial connected 12 ',
    ' opening',
    'opening\r',
    'exit',
    'exit 01',
    'exit x',
    'opened',
    'header 1 2 x',
    'hostkey HOSTNAME a b c',
    'swept',
    'swept survivors',
    'ended-without-code',
    'something else',
  ];
  const report = parseReport(bad.map((line) => `${line}\nopening\n`).join(''));
  assert.equal(report.unreadable, bad.length);
  assert.ok(report.lines.every(({ kind }) => kind === 'opening'));
});

test('any text is read without an error, and never to more facts than lines', () => {
  const piece = fc.constantFrom(...lines.map(([line]) => line), '\n', ' ', '\0', 'exit ');
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const report = parseReport(text);
      assert.equal(report.lines.length + report.unreadable, text.split('\n').length - 1);
    }),
  );
});

test('a report without end is not kept whole', () => {
  const report = parseReport('opening\n'.repeat(5_000));
  assert.equal(report.lines.length, 1_000);
  assert.equal(report.unreadable, 4_000);
});
