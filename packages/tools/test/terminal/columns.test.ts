/*
 * How many columns text takes: the screen model, its answer to a program that asks for the cursor, and the tables of the command
 * line say the same, and tmux agrees.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { columnsOf } from '../../src/output/visible-text.ts';
import { openTerminalModel, type Screen } from '../../src/terminal/terminal-model.ts';
import { columnFacts, screenFacts } from './column-facts.ts';
import { whyNot } from './program-rig.ts';

const run = promisify(execFile);
const fixture = fileURLToPath(new URL('../fixtures/ask-cursor.ts', import.meta.url));
const size = { cols: 80, rows: 24 };
const red = '\u001b[31m';
const askCursor = '\u001b[6n';

interface Seen {
  readonly screen: Screen;
  readonly answer: string;
  /* Paints the screen on another terminal. */
  readonly picture: string;
}

async function look(output: string): Promise<Seen> {
  let answer = '';
  const model = await openTerminalModel({
    ...size,
    answer: (text) => {
      answer += text;
    },
  });
  await model.write(output + askCursor);
  const seen = { screen: model.screen(), answer, picture: model.serialize() };
  model.close();
  return seen;
}

const answerAt = (row: number, column: number): string => `\u001b[${row + 1};${column + 1}R`;

/* `rows` filled up to the height of the screen. */
const filled = (rows: readonly string[]): string[] =>
  Array.from({ length: size.rows }, (_, row) => rows[row] ?? '');

for (const { name, text, columns } of columnFacts) {
  test(`${name}: ${columns} columns`, async () => {
    const { screen, answer } = await look(text);
    assert.equal(screen.cursor.column, columns);
    assert.equal(answer, answerAt(0, columns));
    const plain = text.replace(red, '');
    // Tags are letters that are not seen, and shown.
    if (!plain.includes('\u{e007f}')) assert.equal(screen.lines[0], plain);
    assert.equal(columnsOf(plain), columns);
  });
}

for (const { name, output, rows, cursor } of screenFacts) {
  test(`halves and edges: ${name}`, async () => {
    const { screen, answer } = await look(output);
    assert.deepEqual(screen.lines, filled(rows));
    assert.deepEqual({ row: screen.cursor.row, column: screen.cursor.column }, cursor);
    assert.equal(answer, answerAt(cursor.row, cursor.column));
  });
}

test('a painted screen is the same screen on a terminal that attaches', async () => {
  for (const output of [
    ...columnFacts.map(({ text }) => text),
    ...screenFacts.map((fact) => fact.output),
  ]) {
    const { screen, picture } = await look(`${output}\r\nnext`);
    const painted = await look(picture);
    assert.deepEqual(painted.screen, screen, JSON.stringify(output));
  }
});

test('characters that belong together do so when they arrive one by one', async () => {
  for (const { text, columns } of columnFacts) {
    const model = await openTerminalModel(size);
    for (const character of text) await model.write(character);
    assert.equal(model.screen().cursor.column, columns, text);
    model.close();
  }
});

test('the private form of the question has the same answer', async () => {
  const { answer } = await look(`${'日'.repeat(40)}\u001b[?6n`);
  assert.equal(answer, `\u001b[?1;80R${answerAt(0, 79)}`);
});

test('a symbol that U+FE0F makes wide at the edge goes to the next row', async () => {
  const { screen } = await look(`${'x'.repeat(79)}❤\ufe0f`);
  assert.deepEqual(screen.lines.slice(0, 2), ['x'.repeat(79), '❤\ufe0f']);
  assert.equal(screen.cursor.column, 2);
});

test('a mark at the beginning of a row has a cell of its own, and what follows is where it should be', async () => {
  const { screen } = await look('\u0301abc');
  assert.equal(screen.lines[0], '\u0301abc');
  assert.equal(screen.cursor.column, 4);
});

test('the mark at the beginning of some files takes no column', async () => {
  const { screen } = await look('\ufeffabc');
  assert.equal(screen.lines[0], 'abc');
  assert.equal(screen.cursor.column, 3);
});

/* A program inside tmux: resolves to the cursor and the screen after it has drawn. */
async function openTmux(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-tmux-'));
  const server = createServer();
  const connected = Promise.withResolvers<Socket>();
  server.once('connection', connected.resolve);
  const path = join(directory, 'socket');
  const listening = Promise.withResolvers<void>();
  server.listen(path, listening.resolve);
  await listening.promise;
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const tmux = (...args: string[]) =>
    run('tmux', ['-u', '-S', join(directory, 'tmux'), '-f', '/dev/null', ...args], { env });
  const place = ['-x', String(size.cols), '-y', String(size.rows)];
  await tmux('new-session', '-d', '-s', 'columns', ...place, process.execPath, fixture, path);
  const socket = await connected.promise;
  context.after(async () => {
    // The fixture ends with the socket, the session with the fixture, the server with the session.
    const ended = Promise.withResolvers<void>();
    server.close(() => ended.resolve());
    socket.destroy();
    await ended.promise;
    await tmux('kill-server').catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  });
  const answers = socket.iterator({ destroyOnReturn: false });
  return async (output: string): Promise<{ answer: string; lines: string[] }> => {
    socket.write(`${JSON.stringify(output)}\n`);
    let answer = '';
    while (!answer.endsWith('R')) answer += String((await answers.next()).value);
    const { stdout } = await tmux('capture-pane', '-p', '-t', 'columns');
    return { answer, lines: stdout.split('\n') };
  };
}

test('tmux agrees', { skip: whyNot('tmux') }, async (context) => {
  const tmux = await openTmux(context);
  for (const { name, text, columns, unlikeTmux } of columnFacts) {
    if (unlikeTmux !== undefined) continue;
    assert.equal((await tmux(text)).answer, answerAt(0, columns), name);
  }
  for (const { name, output, rows, cursor, unlikeTmux } of screenFacts) {
    if (unlikeTmux !== undefined) continue;
    const { answer, lines } = await tmux(output);
    assert.equal(answer, answerAt(cursor.row, cursor.column), name);
    assert.deepEqual(lines.slice(0, rows.length), rows, name);
  }
});
