/*
 * gateway.json is believed only when its process is the one that wrote it (O5).
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  findGateway,
  gatewayFilePath,
  type GatewayRecord,
  readIdentity,
  removeGatewayFile,
  writeGatewayFile,
} from '../../src/gateway/gateway-file.ts';
import { startTicksOf } from '@clawdfather/supervisor/alive';

function stateDirOf(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'clf-gateway-file-'));
  context.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

const ours: GatewayRecord = {
  url: 'http://127.0.0.1:8420',
  pid: process.pid,
  startTicks: startTicksOf(process.pid) ?? 0,
  ...readIdentity(),
  version: '1.2.3',
  startedAtMs: 1,
  database: 'sqlite',
  publicUrl: null,
  certificate: null,
};

test('what a living process wrote is running; it is private, and goes only with its own', (context) => {
  const stateDir = stateDirOf(context);
  assert.deepEqual(findGateway(stateDir), { kind: 'none' });
  writeGatewayFile(stateDir, ours);
  assert.deepEqual(findGateway(stateDir), { kind: 'running', record: ours });
  assert.equal(statSync(gatewayFilePath(stateDir)).mode & 0o777, 0o600);
  removeGatewayFile(stateDir, { ...ours, startTicks: ours.startTicks + 1 });
  assert.ok(existsSync(gatewayFilePath(stateDir)), "a successor's stays");
  removeGatewayFile(stateDir, ours);
  assert.ok(!existsSync(gatewayFilePath(stateDir)));
});

test('a pid that is somebody else’s by now, or of another boot, is stale; another container’s is left alone', (context) => {
  const stateDir = stateDirOf(context);
  const kindOf = (changed: Partial<GatewayRecord>): string => {
    writeGatewayFile(stateDir, { ...ours, ...changed });
    return findGateway(stateDir).kind;
  };
  assert.equal(kindOf({ startTicks: ours.startTicks - 1 }), 'stale');
  assert.equal(kindOf({ bootId: 'another' }), 'stale');
  assert.equal(kindOf({ pidNamespace: 'pid:[1]' }), 'elsewhere');
  assert.equal(kindOf({}), 'running');
});

test('a file that is not as we write it is no gateway', (context) => {
  const stateDir = stateDirOf(context);
  for (const text of ['', 'null', '[]', '{"pid": 1}', JSON.stringify({ ...ours, pid: '1' })]) {
    writeFileSync(gatewayFilePath(stateDir), text);
    assert.deepEqual(findGateway(stateDir), { kind: 'none' }, text);
  }
});
