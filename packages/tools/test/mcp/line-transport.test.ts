/*
 * A client that sends and does not read: what is queued for it stays bounded, and it gets every answer once it reads.
 */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { deferred } from '@clawdfather/kit';
import { openRequestsMax, unsentCharactersMax } from '../../src/mcp/limits.ts';
import { createLineTransport } from '../../src/mcp/line-transport.ts';

const requests = 5_000;
const answerCharacters = 20_000;

async function* requestsOf(count: number): AsyncGenerator<Uint8Array> {
  const inChunk = 500;
  for (let from = 0; from < count; from += inChunk) {
    const lines = Array.from({ length: inChunk }, (_, index) =>
      JSON.stringify({ jsonrpc: '2.0', id: from + index, method: 'tools/list' }),
    );
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

for (const kind of ['at once', 'later'] as const) {
  test(`answers that are given ${kind} and not read are queued up to a limit`, async () => {
    let [queued, queuedMax, open, openMax, answered] = [0, 0, 0, 0, 0];
    const held: (() => void)[] = [];
    const allAnswered = deferred();
    let isReading = false;
    const streams = {
      read: async function* () {
        yield* requestsOf(requests);
        // The end of input ends the connection.
        await allAnswered.promise;
      },
      write: async (line: string) => {
        queued += line.length;
        queuedMax = Math.max(queuedMax, queued);
        if (!isReading) await new Promise<void>((resolve) => held.push(resolve));
        queued -= line.length;
        answered += 1;
        if (answered === requests) allAnswered.resolve();
      },
    };
    const transport = createLineTransport(streams, () => {});
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    const answers: Promise<void>[] = [];
    const answer = (id: string | number): Promise<void> => {
      open -= 1;
      const text = 'x'.repeat(answerCharacters);
      return transport.send({ jsonrpc: '2.0', id, result: { text } });
    };
    transport.onmessage = (message) => {
      if (!('method' in message && 'id' in message)) return;
      open += 1;
      openMax = Math.max(openMax, open);
      const { id } = message;
      answers.push(kind === 'at once' ? answer(id) : nextTurn().then(() => answer(id)));
    };
    await transport.start();
    // Until nothing more comes: everything that could be read by now has been answered.
    for (let before = -1; before !== answers.length || open > 0; await nextTurn()) {
      before = answers.length;
      await nextTurn();
    }
    assert.ok(answers.length < requests, 'it has stopped reading');
    isReading = true;
    for (const release of held) release();
    await closed;
    await Promise.all(answers);
    assert.equal(answered, requests);
    const most = unsentCharactersMax + (openRequestsMax + 1) * (answerCharacters + 100);
    assert.ok(queuedMax <= most, `${queuedMax} were queued`);
    assert.ok(openMax <= openRequestsMax, `${openMax} were open`);
  });
}
