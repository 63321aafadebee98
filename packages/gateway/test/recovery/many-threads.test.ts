/*
 * Many conversations at once in a gateway with little memory: all of them end, and each of their events is there once. `npm test` takes some;
 * `npm run test:threads:long` takes 200.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { smallAgent, smallAnswer } from './small-agent.ts';

const count = Number(process.env['THREADS'] ?? 16);
const words = 40;
/* Of V8. What a gateway keeps of a thread has to fit in, many times. */
const heapMib = 96;

test(`${count} conversations at once: each answer is whole, each event is there once`, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-many-'));
  const lane = { activeMax: count, waitingMax: 2 * count, waitMsMax: 600_000 };
  const agents = {
    named: [{ name: 'small', command: smallAgent({ words }) }],
    sessionsMax: count + 1,
    queue: { agent: lane, account: lane, gateway: lane, memoryFloorBytes: 0 },
  };
  const gateway = await startGatewayProcess(directory, { agents }, { heapMib });
  try {
    const talks = await Promise.all(
      Array.from({ length: count }, async () => {
        const talk = createTalk(() => gateway.me);
        await talk.begin({ agent: 'small' });
        return talk;
      }),
    );
    // All at once, and two in each, so that some wait.
    const turns = await Promise.all(
      talks.map(async (talk) => [await talk.say('first'), await talk.say('second')]),
    );
    for (const [index, talk] of talks.entries()) {
      for (const [before, turn] of (turns[index] ?? []).entries()) {
        const { payload } = await talk.until(isEndOf(turn));
        assert.equal(payload['event'], 'completed', JSON.stringify(payload));
        assert.equal(talk.textOf(turn), smallAnswer(before + 1, words));
      }
      assert.deepEqual(
        talk.events.map(({ seq }) => seq),
        talk.events.map((_, place) => place + 1),
      );
    }
    const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
    const peakMib = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
    t.diagnostic(`${count} threads, ${Math.round(peakMib)} MiB at most`);
  } finally {
    await gateway.end('SIGTERM');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});
