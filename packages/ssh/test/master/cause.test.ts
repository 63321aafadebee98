/*
 * Causes by evidence: each row is what our own parts saw, and the one cause that follows from it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFailedLogin, masterCauses } from '../../src/master/cause-table.ts';
import type { MasterCause } from '../../src/master/cause-table.ts';
import { causeOf } from '../../src/master/cause.ts';
import type { MasterEvidence, SignerFacts } from '../../src/master/cause.ts';
import { parseReport } from '../../src/master/report.ts';
import { parseHostKey } from '../../src/pins/host-key.ts';
import type { HostKey } from '../../src/pins/host-key.ts';

function keyOf(fill: number): HostKey {
  const name = 'ssh-ed25519';
  const parts = [Buffer.from([0, 0, 0, 11]), Buffer.from(name), Buffer.from([0, 0, 0, 32])];
  const blob = Buffer.concat([...parts, Buffer.alloc(32, fill)]).toString('base64');
  const reading = parseHostKey(`${name} ${blob}`);
  return reading.outcome === 'read' ? reading.key : assert.fail();
}

const pin = keyOf(1);
const quiet: SignerFacts = {
  identitiesAsked: false,
  bound: false,
  signRequests: 0,
  signed: 0,
  refusals: [],
};
/* ssh's end after every failure. */
const failed: MasterEvidence = {
  resolved: { outcome: 'resolved', address: '192.0.2.1' },
  report: [],
  pin,
  signer: quiet,
  isSocketSeen: false,
  asked: undefined,
  runEnd: { kind: 'exit', code: 255 },
  endedAfterDialMs: 20,
  connectSeconds: 10,
  failedLoginMsAgo: undefined,
};

type Parts = Partial<Omit<MasterEvidence, 'report'>> & { readonly report?: string };

function evidence({ report = '', ...parts }: Parts): MasterEvidence {
  return { ...failed, ...parts, report: parseReport(report).lines };
}

const connected = 'dial connected 3\n';
const keyed = `${connected}hostkey HOSTNAME ${pin.type} ${pin.blob}\n`;
const otherKey = `${connected}hostkey HOSTNAME ${pin.type} ${keyOf(2).blob}\n`;
const unusableKey = `${connected}hostkey HOSTNAME ssh-dss AAAA\n`;
const asked = { ...quiet, identitiesAsked: true, bound: true };
const signed = { ...asked, signRequests: 1, signed: 1 };
const live = { report: keyed, signer: signed, isSocketSeen: true };

const rows: readonly (readonly [MasterCause, Parts])[] = [
  ['dns', { resolved: { outcome: 'not-found', errno: 'ENOTFOUND' }, runEnd: undefined }],
  ['dns', { resolved: { outcome: 'timeout' }, runEnd: undefined }],
  [
    'address-forbidden',
    {
      resolved: { outcome: 'forbidden', address: '127.0.0.1', why: 'loopback' },
      runEnd: undefined,
    },
  ],
  ['closed', { resolved: { outcome: 'aborted' }, runEnd: undefined }],
  ['refused', { report: 'dial failed ECONNREFUSED 1\n' }],
  ['timeout', { report: 'dial failed ETIMEDOUT 9000\n' }],
  ['timeout', { report: 'dial timeout\n' }],
  ['timeout', { asked: 'start-limit' }],
  ['timeout', { runEnd: undefined }],
  ['no-route', { report: 'dial failed EHOSTUNREACH 3100\n' }],
  ['no-route', { report: 'dial failed ENETUNREACH 1\n' }],
  ['dial-failed', { report: 'dial failed EACCES 1\n' }],
  ['dial-failed', { report: '' }],
  ['dial-failed', { report: 'dial connec' }],
  ['local-limit', { report: 'dial failed EMFILE 1\n' }],
  ['local-limit', { report: 'dial failed EADDRNOTAVAIL 1\n' }],
  ['local-limit', { runEnd: { kind: 'not-started', errno: 'EAGAIN' } }],
  ['ssh-unusable', { runEnd: { kind: 'not-started', errno: 'ENOENT' } }],
  ['ssh-unusable', { runEnd: { kind: 'not-started', errno: undefined } }],
  ['silent-server', { report: connected, endedAfterDialMs: 10_020 }],
  ['silent-server', { report: connected, endedAfterDialMs: 15_020, connectSeconds: 15 }],
  ['silent-server', { report: connected, asked: 'start-limit' }],
  [
    'silent-server',
    { report: connected, asked: 'start-limit', runEnd: { kind: 'signal', signal: 'SIGTERM' } },
  ],
  ['silent-server', { report: connected, runEnd: undefined }],
  ['closed-early', { report: connected }],
  ['closed-early', { report: connected, endedAfterDialMs: undefined }],
  ['closed-early', { report: connected, failedLoginMsAgo: 601_000 }],
  ['closed-early', { report: `${connected}hostkey ORDER NONE NONE\n` }],
  ['penalty-suspected', { report: connected, failedLoginMsAgo: 5_000 }],
  ['host-key-unknown', { report: keyed, pin: undefined }],
  ['host-key-changed', { report: otherKey }],
  ['host-key-unusable', { report: unusableKey }],
  ['host-key-unusable', { report: unusableKey, pin: undefined }],
  ['host-key-unusable', { report: `${connected}hostkey malformed\n` }],
  ['pin-unreadable', { report: `${keyed}hostkey bad-pins\n` }],
  ['closed-before-login', { report: keyed }],
  ['key-not-installed', { report: keyed, signer: asked }],
  ['refused-after-signature', { report: keyed, signer: signed }],
  [
    'refused-after-signature',
    { report: keyed, signer: { ...signed, refusals: ['signed-enough'] } },
  ],
  ['login-stalled', { report: keyed, signer: signed, asked: 'start-limit' }],
  ['login-stalled', { report: keyed, signer: asked, runEnd: undefined }],
  ['signer-refused', { report: keyed, signer: { ...asked, refusals: ['user-differs'] } }],
  ['signer-refused', { report: keyed, signer: { ...asked, signRequests: 1 } }],
  ['signer-gone', { report: keyed, signer: undefined }],
  ['keepalive', { ...live, asked: 'silence' }],
  ['host-closed', live],
  ['host-closed', { ...live, signer: undefined }],
  ['master-killed', { ...live, runEnd: { kind: 'signal', signal: 'SIGKILL' } }],
  ['master-killed', { report: keyed, runEnd: { kind: 'signal', signal: 'SIGKILL' } }],
  ['master-lost', { ...live, runEnd: { kind: 'unknown' } }],
  ['master-lost', { ...live, runEnd: undefined }],
  ['closed', { ...live, asked: 'closed' }],
  ['closed', { ...live, asked: 'closed', runEnd: { kind: 'signal', signal: 'SIGKILL' } }],
  ['pin-changed', { ...live, asked: 'pin-changed' }],
  ['key-revoked', { ...live, asked: 'key-revoked' }],
];

test('each evidence has its cause', () => {
  for (const [cause, parts] of rows)
    assert.equal(causeOf(evidence(parts)), cause, JSON.stringify(parts));
});

test('every cause can be reached', () => {
  // No master ends of these: the host runs no command beside the ping (max-sessions.test.ts of the gateway).
  const ofCommands: readonly MasterCause[] = ['max-sessions', 'restricted-shell'];
  const reached = new Set([...rows.map(([cause]) => cause), ...ofCommands]);
  for (const cause of Object.keys(masterCauses))
    assert.ok(reached.has(cause as MasterCause), cause);
});

test('any evidence has a cause, and no text of a host changes it', () => {
  const lines = [connected, keyed, otherKey, unusableKey, 'dial timeout\n', 'opened 1\n', 'torn'];
  const anyEvidence = fc.record({
    resolved: fc.constantFrom(failed.resolved, undefined, { outcome: 'timeout' } as const),
    report: fc.array(fc.constantFrom(...lines), { maxLength: 4 }).map((some) => some.join('')),
    pin: fc.constantFrom(pin, undefined),
    signer: fc.constantFrom(undefined, quiet, asked, signed),
    isSocketSeen: fc.boolean(),
    asked: fc.constantFrom(undefined, 'closed', 'silence', 'start-limit'),
    runEnd: fc.constantFrom(undefined, failed.runEnd, { kind: 'unknown' } as const),
    endedAfterDialMs: fc.option(fc.nat(40_000), { nil: undefined }),
    failedLoginMsAgo: fc.option(fc.nat(1_000_000), { nil: undefined }),
  }) as fc.Arbitrary<Parts>;
  fc.assert(
    fc.property(anyEvidence, fc.string(), (parts, text) => {
      const cause = causeOf(evidence(parts));
      assert.ok(cause in masterCauses);
      const said = `refused ${text.replaceAll('\n', ' ')}\n`;
      assert.equal(causeOf(evidence({ ...parts, report: said + (parts.report ?? '') })), cause);
    }),
  );
});

test('a login that the host saw fail is known as such', () => {
  assert.ok(isFailedLogin('key-not-installed'));
  assert.ok(!isFailedLogin('host-key-unknown') && !isFailedLogin('timeout'));
});

test('docs/ssh.md has every cause, with its sentence and its hint', () => {
  const text = readFileSync(new URL('../../../../docs/ssh.md', import.meta.url), 'utf8');
  const documented = text
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, code = '']) => /^`[a-z-]+`$/.test(code) && code.slice(1, -1) in masterCauses)
    .map(([, code = '', , sentence, hint]) => [code.slice(1, -1), sentence, hint]);
  const expected = Object.entries(masterCauses).map(([code, { sentence, hint }]) => [
    code,
    sentence,
    hint,
  ]);
  assert.deepEqual(documented, expected);
});
