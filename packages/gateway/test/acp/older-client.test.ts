/*
 * A client of the older kind, played against a real gateway with an agent: it starts, loses its stream, sends again, polls, approves, and
 * downloads, while the gateway is killed in between.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { recording, type Step } from './older-client.ts';
import { createRpc, type Message } from './rpc-client.ts';

/* How often the client asks; it waits for what is not told to it. */
const pollMs = 50;
const clock = createSystemClock();

class OlderClient {
  readonly #known = new Map<string, string>();
  gateway: GatewayProcess;

  constructor(gateway: GatewayProcess, known: Readonly<Record<string, string>>) {
    this.gateway = gateway;
    for (const [name, value] of Object.entries(known)) this.#known.set(name, value);
  }

  get(name: string): string {
    const value = this.#known.get(name);
    assert.ok(value !== undefined, `nothing was kept as ${name}`);
    return value;
  }

  async play(step: Step): Promise<void> {
    const { method = '' } = step;
    const rpc = createRpc(this.gateway.url, this.gateway.token);
    const params = this.#fill(step.params ?? {}) as object;
    if (step.does === 'stream') {
      await using stream = await rpc.stream(method, params);
      const events: string[] = [];
      let last: Message;
      for (let next = await stream.next(); next !== undefined; next = await stream.next()) {
        last = next.params ?? next.result;
        assert.equal(next.error, undefined, JSON.stringify(next));
        if (next.params?.type === 'task') events.push(next.params.event);
        if (next.params !== undefined && next.params.event === step.losesItAfter) break;
      }
      if (step.events !== undefined) assert.deepEqual(events, step.events);
      this.#check(step, last);
      return;
    }
    for (;;) {
      const result = await rpc.result(method, params);
      const isThere =
        step.does === 'call' ||
        (step.until === undefined ? this.#fits(step, result) : step.until.includes(result.status));
      if (isThere) {
        this.#check(step, result);
        return;
      }
      await clock.sleep(pollMs);
    }
  }

  #fits({ expects = {} }: Step, answer: Message): boolean {
    return Object.entries(expects).every(([path, value]) => at(answer, path) === this.#fill(value));
  }

  #check({ expects = {}, keeps = {} }: Step, answer: Message): void {
    for (const [path, value] of Object.entries(expects)) {
      // `undefined` would be equal to whatever is not there.
      assert.ok(value !== undefined, `${path} is expected to be nothing`);
      assert.equal(at(answer, path), this.#fill(value), `${path} in ${JSON.stringify(answer)}`);
    }
    for (const [name, path] of Object.entries(keeps)) {
      const value = at(answer, path);
      assert.ok(typeof value === 'string', `${path} in ${JSON.stringify(answer)}`);
      this.#known.set(name, value);
    }
  }

  #fill(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.get(value.slice(1));
    if (Array.isArray(value)) return value.map((one) => this.#fill(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, one]) => [name, this.#fill(one)]);
    return Object.fromEntries(entries);
  }
}

function at(answer: Message, path: string): unknown {
  return path.split('.').reduce((part, name) => part?.[name], answer);
}

test('a client of before starts, loses its stream and its gateway, polls, approves, downloads', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-older-'));
  const work = join(directory, 'work');
  await mkdir(work);
  const client = new OlderClient(await startGatewayProcess(directory), { directory: work });
  const text = 'written while the agent worked\n';
  try {
    for (const step of recording) {
      if (step.does === 'kill-gateway') {
        await client.gateway.end('SIGKILL');
        client.gateway = await startGatewayProcess(directory);
      } else if (step.does === 'write-file') {
        await mkdir(join(work, 'reports'));
        await writeFile(join(work, 'reports/report.txt'), text);
      } else if (step.does === 'download') {
        // By its address alone: it is signed.
        const file = await fetch(new URL(client.get('address'), client.gateway.url));
        const bytes = Buffer.from(await file.arrayBuffer());
        assert.equal(bytes.toString(), text);
        assert.equal(createHash('sha256').update(bytes).digest('hex'), client.get('sha256'));
      } else await client.play(step);
    }
    // A client of today is told the difference.
    const today = createRpc(client.gateway.url, client.gateway.token);
    const task = await today.result('tasks.get', { turnId: client.get('crashed') });
    assert.deepEqual([task.status, task.result.status], ['interrupted', 'interrupted']);
  } finally {
    await client.gateway.end('SIGTERM');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});
