/*
 * What a gateway's runs use, seen from another place: `clf top -g` and the columns of `clf ps -g`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { CliProcess } from '../support/cli-process.ts';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { signIn } from '../support/signed-in.ts';

interface LookJson {
  readonly runs: readonly {
    readonly name: string | null;
    readonly state: string;
    readonly pid: number | null;
    readonly cpuPercent: number | null;
    readonly memoryBytes: number | null;
    readonly processes: number | null;
    readonly outputBytesPerSecond: number | null;
  }[];
  readonly ended: readonly {
    readonly name: string | null;
    readonly exit: { readonly reason: string; readonly signal: string | null };
  }[];
}

const noisy = 'sleep 600 & while :; do echo xxxxxxxxxxxxxxxx; done';

test('top --once --json: what the gateway’s runs use, and the cause of an end', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const { clf } = await signIn(rig, await rig.serve());
  const started = await clf('run', '-g', 'home', '-d', '--name', 'noisy', '--', 'sh', '-c', noisy);
  assert.equal(started.code, 0, started.stderr);
  await clf('run', '-g', 'home', '--name', 'short', '--', 'sh', '-c', 'kill -9 $$');
  const { stdout, stderr, code } = await clf('top', '-g', 'home', '--once', '--json');
  assert.equal(code, 0, stderr);
  const { runs, ended } = JSON.parse(stdout) as LookJson;
  assert.deepEqual(
    runs.map(({ name, state }) => [name, state]),
    [['noisy', 'running']],
  );
  const [row] = runs;
  assert.ok((row?.cpuPercent ?? 0) > 0, stdout);
  assert.ok((row?.processes ?? 0) >= 2, stdout);
  assert.ok((row?.memoryBytes ?? 0) > 0, stdout);
  assert.ok((row?.outputBytesPerSecond ?? 0) > 0, stdout);
  assert.deepEqual(
    ended.map(({ name, exit }) => [name, exit.reason, exit.signal]),
    [['short', 'signal', 'SIGKILL']],
  );
  // The same shape as on the machine of the gateway.
  const here = JSON.parse((await rig.clf('top', '--once', '--json')).stdout) as LookJson;
  assert.deepEqual(Object.keys(here.runs[0] ?? {}), Object.keys(row ?? {}));
  assert.equal(here.runs[0]?.pid, row?.pid);
});

test('ps: the columns CPU and MEM, and none of it for scripts', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const { clf } = await signIn(rig, await rig.serve());
  await clf('run', '-g', 'home', '-d', '--name', 'quiet', '--', 'sleep', '600');
  const table = (await clf('ps', '-g', 'home')).stdout;
  assert.match(table, /^ID +NAME +STATE +AGE +TIME +CPU +MEM +COMMAND\n/);
  assert.match(
    table,
    /\bquiet +running +(?:just now|\S+ ago) +\S+ +[\d.]+m?s +[\d.]+[KM] +sleep 600\n/,
  );
  const json = JSON.parse((await clf('ps', '-g', 'home', '--json')).stdout) as object;
  assert.ok(!('use' in json));
});

test('top into a pipe goes on when the gateway comes back', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const served = await rig.serve();
  const { clf, env } = await signIn(rig, served);
  await clf('run', '-g', 'home', '-d', '--name', 'quiet', '--', 'sleep', '600');
  const top = rig.start({ env }, 'top', '-g', 'home', '--interval', '200ms');
  await top.saw('quiet');
  served.child.kill('SIGKILL');
  await endOf(served);
  await complains(top, 'no answer from');
  await rig.serve('--listen', new URL(served.url).host);
  await complains(top, 'connected again');
  await clf('kill', '-g', 'home', 'quiet');
  await top.saw('0 running');
  top.child.kill('SIGTERM');
  assert.equal((await top.result).signal, 'SIGTERM');
});

async function complains({ child, stderr }: CliProcess, text: string): Promise<void> {
  while (!stderr().includes(text)) await once(child.stderr ?? child, 'data');
}
