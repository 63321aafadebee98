/*
 * J1: a journal that was cut, deleted or altered on disk never reads as if it had simply ended: real runs, real files, every way
 * to read, whether the run has ended or goes on.
 */
import assert from 'node:assert/strict';
import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ManagedRun, OutputEvent, RunId } from '@clawdfather/supervisor';
import { isAlive, untilTrue } from './process-table.ts';
import { clock, createRig, patienceMs, type Rig } from './rig.ts';

/* Segments of 16 KiB, and more of them than one: the ring is far from full. */
const journal = { mode: 'ring', bytesMax: 64 * 1024 } as const;
const pieceBytes = 1_000;
const pieces = 40;
const total = pieces * pieceBytes;
/* A piece for each line. */
const script = `i=0; while [ $i -lt ${pieces} ] && read line; do head -c ${pieceBytes} /dev/zero | tr "\\0" x; i=$((i+1)); done`;

interface Ended {
  readonly rig: Rig;
  readonly runId: RunId;
  readonly segments: readonly string[];
  readonly runDir: string;
}

async function endedRun(t: TestContext): Promise<Ended> {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(rig.sh(script, { journal }));
  await sayInPieces(run);
  await run.wait();
  await run.waitTree();
  await supervisor.close();
  const runDir = join(rig.stateDir, 'runs', run.runId);
  const segments = readdirSync(runDir)
    .filter((name) => name.startsWith('j-'))
    .sort();
  assert.ok(segments.length >= 2, `${segments.length} segments`);
  return { rig, runId: run.runId, runDir, segments: segments.map((name) => join(runDir, name)) };
}

/* One after the other: the shim puts all that it finds into one frame, so the frames would differ with the load of the machine. */
async function sayInPieces(run: ManagedRun): Promise<void> {
  let bytes = 0;
  await run.write('\n');
  for await (const event of run.output()) {
    if (event.kind === 'output') bytes += event.bytes.length;
    if (bytes === total) break;
    if (bytes % pieceBytes === 0) await run.write('\n');
  }
}

async function seenBy(events: AsyncIterable<OutputEvent>) {
  let bytes = 0;
  const told: string[] = [];
  for await (const event of events) {
    if (event.kind === 'output') bytes += event.bytes.length;
    else told.push(event.kind);
    assert.ok(told.length < 50, 'it comes to an end');
  }
  return { bytes, told };
}

function flip(path: string, place: number): void {
  const fd = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, place);
  byte[0]! ^= 0xff;
  writeSync(fd, byte, 0, 1, place);
  closeSync(fd);
}

const harms: Readonly<Record<string, { harm: (ended: Ended) => void; told: readonly string[] }>> = {
  'a flipped byte': { harm: ({ segments }) => flip(segments[0]!, 9_000), told: ['damaged'] },
  'a cut in the first segment': {
    harm: ({ segments }) => truncateSync(segments[0]!, 9_000),
    told: ['damaged'],
  },
  'a cut at the end': {
    harm: ({ segments }) => truncateSync(segments.at(-1)!, 600),
    told: ['tail-lost'],
  },
  'a deleted last segment': {
    harm: ({ segments }) => rmSync(segments.at(-1)!),
    told: ['tail-lost'],
  },
  'a deleted first segment': { harm: ({ segments }) => rmSync(segments[0]!), told: ['gap'] },
  'no segments at all': {
    harm: ({ segments }) => segments.forEach((path) => rmSync(path)),
    told: ['tail-lost'],
  },
  'no run directory': {
    harm: ({ runDir }) => rmSync(runDir, { recursive: true }),
    told: ['tail-lost'],
  },
  'two segments that changed places': {
    harm: ({ runDir, segments }) => {
      renameSync(segments.at(-2)!, `${runDir}/aside`);
      renameSync(segments.at(-1)!, segments.at(-2)!);
      renameSync(`${runDir}/aside`, segments.at(-1)!);
    },
    told: ['damaged', 'tail-lost'],
  },
};

for (const [name, { harm, told }] of Object.entries(harms)) {
  test(`J1: ${name} is told to whoever reads a run that has ended`, async (t) => {
    const ended = await endedRun(t);
    harm(ended);
    const supervisor = await ended.rig.supervisor();
    const run = await supervisor.attach(ended.runId);
    const ways = {
      soFar: () => run.outputSoFar(),
      follow: () => run.output(),
      lent: () => run.outputLent(),
    };
    for (const [way, read] of Object.entries(ways)) {
      const seen = await seenBy(read());
      assert.ok(seen.bytes < total, `${way}: ${seen.bytes} bytes`);
      assert.deepEqual(seen.told, told, way);
    }
  });
}

test('J1: what is added after the end is told, and nothing is missing', async (t) => {
  const { rig, runId, segments } = await endedRun(t);
  const fd = openSync(segments.at(-1)!, 'a');
  writeSync(fd, 'garbage '.repeat(100));
  closeSync(fd);
  const supervisor = await rig.supervisor();
  const run = await supervisor.attach(runId);
  for (const read of [run.outputSoFar(), run.output()]) {
    assert.deepEqual(await seenBy(read), { bytes: total, told: ['damaged'] });
  }
});

async function untilSeen(run: ManagedRun, kind: OutputEvent['kind']): Promise<void> {
  for await (const event of run.output()) if (event.kind === kind) return;
  assert.fail(`the output ended without ${kind}`);
}

test('J1: damage under a run that goes on is told to those who follow it, and they go on', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    rig.sh(`${script}; read line; echo "then $line"`, { journal }),
  );
  await sayInPieces(run);
  const [first = ''] = readdirSync(join(rig.stateDir, 'runs', run.runId)).sort();
  flip(join(rig.stateDir, 'runs', run.runId, first), 5_000);
  await untilSeen(run, 'damaged');
  const all = seenBy(run.output());
  await run.write('more\n');
  const seen = await all;
  assert.deepEqual(seen.told, ['damaged']);
  assert.ok(seen.bytes < total + 'then more\n'.length);
  assert.equal((await run.wait()).code, 0);
});

test('J1: a living run whose journal was deleted is told as damaged, and its end is heard', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const run = await supervisor.spawn(
    rig.sh(`${script}; read line; echo "then $line"`, { journal }),
  );
  const runDir = join(rig.stateDir, 'runs', run.runId);
  const segments = (): string[] => readdirSync(runDir).filter((name) => name.startsWith('j-'));
  await sayInPieces(run);
  assert.ok(segments().length >= 2);
  for (const name of segments()) rmSync(join(runDir, name));
  await untilSeen(run, 'damaged');
  const all = seenBy(run.output());
  await run.write('more\n');
  assert.equal((await run.wait()).code, 0);
  const { told } = await all;
  assert.ok(told.includes('damaged') || told.includes('tail-lost'), String(told));
});

test('T7: a run whose journal was deleted under it is ended by hand, as the refusal says, and then on record as ended', async (t) => {
  const rig = createRig(t);
  const owner = await rig.supervisor();
  const { runId } = await owner.spawn(rig.sh('echo up; exec sleep 1000'));
  await owner.close();
  const runDir = join(rig.stateDir, 'runs', runId);
  for (const name of readdirSync(runDir)) {
    if (name.startsWith('j-')) rmSync(join(runDir, name));
  }
  const looking = await rig.supervisor({ adoption: 'record', launcher: 'direct' });
  const watched = await looking.attach(runId);
  await assert.rejects(watched.cancel('manual-cancel', 'test'), {
    code: 'shim-unreachable',
    message: /the journal is damaged/,
    hint: /SIGTERM to its clf-shim process/,
  });
  await looking.close();
  const [row] = rig.sql('SELECT shim_pid, pid FROM runs WHERE run_id = ?', runId);
  process.kill(Number(row?.['shim_pid']), 'SIGTERM');
  const pids = [Number(row?.['shim_pid']), Number(row?.['pid'])];
  await untilTrue(() => !pids.some((pid) => isAlive(pid)), {
    clock,
    limitMs: patienceMs,
    what: () => `one of ${pids.join(', ')} lives`,
  });
  const next = await rig.supervisor({ adoption: 'record', launcher: 'direct' });
  const record = next.get(runId);
  assert.deepEqual([record?.state, record?.exit?.reason], ['exited', 'reconciled-stale']);
  assert.ok(record?.treeEndedAtMs !== undefined);
  await next.close();
});
