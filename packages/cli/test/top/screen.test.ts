/*
 * The screen of `clf top`: orders, rows that fit, keys, and what is written of a change.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint } from '../../src/render/paint.ts';
import { formatLook, lookJson } from '../../src/top/format-look.ts';
import { layoutScreen, nothingText } from '../../src/top/layout-screen.ts';
import { createScreenPainter } from '../../src/top/screen-painter.ts';
import { type SortOrder, sortRows } from '../../src/top/sort-rows.ts';
import { parseKeys } from '../../src/top/top-keys.ts';
import type { LiveRow, Look } from '../../src/top/watch-runs.ts';
import { createFakeIo } from '../support/fake-io.ts';
import { exitWith, recordWith, runId } from '../support/records.ts';

const paint = createPaint(false);
const row = (id: string, over: Partial<LiveRow> = {}, name?: string): LiveRow => ({
  record: recordWith({ runId: runId(id), labels: name === undefined ? {} : { name } }),
  cpuPercent: 0,
  memoryBytes: 0,
  outputBytesPerSecond: 0,
  processes: 1,
  stall: undefined,
  ...over,
});

const rows = [
  row('aaa', { cpuPercent: 1, memoryBytes: 30, outputBytesPerSecond: 7 }, 'web'),
  row('bbb', { cpuPercent: 250, memoryBytes: 20, outputBytesPerSecond: 9 }, 'api'),
  row('ccc', { cpuPercent: undefined, memoryBytes: 40, outputBytesPerSecond: 8 }),
];
const dead = recordWith({
  runId: runId('ddd'),
  state: 'exited',
  exit: exitWith({ reason: 'out-of-memory', code: undefined, endedAtMs: 50_000 }),
});
const look: Look = { atMs: 61_000, live: rows, ended: [dead] };
const view = { paint, columnsMax: 100, order: 'cpu' as const, isReversed: false };

const nothing = nothingText({ flag: '', gateway: undefined, host: undefined });

test('orders: what is most first, and the other way round', () => {
  const order = (by: SortOrder, isReversed = false) =>
    sortRows(rows, by, isReversed)
      .map(({ record }) => record.runId)
      .join(' ');
  assert.equal(order('cpu'), 'bbb aaa ccc');
  assert.equal(order('memory'), 'ccc aaa bbb');
  assert.equal(order('output'), 'bbb ccc aaa');
  assert.equal(order('name'), 'bbb aaa ccc', 'those without a name last');
  assert.equal(order('cpu', true), 'ccc aaa bbb');
});

test('a look as text: numbers under each other, the cause of death', () => {
  const { summary, live, ended } = formatLook(look, view);
  assert.equal(summary, '3 running   1 ended lately   cpu 251%   mem 90B   out 24B/s');
  assert.deepEqual(live, [
    'ID   NAME  STATE    CPU%↓  MEM  OUT/S  PROCS  AGE  COMMAND',
    'bbb  api   running    250  20B     9B      1   1m  sleep 60',
    'aaa  web   running    1.0  30B     7B      1   1m  sleep 60',
    'ccc        running      -  40B     8B      1   1m  sleep 60',
  ]);
  assert.deepEqual(ended, [
    'ID   NAME  ENDED                                WHEN     LASTED  COMMAND',
    'ddd        killed by the kernel: out of memory  11s ago  2.5s    sleep 60',
  ]);
});

test('where there is little room the id goes and the name stays; who has none shows the id', () => {
  const long = 'a command that is long enough to want its room';
  const narrow = { ...view, columnsMax: 58 };
  const live = [
    row('aaaaaaaaaaaa', { record: recordWith({ labels: { name: 'web' }, command: long }) }),
    row('bbbbbbbbbbbb', { record: recordWith({ runId: runId('bbbbbbbbbbbb'), command: long }) }),
  ];
  const ended = recordWith({
    labels: { name: 'old' },
    command: long,
    state: 'exited',
    exit: exitWith({ reason: 'out-of-memory', code: undefined, endedAtMs: 50_000 }),
  });
  const text = formatLook({ ...look, live, ended: [ended] }, narrow);
  assert.deepEqual(
    text.live.map((line) => line.split(/ {2,}/).slice(0, 2)),
    [
      ['NAME', 'STATE'],
      ['web', 'running'],
      ['bbbbbbbbbbbb', 'running'],
    ],
  );
  assert.match(text.ended.join('\n'), /^NAME +ENDED +COMMAND\nold /);
  for (const line of [...text.live, ...text.ended]) assert.ok(line.length <= 58, line);
});

test('a look as JSON', () => {
  const json = lookJson(look, view) as { runs: { id: string; cpuPercent: number | null }[] };
  assert.deepEqual(
    json.runs.map(({ id, cpuPercent }) => [id, cpuPercent]),
    [
      ['bbb', 250],
      ['aaa', 1],
      ['ccc', null],
    ],
  );
});

test('a screen is as high as the terminal, whatever its size', () => {
  const text = formatLook(look, view);
  for (let height = 1; height <= 30; height += 1) {
    const { lines } = layoutScreen(text, {
      size: { cols: 80, rows: height },
      offset: 0,
      paint,
      nothing,
    });
    assert.equal(lines.length, height);
  }
});

test('long lists scroll, and stop at their end', () => {
  const many = Array.from({ length: 50 }, (_, index) => row(`r${String(index).padStart(2, '0')}`));
  const text = formatLook({ ...look, live: many }, view);
  const at = (offset: number) =>
    layoutScreen(text, { size: { cols: 80, rows: 20 }, offset, paint, nothing });
  assert.match(at(0).lines.join('\n'), /r00[^]*38 more below/);
  const end = at(Number.MAX_SAFE_INTEGER);
  assert.equal(end.offset, 50 - end.page);
  assert.match(end.lines.join('\n'), /r49/);
  assert.doesNotMatch(end.lines.join('\n'), /more below/);
  assert.match(end.lines.join('\n'), /out of memory/, 'the ended have their place');
});

test('what has ended scrolls after what lives, and says how much there is', () => {
  const ended = Array.from({ length: 40 }, (_, index) => ({
    ...dead,
    runId: runId(`d${String(index).padStart(2, '0')}`),
  }));
  const text = formatLook({ ...look, ended }, view);
  const at = (offset: number) =>
    layoutScreen(text, { size: { cols: 100, rows: 20 }, offset, paint, nothing });
  const [top, one, end] = [at(0), at(1), at(Number.MAX_SAFE_INTEGER)];
  const below = 40 - top.page;
  assert.match(top.lines.join('\n'), new RegExp(`d00[^]*${below} more below`));
  assert.doesNotMatch(one.lines.join('\n'), /d00/);
  assert.match(one.lines.join('\n'), new RegExp(`bbb[^]*d01[^]*${below - 1} more below`));
  assert.equal(end.offset, below);
  assert.match(end.lines.join('\n'), /aaa[^]*d39/);
  assert.doesNotMatch(end.lines.join('\n'), /more below/);
});

test('a cause is cut only where there is no room for it', () => {
  const detail =
    'its shim (process 123) was killed or crashed, so how the command ended is not known';
  const exit = exitWith({ reason: 'unknown', code: undefined, detail });
  const lost = { ...look, live: [], ended: [recordWith({ state: 'exited', exit })] };
  const shown = (columnsMax: number | undefined) =>
    formatLook(lost, { ...view, columnsMax }).ended.join('\n');
  assert.ok(shown(undefined).includes(detail) && shown(200).includes(detail));
  assert.match(shown(90), /^NAME +ENDED +WHEN +LASTED +COMMAND/, 'the id goes first');
  assert.doesNotMatch(shown(90), /is not known/);
});

test('on a small screen what lives comes before what has ended', () => {
  const ended = Array.from({ length: 9 }, () => dead);
  const text = formatLook({ ...look, live: [...rows, row('eee')], ended }, view);
  const { lines } = layoutScreen(text, { size: { cols: 80, rows: 12 }, offset: 0, paint, nothing });
  const screen = lines.join('\n');
  for (const id of ['aaa', 'bbb', 'ccc', 'eee']) assert.ok(screen.includes(id), screen);
  assert.equal(screen.match(/out of memory/g)?.length, 1, screen);
});

test('nothing is running: what to do', () => {
  const text = formatLook({ ...look, live: [], ended: [] }, view);
  const { lines } = layoutScreen(text, { size: { cols: 80, rows: 10 }, offset: 0, paint, nothing });
  assert.match(lines.join('\n'), /Start something: clf run -d/);
  const there = nothingText({ flag: ' -g home', gateway: 'home', host: undefined });
  assert.match(there, /^Nothing is running at home\. Start something: clf run -g home -d/);
});

test('keys, several in one chunk', () => {
  const kinds = parseKeys(Buffer.from('mr\u001b[B\u001b[6~\u001bOHx\u001a\u0003'));
  assert.deepEqual(kinds, [
    { kind: 'sort', order: 'memory' },
    { kind: 'reverse' },
    { kind: 'scroll', by: 1, unit: 'row' },
    { kind: 'scroll', by: 1, unit: 'page' },
    { kind: 'scroll', by: -1, unit: 'edge' },
    { kind: 'suspend' },
    { kind: 'quit' },
  ]);
});

test('only lines that changed are written', async () => {
  const io = createFakeIo();
  const painter = createScreenPainter(io.stdout);
  await painter.paint(['one', 'two', 'three']);
  const first = io.out().length;
  await painter.paint(['one', 'two', 'three']);
  assert.equal(io.out().length, first, 'nothing for nothing');
  await painter.paint(['one', 'TWO', 'three']);
  const second = io.out().slice(first);
  assert.ok(second.includes('\u001b[2;1H\u001b[2KTWO') && !second.includes('one'));
  painter.forget();
  await painter.paint(['one', 'TWO', 'three']);
  assert.ok(
    io
      .out()
      .slice(first + second.length)
      .includes('three'),
  );
});
