/*
 * A log whose reader is stuck, gone or full never holds up or ends the program that writes it: real programs, whose standard
 * output is a socket, a pipe, a file, or a device that is always full.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants, closeSync, createReadStream, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const fixture = fileURLToPath(new URL('../fixtures/log-lines.ts', import.meta.url));
/* More than any buffer in between, and than what may wait in memory: 12 MB. */
const manyLines = '12000';
const longFiller = '1000';

interface Line {
  readonly event: string;
  readonly detail: { readonly line?: number; readonly lines?: number };
}

function start(
  stdout: 'pipe' | number,
  args: readonly string[],
  stderr: 'inherit' | number = 'inherit',
): ChildProcess {
  const stdio: StdioOptions = ['ignore', stdout, stderr, 'ipc'];
  return spawn(process.execPath, ['--conditions=@clawdfather/source', fixture, ...args], { stdio });
}

/* Once all is written. */
async function endWell(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  await told(child, 'written');
  child.send('close');
  await told(child, 'closedAfterMs');
  assert.deepEqual(await ended, [0, null]);
}

/* Both sides agree on the order, so each message is waited for by its name. */
async function told(child: ChildProcess, name: string): Promise<number> {
  const [message] = (await once(child, 'message')) as [Record<string, number>];
  assert.ok(message[name] !== undefined, JSON.stringify(message));
  return message[name];
}

function parseLines(all: string): readonly Line[] {
  return all
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-log-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('every line arrives in a file, in order, also the last before the end', async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, 'log');
    const fd = openSync(path, 'a');
    const child = start(fd, ['3000', '10']);
    closeSync(fd);
    await endWell(child);
    const lines = parseLines(await readFile(path, 'utf8'));
    assert.deepEqual(
      lines.map(({ event, detail }) => detail.line ?? event),
      [...Array.from({ length: 3000 }, (_, line) => line), 'test.last'],
    );
  });
});

test('what else is written to the file of the log, as after > FILE 2>&1, overwrites no line of it, nor it', async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, 'log');
    // Not to append: both write where the descriptor that they share stands.
    const fd = openSync(path, 'w');
    const child = start(fd, ['3000', '10', '100'], fd);
    closeSync(fd);
    await endWell(child);
    const lines = parseLines(await readFile(path, 'utf8'));
    const numbersOf = (name: string): unknown[] =>
      lines.filter(({ event }) => event === name).map(({ detail }) => detail.line);
    assert.deepEqual(
      numbersOf('test.line'),
      Array.from({ length: 3000 }, (_, line) => line),
    );
    assert.deepEqual(
      numbersOf('test.beside'),
      Array.from({ length: 30 }, (_, index) => 100 * index),
    );
    assert.equal(lines.length, 3000 + 30 + 1);
  });
});

test('a pipe that nobody reads holds nothing up, neither writing nor closing', async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, 'w');
    const child = start(writer, [manyLines, longFiller]);
    closeSync(writer);
    const ended = once(child, 'exit');
    assert.equal(await told(child, 'written'), Number(manyLines));

    child.send('close');
    await told(child, 'closedAfterMs');
    assert.deepEqual(await ended, [0, null]);
    closeSync(reader);
  });
});

test('a reader that comes back finds whole lines, and how many are missing', async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    // Both ends, so that the other one can be opened; only the read end is kept.
    const both = openSync(path, constants.O_RDWR);
    const writer = openSync(path, 'w');
    const child = start(writer, [manyLines, longFiller]);
    closeSync(writer);
    await told(child, 'written');

    const stream = createReadStream(path);
    await once(stream, 'open');
    closeSync(both);
    const all = text(stream);
    child.send('close');
    await told(child, 'closedAfterMs');
    const lines = parseLines(await all);
    const seen = lines.filter(({ event }) => event === 'test.line').length;
    assert.ok(seen > 1000, `${seen} lines`);
    const missing = lines
      .filter(({ event }) => event === 'log.dropped')
      .reduce((sum, { detail }) => sum + (detail.lines ?? 0), 0);
    // One more for the fixture's last, which may have been dropped with them.
    const lastSeen = lines.filter(({ event }) => event === 'test.last').length;
    assert.equal(seen + missing + lastSeen, Number(manyLines) + 1);
    assert.ok(missing > 0);
  });
});

test('a socket that nobody reads holds nothing up', async () => {
  const child = start('pipe', [manyLines, longFiller]);
  const ended = once(child, 'exit');
  assert.equal(await told(child, 'written'), Number(manyLines));
  child.send('close');
  await told(child, 'closedAfterMs');
  child.stdout?.destroy();
  assert.deepEqual(await ended, [0, null]);
});

test('a reader of a pipe that goes away ends nothing', async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, 'w');
    const child = start(writer, ['10', '0']);
    closeSync(writer);
    const ended = once(child, 'exit');
    await told(child, 'written');
    closeSync(reader);
    child.send('close');
    await told(child, 'closedAfterMs');
    assert.deepEqual(await ended, [0, null]);
  });
});

test('a reader of a socket that goes away ends nothing', async () => {
  const child = start('pipe', ['100', '0']);
  const ended = once(child, 'exit');
  child.stdout?.destroy();
  await told(child, 'written');
  child.send('close');
  await told(child, 'closedAfterMs');
  assert.deepEqual(await ended, [0, null]);
});

test('a full disk costs the lines that did not fit and nothing else', async () => {
  const fd = openSync('/dev/full', 'w');
  const child = start(fd, ['2000', '100']);
  closeSync(fd);
  const ended = once(child, 'exit');
  await told(child, 'written');
  child.send('close');
  await told(child, 'closedAfterMs');
  assert.deepEqual(await ended, [0, null]);
});
