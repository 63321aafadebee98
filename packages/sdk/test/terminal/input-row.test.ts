/*
 * What is typed: once, in order, never more than the gateway takes, and honest about what is not known.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type SocketClientMessage,
  runClientMessageSchema,
  socketMessageBytesMax,
} from '@clawdfather/protocol/api';
import { SdkError } from '../../src/errors.ts';
import { InputRow, pieceBytesMax, unacknowledgedBytesMax } from '../../src/terminal/input-row.ts';

type Input = Extract<SocketClientMessage, { type: 'terminal.input' }>;

function openRow({ isConnected = true } = {}) {
  const row = new InputRow();
  const sent: Input[] = [];
  const send = (message: SocketClientMessage): void => {
    assert.ok(JSON.stringify(message).length <= socketMessageBytesMax);
    runClientMessageSchema.parse(message);
    sent.push(message as Input);
  };
  const connect = (): void => row.connected(send);
  if (isConnected) connect();
  const texts = (): readonly string[] =>
    sent.map(({ data }) => Buffer.from(data, 'base64').toString());
  return { row, sent, connect, texts, idOf: (place: number) => sent[place]?.input_id ?? '' };
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/* A promise that is watched, so that its rejection is nobody's surprise. */
function watch(promise: Promise<void>) {
  const watched: { state: 'waiting' | 'done' | 'failed'; error?: unknown } = { state: 'waiting' };
  promise.then(
    () => void (watched.state = 'done'),
    (error: unknown) => void Object.assign(watched, { state: 'failed', error }),
  );
  return watched;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a write is done when the run has it', async () => {
  const { row, texts, idOf } = openRow();
  const [one, two] = [watch(row.write(bytesOf('a'))), watch(row.write(bytesOf('b')))];
  assert.deepEqual(texts(), ['a', 'b'], 'keys do not wait for each other');
  row.acknowledged(idOf(0));
  await settled();
  assert.deepEqual([one.state, two.state], ['done', 'waiting']);
  row.acknowledged(idOf(1));
  await settled();
  assert.equal(two.state, 'done');
});

test('a long write goes in pieces, a few at a time, and is done with the last', async () => {
  const { row, sent, idOf } = openRow();
  const bytes = Uint8Array.from({ length: pieceBytesMax * 5 + 7 }, (_, place) => place % 251);
  const write = watch(row.write(bytes));
  const end = watch(row.end());
  for (let acknowledged = 0; acknowledged < 7; acknowledged += 1) {
    const waiting = sent.slice(acknowledged);
    const waitingBytes = waiting.reduce((sum, { data }) => sum + (data.length / 4) * 3, 0);
    assert.ok(waiting.length > 0 && waitingBytes <= unacknowledgedBytesMax);
    await settled();
    assert.equal(write.state, acknowledged < 6 ? 'waiting' : 'done');
    row.acknowledged(idOf(acknowledged));
  }
  await settled();
  assert.equal(end.state, 'done');
  assert.equal(sent.length, 7);
  const whole = Buffer.concat(sent.map(({ data }) => Buffer.from(data, 'base64')));
  assert.deepEqual(whole, Buffer.from(bytes));
  assert.deepEqual(
    sent.map(({ eof }) => eof === true),
    [false, false, false, false, false, false, true],
  );
});

test('nothing typed is nothing sent', async () => {
  const { row, sent } = openRow();
  await row.write(new Uint8Array(0));
  assert.equal(sent.length, 0);
});

test('what was not sent waits for the next connection; what was not confirmed is never sent again', async () => {
  const { row, sent, texts, connect, idOf } = openRow({ isConnected: false });
  const early = watch(row.write(bytesOf('early')));
  assert.equal(sent.length, 0);
  connect();
  const long = watch(row.write(new Uint8Array(pieceBytesMax * 4)));
  const late = watch(row.write(bytesOf('late')));
  row.acknowledged(idOf(0));
  await settled();
  assert.equal(early.state, 'done');
  const before = sent.length;
  row.disconnected();
  await settled();
  assert.equal(long.state, 'failed');
  assert.ok(long.error instanceof SdkError && long.error.code === 'input-unconfirmed');
  assert.equal(late.state, 'waiting');
  row.acknowledged(idOf(1));
  connect();
  assert.deepEqual(texts().slice(before), ['late'], 'the rest of the long one is dropped');
  row.acknowledged(idOf(before));
  await settled();
  assert.equal(late.state, 'done');
});

test('a refusal is that of its own input', async () => {
  const { row, idOf } = openRow();
  const writes = ['a', 'b', 'c'].map((text) => watch(row.write(bytesOf(text))));
  const error = new SdkError('request-refused', 'no');
  row.refused(idOf(1), error);
  await settled();
  assert.deepEqual(
    writes.map(({ state }) => state),
    ['waiting', 'failed', 'waiting'],
  );
  row.refused(undefined, error);
  row.refused('unknown', error);
  await settled();
  assert.deepEqual(
    writes.map(({ state }) => state),
    ['failed', 'failed', 'waiting'],
    'without an id it is the oldest',
  );
});

test('a closed row refuses everything, for the first reason', async () => {
  const { row, sent } = openRow();
  const writes = [row.write(new Uint8Array(pieceBytesMax * 4)), row.end()].map(watch);
  const before = sent.length;
  const error = new Error('over');
  row.close(error);
  row.close(new Error('again'));
  const after = watch(row.write(bytesOf('x')));
  await settled();
  for (const write of [...writes, after]) assert.deepEqual(write, { state: 'failed', error });
  assert.equal(sent.length, before);
});
