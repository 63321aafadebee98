/*
 * The SDK's terminal against real gateways: ones that are killed, behind connections that are cut, with readers that are slow.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, hasCode } from '@clawdfather/kit';
import {
  createClient,
  type LinkState,
  openTerminal,
  RefusedError,
  type Terminal,
  type TerminalEvent,
  type WebSocketLike,
} from '@clawdfather/sdk';
import { openCuttingProxy } from '@clawdfather/testkit';
import { WebSocket as WsSocket } from 'ws';
import { callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { hasty } from './hasty.ts';
import { startRun } from './fixtures.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const textOf = (event: TerminalEvent): string =>
  event.kind === 'output' ? Buffer.from(event.bytes).toString() : '';

/* Reads on until all of it was said. */
async function untilSaid(terminal: Terminal, word: string): Promise<string> {
  let said = '';
  const events = terminal[Symbol.asyncIterator]();
  while (!said.includes(word)) {
    const { value, done } = await events.next();
    if (done === true) throw new Error(`it ended without ${word}: ${said}`);
    said += textOf(value);
  }
  return said;
}

async function untilEvent<Kind extends TerminalEvent['kind']>(
  terminal: Terminal,
  kind: Kind,
): Promise<Extract<TerminalEvent, { kind: Kind }>> {
  const events = terminal[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) throw new Error(`it ended without ${kind}`);
    if (value.kind === kind) return value as Extract<TerminalEvent, { kind: Kind }>;
  }
}

/* Everything that is said, to the end. */
async function readAll(terminal: Terminal) {
  const hash = createHash('sha256');
  let bytes = 0;
  let code: number | null | undefined;
  const losses: TerminalEvent[] = [];
  for await (const event of terminal) {
    if (event.kind === 'output') {
      hash.update(event.bytes);
      bytes += event.bytes.length;
    } else if (event.kind === 'exit') code = event.exit.code;
    else if (event.kind !== 'answers' && event.kind !== 'resize') losses.push(event);
  }
  return { bytes, hash: hash.digest('hex'), code, losses };
}

/* What `seq 1 n` says, n lines. */
function countedLines(count: number) {
  const text = Array.from({ length: count }, (_, place) => `${place + 1}\n`).join('');
  return { bytes: text.length, hash: createHash('sha256').update(text).digest('hex') };
}

test('a terminal is painted, answers from its arrival on, types, changes its size and sees the end', async () => {
  await using rig = await openTestGateway();
  const command =
    'stty -echo; printf \'ready \'; read x; printf "<$x>"; read y; stty size; read z; exit 3';
  const runId = await startRun(rig, { command, pty: true });
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const at = { params: { id: runId }, query: { picture: 'true' } } as const;
  let painted = await client.runs.screen(at);
  while (!painted.lines.includes('ready')) painted = await client.runs.screen(at);
  const { text = '', cursor = '' } = painted.picture ?? {};
  assert.match(text, /ready/);
  using terminal = openTerminal({ client, runId, cursor }, { clock, random });
  assert.equal((await untilEvent(terminal, 'answers')).isOurs, true);
  await terminal.write(Buffer.from('typed\n'));
  assert.equal(
    await untilSaid(terminal, '<typed>'),
    '<typed>',
    'what was painted does not come again',
  );
  terminal.resize({ cols: 61, rows: 11 });
  const { cols, rows } = await untilEvent(terminal, 'resize');
  assert.deepEqual([cols, rows], [61, 11]);
  await terminal.write(Buffer.from('\n'));
  await untilSaid(terminal, '11 61');
  // The end of the run may overtake the confirmation of the key that ended it.
  const [, { exit }] = await Promise.all([
    terminal.write(Buffer.from('\n')).catch((error: unknown) => {
      assert.ok(hasCode(error, 'input-unconfirmed'), String(error));
    }),
    untilEvent(terminal, 'exit'),
  ]);
  assert.equal(exit.code, 3);
  await assert.rejects(terminal.write(Buffer.from('x')), { code: 'request-refused' });
});

test('a gateway that is killed and started again in the middle of output loses and doubles nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-terminal-'));
  try {
    let gateway = await startGatewayProcess(directory);
    await using proxy = await openCuttingProxy(gateway.url);
    const count = 2_000_000;
    const runId = await gateway.me.start({
      command: `read go; seq 1 ${count}; read end`,
      background: true,
    });
    const client = createClient({ baseUrl: proxy.url, token: gateway.token });
    const states: LinkState['kind'][] = [];
    const onLink = ({ kind }: LinkState): void => void states.push(kind);
    using terminal = openTerminal({ client, runId }, { ...hasty, onLink });
    await terminal.write(Buffer.from('go\n'));
    const hash = createHash('sha256');
    const expected = countedLines(count);
    let bytes = 0;
    let kills = 0;
    for await (const event of terminal) {
      if (event.kind === 'exit') break;
      if (event.kind !== 'output') continue;
      hash.update(event.bytes);
      bytes += event.bytes.length;
      if (kills < 2 && bytes > (expected.bytes / 3) * (kills + 1)) {
        kills += 1;
        await gateway.end('SIGKILL');
        gateway = await startGatewayProcess(directory);
        proxy.target(gateway.url);
      }
      if (bytes === expected.bytes) terminal.end().catch(() => {});
    }
    assert.equal(kills, 2);
    assert.deepEqual({ bytes, hash: hash.digest('hex') }, expected);
    assert.ok(states.filter((kind) => kind === 'lost').length >= 2);
    assert.equal(states.at(-1), 'live');
    await gateway.end('SIGTERM');
  } finally {
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

test('a connection that is cut again and again carries everything, once', async () => {
  await using rig = await openTestGateway();
  await using proxy = await openCuttingProxy(rig.url);
  proxy.cutAfter(700_001);
  const count = 1_000_000;
  const runId = await startRun(rig, { command: `seq 1 ${count}` });
  const client = createClient({ baseUrl: proxy.url, token: rig.owner.token });
  const seen = await readAll(openTerminal({ client, runId, as: 'viewer' }, hasty));
  assert.deepEqual(seen, { ...countedLines(count), code: 0, losses: [] });
  assert.ok(proxy.connections >= 8, `${proxy.connections} connections`);
});

test('what was typed into a cut connection is not typed again, and its place is taken anew', async () => {
  await using rig = await openTestGateway();
  await using proxy = await openCuttingProxy(rig.url);
  const command = 'stty -echo -icanon; echo ready; while read line; do echo "<$line>"; done';
  const runId = await startRun(rig, { command, pty: true });
  const client = createClient({ baseUrl: proxy.url, token: rig.owner.token });
  using terminal = openTerminal({ client, runId }, hasty);
  assert.equal((await untilEvent(terminal, 'answers')).isOurs, true);
  await terminal.write(Buffer.from('one\n'));
  // From here on the acknowledgement of what is typed cannot come back.
  proxy.cutAfter(0);
  const lost = assert.rejects(terminal.write(Buffer.from('two\n')), { code: 'input-unconfirmed' });
  await lost;
  proxy.cutAfter(undefined);
  await terminal.write(Buffer.from('three\n'));
  let said = '';
  const roles: boolean[] = [];
  for await (const event of terminal) {
    said += textOf(event);
    if (event.kind === 'answers') roles.push(event.isOurs);
    if (said.includes('<three>') && roles.at(-1) === true) break;
  }
  assert.deepEqual(roles, [false, true]);
  const lines = said.match(/<\w+>/g) ?? [];
  assert.deepEqual(
    lines.filter((line) => line !== '<two>'),
    ['<one>', '<three>'],
  );
  assert.ok(lines.filter((line) => line === '<two>').length <= 1);
});

test('a slow reader gets every byte, whether its socket can pause or not', async () => {
  await using rig = await openTestGateway();
  const count = 3_000_000;
  const expected = { ...countedLines(count), code: 0, losses: [] };
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  for (const open of [openPausing, openDetaching]) {
    const runId = await startRun(rig, { command: `read go; seq 1 ${count}` });
    const { promise: isHeldBack, resolve } = Promise.withResolvers<void>();
    const socket = (url: string) => open(url, resolve);
    const terminal = openTerminal({ client, runId }, { clock, random, socket });
    await terminal.write(Buffer.from('go\n'));
    await isHeldBack;
    assert.deepEqual(await readAll(terminal), expected);
  }
});

function openPausing(url: string, onHeldBack: () => void): WebSocketLike {
  const ws = new WsSocket(url);
  const pause = ws.pause.bind(ws);
  ws.pause = () => {
    pause();
    onHeldBack();
  };
  return ws;
}

function openDetaching(url: string, onHeldBack: () => void): WebSocketLike {
  const ws = new WebSocket(url);
  const send = ws.send.bind(ws);
  ws.send = (data) => {
    send(data);
    if (typeof data === 'string' && data.includes('terminal.detach')) onHeldBack();
  };
  return ws;
}

test('a lot of input waits for a program that does not read yet, and arrives whole', async () => {
  await using rig = await openTestGateway();
  const input = Buffer.alloc(3_000_000, 'what is typed arrives in order and once\n');
  const runId = await startRun(rig, { command: 'sleep 1; sha256sum' });
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  using terminal = openTerminal({ client, runId }, { clock, random });
  const typing = terminal.write(input);
  // The end of the run may overtake the confirmation of the end of its input.
  terminal.end().catch(() => {});
  await typing;
  const said = await untilSaid(terminal, '\n');
  assert.equal(said.split(' ')[0], createHash('sha256').update(input).digest('hex'));
  assert.equal((await untilEvent(terminal, 'exit')).exit.code, 0);
});

test('refusals come with the API’s code', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'read x' });
  const me = callerOf(rig.url, rig.owner.token);
  const made = await me.post('/api/v1/auth/tokens', { label: 'looks', scopes: ['read'] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const reader: string = made.body.token;
  const open = (token: string | undefined, id = runId, as: 'terminal' | 'viewer' = 'terminal') =>
    openTerminal(
      {
        client: createClient({ baseUrl: rig.url, ...(token === undefined ? {} : { token }) }),
        runId: id,
        as,
      },
      { clock, random },
    );
  const codeOf = async (terminal: Terminal): Promise<string> => {
    const error: unknown = await terminal[Symbol.asyncIterator]()
      .next()
      .catch((thrown) => thrown);
    assert.ok(error instanceof RefusedError, String(error));
    return error.refusal.code;
  };
  assert.equal(await codeOf(open(rig.owner.token, 'nosuchrun')), 'not_found');
  assert.equal(await codeOf(open(rig.other.token)), 'not_found');
  assert.equal(await codeOf(open('clf_nonsense')), 'unauthorized');
  assert.equal(await codeOf(open(undefined)), 'unauthorized');
  assert.equal(await codeOf(open(reader)), 'forbidden');
  using viewer = open(reader, runId, 'viewer');
  await assert.rejects(viewer.write(Buffer.from('x')), (error) => {
    return error instanceof RefusedError && error.refusal.code === 'forbidden';
  });
  viewer.resize({ cols: 10, rows: 10 });
  assert.equal((await untilEvent(viewer, 'refused')).code, 'forbidden');
});
