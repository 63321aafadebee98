/*
 * Input for a run of a gateway over a connection that breaks: sent again at its place where the run is ours alone, told as lost
 * where others type into it as well.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, SdkError } from '@clawdfather/sdk';
import type { RunId } from '@clawdfather/supervisor';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { createInputSender } from '../../src/place/gateway/input-sender.ts';

interface Sent {
  readonly offset?: number;
  readonly data: string;
  readonly eof: boolean;
}

/* A gateway that does not answer the requests of these numbers, counted from 0. It has taken what they brought. */
function senderOver(broken: readonly number[], isOurs: boolean) {
  const sent: Sent[] = [];
  const lost: number[] = [];
  const clock = createFakeClock();
  let inputOffset = 0;
  const input = async ({ body }: { readonly body: Sent }) => {
    const bytes = Buffer.from(body.data, 'base64').length;
    const isNew = body.offset === undefined || body.offset === inputOffset;
    if (isOurs && isNew) inputOffset += bytes;
    sent.push(body);
    if (broken.includes(sent.length - 1)) throw new SdkError('gateway-unreachable', 'no answer');
    return { bytes, inputOffset, isEof: body.eof, isDelivered: true };
  };
  const sender = createInputSender({
    client: { runs: { input } } as unknown as Client,
    clock,
    random: createSeededRandom(1),
    runId: 'r1' as RunId,
    isOurs,
    isTerminal: false,
    closing: new AbortController().signal,
    onLost: (bytes) => void lost.push(bytes),
  });
  const texts = () => sent.map(({ data }) => Buffer.from(data, 'base64').toString());
  return { sender, clock, sent, lost, texts };
}

test('ours alone: what was not answered is sent again at the same place, before what follows', async () => {
  const { sender, clock, sent, lost, texts } = senderOver([0, 1], true);
  const all = Promise.all([
    sender.send(Buffer.from('one')),
    sender.send(Buffer.from('two')),
    sender.end(),
  ]);
  await clock.advance(60_000);
  await all;
  assert.deepEqual(texts(), ['one', 'one', 'one', 'two', '']);
  assert.deepEqual(
    sent.map(({ offset, eof }) => [offset, eof]),
    [
      [0, false],
      [0, false],
      [0, false],
      [3, false],
      [6, true],
    ],
  );
  assert.deepEqual(lost, []);
});

test('not ours alone: it is sent once, told as lost, and what follows goes on', async () => {
  const { sender, sent, lost, texts } = senderOver([1], false);
  for (const text of ['one', 'two', 'three']) await sender.send(Buffer.from(text));
  assert.deepEqual(texts(), ['one', 'two', 'three']);
  assert.ok(sent.every(({ offset }) => offset === undefined));
  assert.deepEqual(lost, [3]);
});
