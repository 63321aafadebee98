/*
 * A terminal over sockets that do what they are told, on a clock that stands still: connections that break, readers that are
 * slow, lines that go silent. Against a real gateway: packages/gateway/test/socket/sdk-terminal.test.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from '../../src/errors.ts';
import { queuedBytesMax } from '../../src/link/event-queue.ts';
import { openFakeLine, openLiveLine } from './fake-line.ts';
import { exit } from './messages.ts';

const run_id = 'r1';
const ended = { type: 'run_ended', run_id, exit } as const;
const bytes = Uint8Array.of(1, 2, 3);

test('it says who it is, asks for output from its cursor, and ends with the run', async () => {
  const { terminal, clock, socket, links, events } = openFakeLine({ token: 't', cursor: '7.0' });
  assert.equal(socket().url, 'wss://gateway.example:8420/ws/runs/r1');
  assert.equal(socket().binaryType, 'arraybuffer');
  socket().open();
  assert.deepEqual(socket().sent, [
    { type: 'auth', token: 't' },
    { type: 'terminal.attach', as: 'terminal', binary: true, cursor: '7.0' },
  ]);
  socket().attached('7.0');
  socket().output('8.0', bytes);
  socket().say(ended);
  assert.deepEqual(await events.next(), {
    done: false,
    value: { kind: 'output', stream: 'stdout', bytes, cursor: '8.0' },
  });
  assert.deepEqual((await events.next()).value, { kind: 'exit', exit });
  assert.equal((await events.next()).done, true);
  assert.deepEqual(
    links.map(({ kind }) => kind),
    ['connecting', 'live'],
  );
  assert.deepEqual(socket().calls, ['close 1000']);
  assert.equal(clock.pendingTimers, 0);
  await assert.rejects(terminal.write(bytes), (error) => {
    assert.ok(error instanceof RefusedError);
    return error.refusal.code === 'not_running' && error.refusal.status === 409;
  });
});

test('a page sends no token, and a viewer asks for no place', () => {
  const { socket } = openFakeLine({ as: 'viewer' });
  socket().open();
  assert.deepEqual(socket().sent, [
    { type: 'auth' },
    { type: 'terminal.attach', as: 'viewer', binary: true },
  ]);
});

test('a lost connection is opened again from the last cursor, later and later', async () => {
  const { clock, sockets, socket, links, events } = openLiveLine();
  socket().say({ type: 'terminal.answers', run_id, cursor: '1.0' });
  socket().output('2.0', bytes);
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = sockets.length;
    socket().lost(1001);
    assert.deepEqual(links.at(-1), { kind: 'lost', retryInMs: waitMs });
    await clock.advance(waitMs - 1);
    assert.equal(sockets.length, before);
    await clock.advance(1);
    assert.equal(sockets.length, before + 1);
    socket().open();
    assert.deepEqual(socket().sent[1], {
      type: 'terminal.attach',
      as: 'terminal',
      binary: true,
      cursor: '2.0',
    });
    socket().attached('2.0');
  }
  socket().output('3.0', bytes);
  socket().lost();
  assert.deepEqual(links.at(-1), { kind: 'lost', retryInMs: 1_000 }, 'a good one counts anew');
  const kinds: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    const { value } = await events.next();
    kinds.push(value?.kind === 'answers' ? [value.kind, value.isOurs] : value?.kind);
  }
  assert.deepEqual(kinds, [['answers', true], 'output', ['answers', false], 'output']);
});

test('who is asked where to go on after a loss goes on there, after what was heard before', async () => {
  let asked = 0;
  const rejoinAt = async (): Promise<string> => {
    asked += 1;
    if (asked === 1) return '9.0';
    throw new Error('no picture');
  };
  const { clock, socket, events } = openLiveLine({ rejoinAt });
  socket().output('2.0', bytes);
  assert.equal(asked, 0, 'the first time nobody is asked');
  const attachedAt: unknown[] = [];
  for (const cursor of ['9.0', '11.0']) {
    socket().lost(1001);
    await clock.advance(1_000);
    socket().open();
    while (socket().sent.length < 2) await clock.advance(0);
    attachedAt.push(socket().sent[1]);
    socket().attached(cursor);
    socket().output(cursor === '9.0' ? '11.0' : '12.0', bytes);
  }
  const attach = { type: 'terminal.attach', as: 'terminal', binary: true };
  assert.deepEqual(attachedAt, [
    { ...attach, cursor: '9.0' },
    { ...attach, cursor: '11.0' },
  ]);
  const heard: unknown[] = [];
  for (let count = 0; count < 5; count += 1) {
    const { value } = await events.next();
    heard.push([value?.kind, value !== undefined && 'cursor' in value ? value.cursor : undefined]);
  }
  assert.deepEqual(heard, [
    ['output', '2.0'],
    ['rejoined', '9.0'],
    ['output', '11.0'],
    ['rejoined', '11.0'],
    ['output', '12.0'],
  ]);
});

test('a heartbeat every 30 s; a line that answers none is given up after 60', async () => {
  const { clock, sockets, socket, links } = openLiveLine();
  await clock.advance(30_000);
  assert.equal(socket().typesSent().at(-1), 'heartbeat');
  socket().say({ type: 'heartbeat_ack', server_time: '2026-01-01T00:00:00.000Z' });
  await clock.advance(59_999);
  assert.equal(sockets.length, 1);
  assert.equal(links.at(-1)?.kind, 'live');
  await clock.advance(1);
  assert.equal(links.at(-1)?.kind, 'lost');
  assert.deepEqual(sockets[0]?.calls, ['close undefined']);
  await clock.advance(1_000);
  assert.equal(sockets.length, 2);
  await clock.advance(15_000);
  assert.equal(links.at(-1)?.kind, 'lost', 'one that does not open has less time');
});

test('refusals are thrown with the API’s code, after what was heard', async () => {
  for (const [code, status] of [
    ['not_found', 404],
    ['unauthorized', 401],
    ['forbidden', 403],
  ] as const) {
    const { terminal, clock, socket, events } = openLiveLine();
    socket().output('1.0', bytes);
    const writing = assert.rejects(terminal.write(bytes), { code: 'request-refused' });
    socket().say({ type: 'error', code, message: 'no', about: 'terminal.attach' });
    assert.equal((await events.next()).value?.kind, 'output');
    await assert.rejects(events.next(), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.deepEqual([error.refusal.code, error.refusal.status], [code, status]);
      return true;
    });
    await writing;
    assert.equal(clock.pendingTimers, 0);
  }
});

test('a socket that says why it was refused is believed', async () => {
  const refusal = {
    code: 'origin_refused',
    status: 403,
    traceId: undefined,
    retryAfterMs: undefined,
  };
  const error = new RefusedError('no', { refusal, detail: {} });
  const { socket, events } = openFakeLine();
  socket().lost(1006, error);
  await assert.rejects(events.next(), error);

  const busy = openFakeLine();
  const later = new RefusedError('later', { refusal: { ...refusal, status: 503 }, detail: {} });
  busy.socket().lost(1006, later);
  assert.equal(busy.links.at(-1)?.kind, 'lost');
  busy.terminal.close();
});

test('input that was on its way is not sent again; what had not left is', async () => {
  const { terminal, clock, socket } = openLiveLine();
  const sent = assert.rejects(terminal.write(bytes), { code: 'input-unconfirmed' });
  socket().lost();
  await sent;
  const waiting = terminal.write(Buffer.from('x'));
  terminal.resize({ cols: 80, rows: 24 });
  terminal.resize({ cols: 90, rows: 30 });
  await clock.advance(1_000);
  socket().open();
  assert.ok(!socket().typesSent().includes('terminal.input'), 'not before its place is taken');
  socket().attached();
  assert.deepEqual(socket().sent.slice(2), [
    { type: 'terminal.resize', cols: 90, rows: 30 },
    { type: 'terminal.input', data: 'eA==', encoding: 'base64', input_id: '2' },
  ]);
  socket().say({ type: 'terminal.input_ack', run_id, input_id: '2' });
  await waiting;
  terminal.close();
});

test('input that ends the run is not confirmed, input that waited behind it is refused', async () => {
  const { terminal, socket } = openLiveLine();
  const last = assert.rejects(terminal.write(bytes), { code: 'input-unconfirmed' });
  const tooLong = new Uint8Array(1024 * 1024);
  const half = assert.rejects(terminal.write(tooLong), { code: 'input-unconfirmed' });
  const behind = assert.rejects(terminal.end(), { code: 'request-refused' });
  socket().say(ended);
  await Promise.all([last, half, behind]);
});

test('a refused input rejects its write, a refused size is an event', async () => {
  const { terminal, socket, events } = openLiveLine();
  const error = { type: 'error', code: 'forbidden', message: 'no' } as const;
  const writing = assert.rejects(terminal.end(), { code: 'request-refused' });
  socket().say({ ...error, about: 'terminal.input', input_id: '1' });
  await writing;
  terminal.resize({ cols: 1, rows: 1 });
  socket().say({ ...error, about: 'terminal.resize' });
  const about = 'terminal.resize';
  assert.deepEqual((await events.next()).value, {
    kind: 'refused',
    about,
    code: 'forbidden',
    message: 'no',
  });
  terminal.close();
});

test('a size that was fitted is over with its connection, and is not asked for again by itself', async () => {
  const { terminal, clock, socket, events } = openLiveLine();
  const size = { cols: 45, rows: 28 };
  terminal.fit(size);
  assert.deepEqual(socket().sent.at(-1), { type: 'terminal.fit', ...size });
  socket().say({ type: 'terminal.fitted', run_id, size });
  assert.deepEqual((await events.next()).value, { kind: 'fit', size });
  socket().lost();
  assert.deepEqual((await events.next()).value, { kind: 'fit', size: undefined });
  terminal.fit(size);
  assert.deepEqual((await events.next()).value, { kind: 'fit', size: undefined }, 'not now');
  terminal.unfit();
  await clock.advance(1_000);
  socket().open();
  socket().attached();
  assert.deepEqual(socket().typesSent(), ['auth', 'terminal.attach']);
  terminal.unfit();
  assert.deepEqual(socket().sent.at(-1), { type: 'terminal.unfit' });
  terminal.close();
});

test('a slow reader: a socket that can pause is paused, and its silence is not held against it', async () => {
  const { terminal, clock, socket, sockets, events } = openLiveLine({ canPause: true });
  const piece = new Uint8Array(64 * 1024);
  let pushed = 0;
  for (; socket().calls.length === 0; pushed += 1) socket().output(`${pushed + 1}.0`, piece);
  assert.ok(pushed * piece.length <= queuedBytesMax);
  assert.deepEqual(socket().calls, ['pause']);
  await clock.advance(300_000);
  assert.equal(sockets.length, 1);
  for (let read = 0; read < pushed; read += 1) await events.next();
  assert.deepEqual(socket().calls, ['pause', 'resume']);
  await clock.advance(59_999);
  assert.equal(sockets.length, 1);
  await clock.advance(1_001);
  assert.equal(sockets.length, 2, 'from then on it is');
  terminal.close();
});

test('a slow reader: one that cannot is asked for no more output, and for the rest later', async () => {
  const { terminal, socket, events } = openLiveLine();
  socket().say({ type: 'terminal.answers', run_id, cursor: '0.5' });
  const piece = new Uint8Array(64 * 1024);
  let pushed = 0;
  const isDetached = (): boolean => socket().typesSent().includes('terminal.detach');
  for (; !isDetached(); pushed += 1) socket().output(`${pushed + 1}.0`, piece);
  assert.ok(pushed * piece.length <= queuedBytesMax);
  // What was on its way, and even the end of the run, comes again.
  socket().output('99.0', piece);
  socket().say(ended);
  const writing = terminal.write(bytes);
  socket().say({ type: 'terminal.input_ack', run_id, input_id: '1' });
  await writing;
  const seen: unknown[] = [];
  for (let read = 0; read < pushed + 2; read += 1) {
    const { value } = await events.next();
    seen.push(value?.kind === 'answers' ? value.isOurs : value?.kind);
  }
  assert.deepEqual(seen, [true, ...Array.from({ length: pushed }, () => 'output'), false]);
  const attach = { type: 'terminal.attach', as: 'terminal', binary: true, cursor: `${pushed}.0` };
  assert.deepEqual(socket().sent.at(-1), attach);
  socket().output('99.0', piece);
  socket().attached(`${pushed}.0`);
  socket().output(`${pushed + 1}.0`, bytes);
  socket().say(ended);
  assert.deepEqual((await events.next()).value, {
    kind: 'output',
    stream: 'stdout',
    bytes,
    cursor: `${pushed + 1}.0`,
  });
  assert.equal((await events.next()).value?.kind, 'exit');
});

test('a slow reader whose run ended meanwhile comes again for the rest', async () => {
  const { clock, sockets, socket, events } = openLiveLine();
  const piece = new Uint8Array(queuedBytesMax);
  socket().output('1.0', piece);
  assert.equal(socket().typesSent().at(-1), 'terminal.detach');
  socket().say(ended);
  socket().lost(1000);
  await clock.advance(1_000);
  assert.equal(sockets.length, 2);
  socket().open();
  assert.deepEqual(socket().typesSent(), ['auth'], 'while it is behind it asks for nothing');
  await events.next();
  assert.deepEqual(socket().typesSent(), ['auth', 'terminal.attach']);
  socket().attached('1.0');
  socket().say(ended);
  assert.equal((await events.next()).value?.kind, 'exit');
});

test('leaving the loop closes it, and so does close', async () => {
  const { terminal, clock, socket } = openLiveLine();
  socket().output('1.0', bytes);
  for await (const _event of terminal) break;
  assert.deepEqual(socket().calls, ['close 1000']);
  assert.equal(clock.pendingTimers, 0);

  const other = openLiveLine();
  const writing = assert.rejects(other.terminal.write(bytes), { code: 'terminal-closed' });
  const reading = other.events.next();
  other.terminal.close();
  await writing;
  assert.equal((await reading).done, true);
  assert.equal(other.clock.pendingTimers, 0);
});

test('it can be closed between two connections', async () => {
  const { terminal, clock, socket, sockets } = openLiveLine();
  socket().lost();
  terminal.close();
  await clock.advance(60_000);
  assert.equal(sockets.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('an aborted reader gets its reason', async () => {
  const aborting = new AbortController();
  const { terminal, socket, events, clock } = openLiveLine({ signal: aborting.signal });
  socket().output('1.0', bytes);
  const reason = new Error('enough');
  const writing = assert.rejects(terminal.write(bytes), reason);
  aborting.abort(reason);
  await assert.rejects(events.next(), reason);
  await writing;
  assert.equal(clock.pendingTimers, 0);

  const { events: late, sockets } = openFakeLine({ signal: aborting.signal });
  await assert.rejects(late.next(), reason);
  assert.equal(sockets.length, 0);
});

test('a message that is not as documented ends it', async () => {
  const { socket, events } = openLiveLine();
  socket().output('', new Uint8Array(0));
  await events.next();
  socket().say({ type: 'run_ended', run_id } as never);
  await assert.rejects(events.next(), { code: 'answer-invalid' });
});
