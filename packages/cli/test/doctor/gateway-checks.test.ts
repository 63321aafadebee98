/*
 * What `clf doctor` says about the gateway on this machine, from made-up facts and files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  checkCertificate,
  checkControl,
  checkGateway,
  checkGatewayVersion,
  checkMasterKeys,
  checkSecretFiles,
  checkUnits,
} from '../../src/doctor/gateway-checks.ts';
import { doctorSpec } from '../../src/commands/own-specs.ts';
import { callWith } from '../support/configs.ts';

function homeOf(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'clf-doctor-'));
  context.after(() => rmSync(home, { recursive: true }));
  const { config } = callWith(doctorSpec, [], { HOME: home });
  mkdirSync(config.stateDir, { recursive: true });
  return { home, config };
}

const record = {
  url: 'http://127.0.0.1:8420',
  pid: 7,
  startTicks: 1,
  bootId: 'b',
  pidNamespace: 'n',
  version: '1',
  startedAtMs: 1,
  database: 'sqlite',
  publicUrl: null,
  certificate: null,
} as const;

test('the gateway: none is no problem, one that was killed is a warning, one that is mute is a failure', () => {
  const statusOf = (look: Parameters<typeof checkGateway>[0]): string => checkGateway(look).status;
  const silent = { isReady: false, health: undefined, diskFault: undefined };
  assert.equal(statusOf({ found: { kind: 'none' }, ...silent }), 'info');
  assert.equal(statusOf({ found: { kind: 'stale', record }, ...silent }), 'warn');
  assert.equal(statusOf({ found: { kind: 'elsewhere', record }, ...silent }), 'info');
  assert.equal(statusOf({ found: { kind: 'running', record }, ...silent }), 'fail');
  assert.equal(statusOf({ found: { kind: 'running', record }, ...silent, isReady: true }), 'ok');
  const diskFault = 'the disk is full (a disk)';
  const full = checkGateway({ found: { kind: 'running', record }, ...silent, diskFault });
  assert.match(full.summary, /is not ready: the disk is full \(a disk\)$/);
  assert.doesNotMatch(full.advice ?? '', /clf serve/, 'which would be refused');
});

test('a gateway of another version than the command is to be restarted', (context) => {
  const { home, config } = homeOf(context);
  const env = { HOME: home };
  const running = { found: { kind: 'running', record } } as const;
  const of = (ours: string) =>
    checkGatewayVersion(running, { config: { ...config, env }, ours })[0];
  assert.equal(of('1'), undefined);
  const other = of('2');
  assert.deepEqual(
    [other?.status, other?.summary],
    ['warn', 'the gateway is version 1, this command 2'],
  );
  assert.match(other?.advice ?? '', /: clf stop, then clf serve$/);
  const units = join(home, '.config', 'systemd', 'user');
  mkdirSync(units, { recursive: true });
  writeFileSync(join(units, 'clawdfather.service'), '');
  assert.match(of('2')?.advice ?? '', /: systemctl --user restart clawdfather$/);
});

test('the control database: whole, damaged, unreadable, or not there', (context) => {
  const { home } = homeOf(context);
  const path = join(home, 'control.db');
  const look = { isSound: true, problems: [], migrations: { state: 'current' } };
  assert.equal(checkControl(path, () => look).status, 'info');
  writeFileSync(path, '');
  assert.equal(checkControl(path, () => look).status, 'ok');
  const damaged = checkControl(path, () => ({
    ...look,
    isSound: false,
    problems: ['row 3 is gone'],
  }));
  assert.deepEqual([damaged.status, damaged.advice], ['fail', 'clf restore FILE']);
  assert.match(damaged.summary, /row 3 is gone/);
  const none = checkControl(path, () => {
    throw new Error('file is not a database');
  });
  assert.deepEqual(
    [none.status, none.advice],
    ['fail', undefined],
    'who knows whether it is damaged',
  );
  assert.equal(checkControl(undefined, () => look).status, 'info', 'PostgreSQL');
});

test('secrets: a key that others can read, and a setting that leads nowhere, are failures', (context) => {
  const { home, config } = homeOf(context);
  assert.equal(checkSecretFiles({ config }).status, 'ok');
  const key = join(home, 'key.pem');
  const named = { ...config, values: { ...config.values, 'gateway.tls.key': key } };
  assert.match(checkSecretFiles({ config: named }).summary, /not there/);
  writeFileSync(key, 'secret', { mode: 0o644 });
  const open = checkSecretFiles({ config: named });
  assert.deepEqual([open.status, open.summary], ['fail', `${key} can be read by others`]);
  assert.match(open.advice ?? '', /^chmod 600 /);
});

test('a database without the master keys that it was used with is a failure', () => {
  const directory = '/s/master-keys';
  const statusOf = (needed: string[], present: string[]) =>
    checkMasterKeys({ needed, present, directory })[0];
  assert.deepEqual(checkMasterKeys(undefined), []);
  assert.equal(statusOf([], ['a'])?.status, 'ok', 'of an older version, without a note');
  assert.equal(statusOf(['a'], ['b', 'a'])?.status, 'ok');
  const none = statusOf(['a'], []);
  assert.equal(none?.status, 'fail');
  assert.match(none?.advice ?? '', /copy what is in FILE\.keys to \/s\/master-keys/);
  const other = statusOf(['a'], ['b']);
  assert.equal(other?.status, 'fail');
  assert.match(other?.summary ?? '', /are not those .* \(a\)$/);
});

test('E2: a unit that would end runs is a failure', (context) => {
  const { home, config } = homeOf(context);
  const own = { config: { ...config, env: { HOME: home } } };
  const directory = join(home, '.config', 'systemd', 'user');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'clawdfather.service');
  writeFileSync(path, 'KillMode=process\nOOMPolicy=continue\n');
  assert.equal(checkUnits(own)[0]?.status, 'ok');
  writeFileSync(path, 'KillMode=control-group\nOOMPolicy=continue\n');
  assert.equal(checkUnits(own)[0]?.status, 'fail');
});

test('a certificate that cannot be read is a failure; without one there is nothing to say', (context) => {
  const { home, config } = homeOf(context);
  assert.deepEqual(checkCertificate(config, 0), []);
  const path = join(home, 'cert.pem');
  writeFileSync(path, 'not a certificate');
  const named = { ...config, values: { ...config.values, 'gateway.tls.cert': path } };
  assert.equal(checkCertificate(named, 0)[0]?.status, 'fail');
});
