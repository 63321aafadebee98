/*
 * J1: a journal that was cut, deleted or altered on disk is told to pages, streams, sockets and agents, and never reads as if
 * the run had said no more.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket } from '../socket/fixtures.ts';

const total = 300_000;

interface Ended {
  readonly rig: TestGateway;
  readonly me: ApiCaller;
  readonly runId: string;
  readonly runDir: string;
  readonly segment: string;
}

async function endedRun(rig: TestGateway): Promise<Ended> {
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: `head -c ${total} /dev/zero | tr '\\0' x` });
  await me.untilEnded(runId);
  const runDir = join(rig.config.stateDir, 'runs', runId);
  const [name = ''] = readdirSync(runDir).filter((one) => one.startsWith('j-'));
  return { rig, me, runId, runDir, segment: join(runDir, name) };
}

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes[place]! ^= 0xff;
  writeFileSync(path, bytes);
}

interface Seen {
  readonly bytes: number;
  /* Names of what was told beside output and the exit. */
  readonly told: readonly string[];
}

async function byPages({ me, runId }: Ended): Promise<Seen> {
  let bytes = 0;
  let cursor = '0.0';
  const told: string[] = [];
  for (;;) {
    const path = `/api/v1/runs/${runId}/output?encoding=base64&limit=100000&cursor=${cursor}`;
    const { status, body } = await me.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    bytes += Buffer.byteLength(body.text, 'base64');
    if (body.isTailLost) told.push('tail-lost');
    else if (body.damagedBytes > 0) told.push('damaged');
    cursor = body.cursor;
    if (body.hasEnded) return { bytes, told };
  }
}

async function byStream({ me, runId }: Ended): Promise<Seen> {
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  const told: string[] = [];
  let bytes = 0;
  for (;;) {
    const event = await events.next();
    assert.ok(event !== undefined, 'the exit comes last');
    if (event.event === 'exit') return { bytes, told };
    if (event.event === 'output') bytes += Buffer.byteLength(event.data.data, 'base64');
    else told.push(event.event);
  }
}

async function bySocket({ rig, runId }: Ended): Promise<Seen> {
  await using socket = await openRunSocket(rig, runId);
  socket.send({ type: 'terminal.attach' });
  await socket.closed;
  const kinds = socket.messages.map(({ type }) => type);
  assert.equal(kinds.at(-1), 'run_ended');
  const told = kinds.filter((type) => type === 'damaged' || type === 'tail_lost');
  return { bytes: socket.output().length, told: told.map((type) => type.replace('_', '-')) };
}

const harms: Readonly<
  Record<string, { readonly harm: (ended: Ended) => void; readonly told: readonly string[] }>
> = {
  'a flipped byte': { harm: ({ segment }) => flip(segment, 100_000), told: ['damaged'] },
  'a cut': { harm: ({ segment }) => truncateSync(segment, 100_000), told: ['tail-lost'] },
  'a deleted segment': { harm: ({ segment }) => rmSync(segment), told: ['tail-lost'] },
  'a deleted directory': {
    harm: ({ runDir }) => rmSync(runDir, { recursive: true }),
    told: ['tail-lost'],
  },
};

for (const [name, { harm, told }] of Object.entries(harms)) {
  test(`${name} is told to pages, streams and sockets`, async () => {
    await using rig = await openTestGateway();
    const ended = await endedRun(rig);
    harm(ended);
    for (const read of [byPages, byStream, bySocket]) {
      const seen = await read(ended);
      assert.deepEqual(seen.told, told, read.name);
      assert.ok(seen.bytes < total, `${read.name}: ${seen.bytes} bytes`);
    }
  });
}
