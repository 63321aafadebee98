/*
 * The scenarios of `bench:web`: which sizes, which rows, and how they stand against what the app promises.
 */
import { quantile } from '../measure/statistics.ts';
import {
  type Aim,
  aimOfValue,
  type Cell,
  cellOf,
  type Row,
  type ScenarioResult,
} from '../report/result.ts';
import { deliverKept } from './measure-outbox.ts';
import { type Break, comeBack, hiddenMs } from './measure-return.ts';
import { scrollBoxes, type Scrolled, scrollThread } from './measure-scroll.ts';
import { streamInto, streamNothing } from './measure-stream.ts';
import { switchThreads } from './measure-switch.ts';
import { openFromCache, openFromNetwork } from './measure-thread.ts';
import { emptyVisit, firstGetIn, firstVisit, laterVisits, type Visit } from './measure-visit.ts';
import { secondDevice } from './measure-device.ts';
import { firstWords } from './measure-words.ts';
import type { World } from './world.ts';

export interface Bench {
  readonly world: World;
  readonly isQuick: boolean;
  readonly progress: (text: string) => void;
}

interface Named {
  readonly measure: string;
  readonly unit: string;
  readonly better?: Row['better'];
}

function rowOf(
  { measure, unit, better = 'lower' }: Named,
  cells: Readonly<Record<string, Cell>>,
): Row {
  return { measure, unit, better, cells: new Map(Object.entries(cells)) };
}

/* So many times, with a word about each. */
async function repeat<Found>(
  { progress }: Bench,
  times: number,
  act: () => Promise<Found>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let round = 1; round <= times; round += 1) {
    progress(`round ${round} of ${times}`);
    found.push(await act());
  }
  return found;
}

const atMost = (
  text: string,
  cell: Cell,
  bound: { readonly unit: string; readonly most: number },
): Aim => aimOfValue({ text, value: cell.median, unit: bound.unit, atMost: bound.most });

export async function benchVisit(bench: Bench): Promise<ScenarioResult> {
  const { world } = bench;
  const rounds = await repeat(bench, bench.isQuick ? 1 : 5, async () => ({
    empty: await emptyVisit(world),
    'get in': await firstGetIn(world),
    first: await firstVisit(world),
    ...(await laterVisits(world)),
  }));
  const kinds = ['get in', 'first', 'worker', 'offline'] as const;
  const cellsOf = (of: (visit: Visit) => number): Record<string, Cell> =>
    Object.fromEntries(kinds.map((kind) => [kind, cellOf(rounds.map((round) => of(round[kind])))]));
  const answered = cellsOf(({ answeredMs }) => answeredMs);
  const busy = cellsOf(({ busyMs }) => busyMs);
  const tap = cellsOf(({ tapMs }) => tapMs);
  const lcp = cellsOf(({ lcpMs }) => lcpMs);
  const blocked = cellsOf(({ blockedMs }) => blockedMs);
  const shift = cellsOf(({ shift: one }) => one);
  const kilobytes = cellsOf(({ traffic }) => traffic.bytes / 1_000);
  const requests = cellsOf(({ traffic }) => traffic.requests);
  const empty = cellOf(rounds.map((round) => round.empty));
  const ms = { unit: 'ms' };
  const get = (cells: Record<string, Cell>, kind: string): Cell => cells[kind] ?? cellOf([]);
  return {
    name: 'visit',
    title:
      'A visit under the throttle: before signing in, signed in, from the worker, without a network',
    rows: [
      rowOf(
        { measure: 'a place is shown', ...ms },
        cellsOf(({ shownMs }) => shownMs),
      ),
      rowOf({ measure: 'a tap on it is answered', ...ms }, answered),
      rowOf({ measure: 'tap to answer', ...ms }, tap),
      rowOf({ measure: 'largest content painted', ...ms }, lcp),
      rowOf({ measure: 'blocked by long tasks', ...ms }, blocked),
      rowOf({ measure: 'content shifted', unit: '' }, shift),
      rowOf({ measure: 'main thread', ...ms }, { ...busy, 'empty page': empty }),
      rowOf({ measure: 'transferred', unit: 'kB' }, kilobytes),
      rowOf({ measure: 'requests', unit: '' }, requests),
    ].map(withoutWinner),
    aims: [
      atMost('first visit answered within 2.0 s', get(answered, 'first'), { ...ms, most: 2_000 }),
      atMost('before signing in: answered within 2.0 s', get(answered, 'get in'), {
        ...ms,
        most: 2_000,
      }),
      atMost('from the worker within 0.8 s', get(answered, 'worker'), { ...ms, most: 800 }),
      atMost('without a network within 0.8 s', get(answered, 'offline'), { ...ms, most: 800 }),
      atMost('a tap is answered within 100 ms', get(tap, 'first'), { ...ms, most: 100 }),
      atMost('largest content within 1.8 s', get(lcp, 'first'), { ...ms, most: 1_800 }),
      atMost('blocked for at most 150 ms', get(blocked, 'first'), { ...ms, most: 150 }),
      atMost('shifted by at most 0.02', get(shift, 'first'), { unit: '', most: 0.02 }),
      atMost('first visit: at most 90 kB', get(kilobytes, 'get in'), { unit: 'kB', most: 90 }),
      atMost('first visit: at most 8 requests', get(requests, 'get in'), { unit: '', most: 8 }),
    ],
  };
}

/* Its columns are circumstances and not contenders. */
function withoutWinner(row: Row): Row {
  return { ...row, better: 'neither' };
}

export async function benchThread(bench: Bench): Promise<ScenarioResult> {
  const { world } = bench;
  const rounds = await repeat(bench, bench.isQuick ? 1 : 5, async () => ({
    network: await openFromNetwork(world),
    cache: await openFromCache(world),
  }));
  const readable = {
    network: cellOf(rounds.map(({ network }) => network.readableMs)),
    cache: cellOf(rounds.map(({ cache }) => cache.readableMs)),
  };
  const kilobytes = {
    network: cellOf(rounds.map(({ network }) => network.traffic.bytes / 1_000)),
    cache: cellOf(rounds.map(({ cache }) => cache.traffic.bytes / 1_000)),
  };
  return {
    name: 'thread',
    title: 'Opening a thread of 10,000 events under the throttle',
    rows: [
      rowOf({ measure: 'tap to its newest words', unit: 'ms' }, readable),
      rowOf({ measure: 'transferred', unit: 'kB' }, kilobytes),
    ].map(withoutWinner),
    aims: [
      atMost('from the network within 1.8 s', readable.network, { unit: 'ms', most: 1_800 }),
      atMost('for at most 96 kB', kilobytes.network, { unit: 'kB', most: 96 }),
      atMost('from the device within 0.5 s', readable.cache, { unit: 'ms', most: 500 }),
    ],
  };
}

/* A frame of a screen with 60 a second, and the rounding of the browser's clock. */
const frameMs = 16.7;
const roundingMs = 0.8;

export async function benchScroll(bench: Bench): Promise<ScenarioResult> {
  const { world, isQuick } = bench;
  const options = { pixelsMax: isQuick ? 6_000 : 2_000_000 };
  const rounds = await repeat(bench, isQuick ? 1 : 2, async () => {
    const app = await scrollThread(world, options);
    return {
      app,
      'empty page': await scrollBoxes(world, { pixelsMax: Math.min(app.pixels, 60_000) }),
    };
  });
  const cellsOf = (of: (scrolled: Scrolled) => number): Record<'app' | 'empty page', Cell> => ({
    app: cellOf(rounds.map(({ app }) => of(app))),
    'empty page': cellOf(rounds.map((round) => of(round['empty page']))),
  });
  const onTime = cellsOf(
    ({ framesMs }) =>
      (framesMs.filter((ms) => ms <= frameMs + roundingMs).length / framesMs.length) * 100,
  );
  const worst = cellsOf(({ framesMs }) => Math.max(...framesMs));
  const nodes = cellsOf(({ nodesMost }) => nodesMost);
  const heap = cellsOf(({ heapMegabytes }) => heapMegabytes);
  const tasks = cellsOf(({ longTasks }) => longTasks);
  return {
    name: 'scroll',
    title: 'Scrolling through it from the end to the beginning, the processor at a quarter',
    rows: [
      rowOf({ measure: 'frames within 16.7 ms', unit: '%' }, onTime),
      rowOf(
        { measure: 'frame, p95', unit: 'ms' },
        cellsOf(({ framesMs }) => quantile(framesMs, 0.95)),
      ),
      rowOf({ measure: 'worst frame', unit: 'ms' }, worst),
      rowOf(
        { measure: 'main thread per frame', unit: 'ms' },
        cellsOf((one) => one.busyMsPerFrame),
      ),
      rowOf({ measure: 'tasks over 50 ms', unit: '' }, tasks),
      rowOf(
        { measure: 'longest task', unit: 'ms' },
        cellsOf((one) => one.longestTaskMs),
      ),
      rowOf({ measure: 'nodes at most', unit: '' }, nodes),
      rowOf({ measure: 'heap afterwards', unit: 'MB' }, heap),
      rowOf(
        { measure: 'scrolled', unit: 'px' },
        cellsOf(({ pixels }) => pixels),
      ),
    ].map(withoutWinner),
    aims: [
      aimOfValue({
        text: 'at most 5 % of frames over 16.7 ms',
        value: 100 - onTime.app.median,
        unit: '%',
        atMost: 5,
      }),
      atMost('no frame over 50 ms', worst.app, { unit: 'ms', most: 50 }),
      atMost('at most 3,000 nodes', nodes.app, { unit: '', most: 3_000 }),
      atMost('heap of at most 60 MB', heap.app, { unit: 'MB', most: 60 }),
    ],
  };
}

export async function benchSwitch(bench: Bench): Promise<ScenarioResult> {
  const switches = bench.isQuick ? 2 : 20;
  const rounds = await repeat(bench, bench.isQuick ? 1 : 3, () =>
    switchThreads(bench.world, switches),
  );
  const leaked = cellOf(rounds.map(({ leakedMegabytes }) => leakedMegabytes));
  const nodes = cellOf(rounds.map(({ leakedNodes }) => leakedNodes));
  return {
    name: 'switch',
    title: `${switches} switches between two threads of 10,000 events`,
    rows: [
      rowOf({ measure: 'heap left', unit: 'MB' }, { app: leaked }),
      rowOf({ measure: 'nodes left', unit: '' }, { app: nodes }),
    ],
    aims: [
      atMost('at most 2 MB left', leaked, { unit: 'MB', most: 2 }),
      atMost('no node left', nodes, { unit: '', most: 0 }),
    ],
  };
}

export async function benchStream(bench: Bench): Promise<ScenarioResult> {
  const { world, isQuick } = bench;
  const pieces = isQuick ? 25 : 3_000;
  const rounds = await repeat(bench, isQuick ? 1 : 2, async () => ({
    'at the end': await streamInto(world, { pieces, isAtEnd: true }),
    'three screens up': await streamInto(world, { pieces, isAtEnd: false }),
    empty: await streamNothing(world, isQuick ? 500 : 5_000),
  }));
  const kinds = ['at the end', 'three screens up'] as const;
  const cellsOf = (
    of: (streamed: (typeof rounds)[number]['at the end']) => number,
  ): Record<(typeof kinds)[number], Cell> => ({
    'at the end': cellOf(rounds.map((round) => of(round['at the end']))),
    'three screens up': cellOf(rounds.map((round) => of(round['three screens up']))),
  });
  const busy = cellsOf(({ busyPercent }) => busyPercent);
  const layouts = cellsOf(({ layoutsPerFrame }) => layoutsPerFrame);
  const off = cellsOf(({ offPx }) => offPx);
  const empty = cellOf(rounds.map((round) => round.empty));
  return {
    name: 'stream',
    title: 'An agent writes 50 pieces a second, the processor at a quarter',
    rows: [
      rowOf({ measure: 'main thread', unit: '%' }, { ...busy, 'empty page': empty }),
      rowOf({ measure: 'layouts per frame', unit: '' }, layouts),
      rowOf(
        { measure: 'longest task', unit: 'ms' },
        cellsOf((one) => one.longestTaskMs),
      ),
      rowOf({ measure: 'moved, or off the end, at most', unit: 'px' }, off),
    ].map(withoutWinner),
    aims: [
      atMost('at most 25 % of the main thread', busy['at the end'], { unit: '%', most: 25 }),
      atMost('at most one layout per frame', layouts['at the end'], { unit: '', most: 1 }),
      atMost('what is read moves by at most 1 px', off['three screens up'], {
        unit: 'px',
        most: 1,
      }),
      atMost('the end stays within 2 px', off['at the end'], { unit: 'px', most: 2 }),
    ],
  };
}

export async function benchReturn(bench: Bench): Promise<ScenarioResult> {
  const kinds: readonly Break[] = bench.isQuick
    ? ['closed with 1000']
    : ['half open', 'closed with 1000'];
  const found = new Map<string, readonly Awaited<ReturnType<typeof comeBack>>[]>();
  for (const kind of kinds) {
    bench.progress(kind);
    found.set(
      kind,
      await repeat(bench, bench.isQuick ? 1 : 3, () =>
        comeBack(bench.world, { how: kind, ms: bench.isQuick ? 0 : hiddenMs }),
      ),
    );
  }
  const cellsOf = (of: (one: { readonly paintedMs: number; readonly liveMs: number }) => number) =>
    Object.fromEntries([...found].map(([kind, all]) => [kind, cellOf(all.map(of))]));
  const painted = cellsOf(({ paintedMs }) => paintedMs);
  const live = cellsOf(({ liveMs }) => liveMs);
  return {
    name: 'return',
    title: 'Taken out of the pocket under the throttle',
    rows: [
      rowOf({ measure: 'painted', unit: 'ms' }, painted),
      rowOf({ measure: 'what was said meanwhile is there', unit: 'ms' }, live),
    ].map(withoutWinner),
    aims: kinds.flatMap((kind) => [
      atMost(`${kind}: painted within 300 ms`, painted[kind] ?? cellOf([]), {
        unit: 'ms',
        most: 300,
      }),
      atMost(`${kind}: live within 1.5 s`, live[kind] ?? cellOf([]), { unit: 'ms', most: 1_500 }),
    ]),
  };
}

export async function benchOutbox(bench: Bench): Promise<ScenarioResult> {
  const times = bench.isQuick ? 1 : 3;
  const at = async (speed: 'full speed' | 'throttled'): Promise<Cell> =>
    cellOf(await repeat(bench, times, () => deliverKept(bench.world, speed)));
  const [full, throttled] = [await at('full speed'), await at('throttled')];
  return {
    name: 'outbox',
    title: 'Twenty messages that were written without a network',
    rows: [
      rowOf(
        { measure: 'all of them at the gateway', unit: 'ms' },
        { 'full speed': full, throttled },
      ),
    ].map(withoutWinner),
    aims: [atMost('within 5 s', full, { unit: 'ms', most: 5_000 })],
  };
}

export async function benchWords(bench: Bench): Promise<ScenarioResult> {
  const times = bench.isQuick ? 1 : 3;
  const rounds = await repeat(bench, times, () => firstWords(bench.world));
  const device = cellOf(await repeat(bench, times, () => secondDevice(bench.world)));
  const took = cellOf(rounds.map(({ tookMs }) => tookMs));
  const taps = cellOf(rounds.map(({ taps: count }) => count));
  return {
    name: 'words',
    title: "From a login link to an agent's first word under the throttle",
    rows: [
      rowOf({ measure: 'link to the first word', unit: 'ms' }, { app: took }),
      rowOf({ measure: 'taps', unit: '' }, { app: taps }),
      rowOf({ measure: 'a second device by code', unit: 'ms' }, { app: device }),
    ],
    aims: [
      atMost('within 15 s', took, { unit: 'ms', most: 15_000 }),
      atMost('with at most 4 taps', taps, { unit: '', most: 4 }),
      atMost('a second device within 30 s', device, { unit: 'ms', most: 30_000 }),
    ],
  };
}
