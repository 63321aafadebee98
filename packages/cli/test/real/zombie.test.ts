/*
 * A gateway that was killed and that its parent has not waited for: a zombie. It has a pid and a start time, and it is dead
 * (O5), so the next one starts at once, and takes over what the dead one owned (O2).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launcherPath } from '../support/cli-process.ts';
import { createGatewayRig, type GatewayRig } from '../support/gateway-rig.ts';

/* A gateway whose parent became a program that waits for no child. */
async function serveUnreaped(
  context: TestContext,
  rig: GatewayRig,
): Promise<{ pid: number; url: string }> {
  const script = '"$0" "$@" & exec sleep 1000';
  const words = [launcherPath, 'serve', '--json', '--listen', '127.0.0.1:0'];
  const parent = spawn('/bin/sh', ['-c', script, process.execPath, ...words], {
    env: rig.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(async () => {
    parent.kill('SIGKILL');
    await once(parent, 'close');
  });
  let text = '';
  while (!text.includes('\n')) text += String((await once(parent.stdout, 'data'))[0]);
  return JSON.parse(text) as { pid: number; url: string };
}

function stateOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2)[0];
}

test('O2 O5: a gateway that is a zombie is dead to status, stop and doctor, and the next one takes over', {
  timeout: 120_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const { pid, url } = await serveUnreaped(context, rig);
  await rig.clf('login');
  const run = (await rig.clf('run', '-d', '-g', url, '--', 'sleep', '1000')).stdout.trim();
  process.kill(pid, 'SIGKILL');
  while (stateOf(pid) !== 'Z') await sleep(5);

  const status = await rig.clf('status', '--json');
  assert.equal((JSON.parse(status.stdout) as { gateway: string }).gateway, 'stale');
  assert.match((await rig.clf('stop')).stderr, /gateway-not-running/);
  const { findings } = JSON.parse((await rig.clf('doctor', '--json')).stdout) as {
    findings: { check: string; summary: string }[];
  };
  const owners = findings.find(({ check }) => check === 'owners');
  assert.equal(owners?.summary, '0 owners, 1 live run, 1 of them without an owner');

  const epoch = await epochOf(rig, run);
  const next = await rig.serve();
  assert.equal(stateOf(pid), 'Z', 'the test is about a zombie');
  assert.notEqual(next.pid, pid);
  assert.ok((await epochOf(rig, run)) > epoch, 'it has a new owner');
});

async function epochOf(rig: GatewayRig, run: string): Promise<number> {
  const record = JSON.parse((await rig.clf('ps', '--json')).stdout) as {
    id: string;
    owner: { epoch: number };
  };
  assert.equal(record.id, run);
  return record.owner.epoch;
}
