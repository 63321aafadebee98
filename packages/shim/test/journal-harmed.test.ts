/*
 * J1: journals harmed at random, several times over: reading always comes to an end, never hands out what was not written, and never
 * ends as if nothing had happened when something is missing.
 */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { scanJournal } from '../src/journal/scan.ts';
import { readerOn, readThrough, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, exitJson, kinds } from './journal-writer.ts';

const journals = 150;

type Below = (bound: number) => number;

function createBelow(seed: number): Below {
  const random = createSeededRandom(seed);
  return (bound) => Buffer.from(random.bytes(4)).readUInt32LE() % bound;
}

function writeJournal(runDir: string, below: Below) {
  const writer = createJournalWriter(runDir);
  const pieces: string[] = [];
  const segments = 1 + below(4);
  for (let segment = 0; segment < segments; segment += 1) {
    if (segment > 0) writer.rotate();
    writer.append({ kind: kinds.meta, payload: 'whose it is' });
    const frames = 1 + below(5);
    for (let frame = 0; frame < frames; frame += 1) {
      const piece = `<${segment}.${frame}${'x'.repeat(below(200))}>`;
      pieces.push(piece);
      writer.output(piece);
    }
  }
  writer.json(kinds.exit, exitJson);
  writer.json(kinds.end, endJson);
  return { pieces, end: writer.end };
}

const harms: readonly ((path: string, other: string, below: Below) => void)[] = [
  (path, _, below) => {
    const bytes = readFileSync(path);
    if (bytes.length > 0) bytes[below(bytes.length)]! ^= 1 << below(8);
    writeFileSync(path, bytes);
  },
  (path, _, below) => truncateSync(path, below(readFileSync(path).length + 1)),
  (path) => rmSync(path),
  (path, _, below) => appendFileSync(path, Buffer.alloc(below(300), below(256))),
  (path, _, below) => {
    const bytes = readFileSync(path);
    const at = below(bytes.length + 1);
    const after = Math.min(bytes.length, at + below(60));
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), bytes.subarray(after)]));
  },
  (path, other) => {
    renameSync(path, `${path}.aside`);
    if (other !== path) renameSync(other, path);
    renameSync(`${path}.aside`, other);
  },
];

function harmOnce(runDir: string, below: Below): void {
  const paths = readdirSync(runDir).map((name) => join(runDir, name));
  const [path, other] = [paths[below(paths.length || 1)], paths[below(paths.length || 1)]];
  if (path !== undefined && other !== undefined) harms[below(harms.length)]!(path, other, below);
}

test('J1: however a journal is harmed, reading ends, invents nothing and hides nothing', async (t) => {
  const directory = temporaryRunDir(t);
  const below = createBelow(20_261_116);
  for (let number = 0; number < journals; number += 1) {
    const runDir = join(directory, String(number));
    mkdirSync(runDir);
    const { pieces, end } = writeJournal(runDir, below);
    const times = below(4);
    for (let count = 0; count < times; count += 1) harmOnce(runDir, below);
    const isAlive = below(2) === 0;
    const { reader } = readerOn(t, runDir, { shimAlive: () => isAlive, writtenTo: () => end });
    const { output, told } = await readThrough(reader);
    await reader.close();
    scanJournal(runDir);
    const kindsTold = told.map(({ kind }) => kind);
    const what = `journal ${number}: ${kindsTold.join(', ')}`;
    assert.ok(['closed', 'nothing', 'tail-lost'].includes(kindsTold.at(-1)!), what);
    let read = 0;
    for (const piece of pieces) if (output.startsWith(piece, read)) read += piece.length;
    assert.equal(read, output.length, `${what}: it has what was not written`);
    const isTold = kindsTold.some((kind) => kind !== 'closed' && kind !== 'nothing');
    assert.ok(isTold || output === pieces.join(''), `${what}: something is missing`);
    rmSync(runDir, { recursive: true });
  }
});
