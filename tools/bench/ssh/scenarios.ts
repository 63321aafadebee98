/*
 * The scenarios of `bench:ssh`: which contenders, how long, which rows, and how they stand against the aims.
 *
 * Aims are medians of the ratios within a round. The tables have the medians of all rounds, and in brackets the part or the multiple of
 * the basis: below 1 is faster than `ssh -S`.
 */
import { createScope, type Scope } from '@clawdfather/kit';
import { median, spreadOf } from '../measure/statistics.ts';
import { type Aim, aimOfValue, cellOf, type Row, type ScenarioResult } from '../report/result.ts';
import type { SshContender, Turn } from './contenders/contender.ts';
import { openHttp } from './contenders/http.ts';
import { library, openLibrary } from './contenders/library.ts';
import { fresh, multiplexed, openFresh, openMultiplexed } from './contenders/openssh.ts';
import { openSsh2 } from './contenders/ssh2.ts';
import { measureCancel } from './measure-cancel.ts';
import { measureExec, ratiosOf, type Turns } from './measure-exec.ts';
import { measureStart } from './measure-start.ts';
import type { World } from './world.ts';

export interface Bench {
  readonly world: World;
  readonly isQuick: boolean;
  readonly progress: (text: string) => void;
}

/* So many at a time, in turns that are long beside one command. */
const loads = [
  { concurrency: 1, turnMs: 600, quickMs: 200 },
  { concurrency: 8, turnMs: 1_200, quickMs: 200 },
  { concurrency: 32, turnMs: 2_500, quickMs: 500 },
] as const;

const lower = { unit: 'ms', better: 'lower' } as const;

export async function benchExec({ world, isQuick, progress }: Bench): Promise<ScenarioResult> {
  await using scope = createScope();
  const sharing = await openSharing(scope, world, progress);
  const single = openFresh(scope, world);
  const rows: Row[] = [];
  const aims: Aim[] = [];
  for (const { concurrency, turnMs, quickMs } of loads) {
    // A fresh connection each is what the others are there to avoid: measured once.
    const contenders = concurrency === 1 ? [...sharing, single] : sharing;
    const rounds = isQuick ? 2 : 15;
    progress(`${concurrency} at a time, ${rounds} rounds`);
    const turns = await measureExec(contenders, {
      rounds,
      turnMs: isQuick ? quickMs : turnMs,
      concurrency,
    });
    rows.push(...rowsOf(turns, concurrency));
    aims.push(...execAims(turns, concurrency));
  }
  const title = '`true` on a host: our library and our HTTP beside `ssh -S`';
  return { name: 'exec', title, rows, aims };
}

async function openSharing(
  scope: Scope,
  world: World,
  progress: Bench['progress'],
): Promise<readonly SshContender[]> {
  const other = await openSsh2(scope, world);
  if (other === undefined) progress('ssh2 is not installed, and is left out');
  return [
    await openMultiplexed(scope, world),
    await openLibrary(scope, world),
    await openHttp(scope, world),
    ...(other === undefined ? [] : [other]),
  ];
}

function rowsOf(turns: Turns, concurrency: number): readonly Row[] {
  const row = (
    what: Pick<Row, 'measure' | 'unit' | 'better'>,
    of: (turn: Turn) => number,
  ): Row => ({
    ...what,
    cells: new Map([...turns].map(([name, all]) => [name, cellOf(all.map(of))])),
  });
  return [
    {
      measure: `p50 at ${concurrency} of that of ssh -S`,
      unit: '×',
      better: 'neither',
      cells: new Map(
        [...turns.keys()].map((name) => [name, cellOf(ratiosOf(turns, name, multiplexed))]),
      ),
    },
    row({ measure: `p50 at ${concurrency}`, ...lower }, ({ p50 }) => p50),
    row({ measure: `p99 at ${concurrency}`, ...lower }, ({ p99 }) => p99),
    row(
      { measure: `commands at ${concurrency}`, unit: '1/s', better: 'higher' },
      ({ perSecond }) => perSecond,
    ),
  ];
}

function execAims(turns: Turns, concurrency: number): readonly Aim[] {
  const atMost = concurrency === 1 ? 1.15 : 0.95;
  const text = `p50 at ${concurrency}, library: at most ${atMost} × ssh -S`;
  const value = median(ratiosOf(turns, library, multiplexed));
  const aim = aimOfValue({ text, value, unit: '× ssh -S', atMost });
  if (concurrency > 1) return [aim];
  const faster = median(ratiosOf(turns, fresh, library));
  const reached = `${faster.toFixed(1)} × faster`;
  return [
    aim,
    { aim: 'library: at least 8 × faster than a fresh ssh', reached, isMet: faster >= 8 },
  ];
}

export async function benchStart({ world, isQuick, progress }: Bench): Promise<ScenarioResult> {
  await using scope = createScope();
  const rounds = isQuick ? 2 : 30;
  progress(`${rounds} rounds`);
  const found = await measureStart(world, openFresh(scope, world), rounds);
  const row: Row = {
    measure: 'start',
    ...lower,
    cells: new Map([
      ['session', cellOf(found.map(({ oursMs }) => oursMs))],
      ['ssh host true', cellOf(found.map(({ freshMs }) => freshMs))],
    ]),
  };
  const value = median(found.map(({ oursMs, freshMs }) => oursMs / freshMs));
  const text = 'session start: at most 1.1 × ssh host true';
  return {
    name: 'start',
    title: 'A session with a host, from nothing to live, beside a fresh `ssh host true`',
    rows: [row],
    aims: [aimOfValue({ text, value, unit: '× ssh host true', atMost: 1.1 })],
  };
}

export async function benchCancel({ world, isQuick, progress }: Bench): Promise<ScenarioResult> {
  await using scope = createScope();
  const ours = await openLibrary(scope, world);
  const basis = await openMultiplexed(scope, world);
  const trials = isQuick ? 10 : 100;
  progress(`${trials} trials`);
  const rounds = await measureCancel(ours, basis, trials);
  const leases = await ours.leases();
  const took = spreadOf(rounds.map(({ tookMs }) => tookMs));
  const survivors = rounds.filter((round) => round.survivors > 0).length;
  const row = (measure: string, unit: string, values: readonly number[]): Row => ({
    measure,
    unit,
    better: 'neither',
    cells: new Map([[library, cellOf(values)]]),
  });
  const roundTrip = median(rounds.map(({ roundTripMs }) => roundTripMs));
  return {
    name: 'cancel',
    title: 'Cancelling `sleep 600` on a host',
    rows: [
      row('cancel to recorded end, p50', 'ms', [took.p50]),
      row('cancel to recorded end, p99', 'ms', [took.p99]),
      row('one command through ssh -S, p50', 'ms', [roundTrip]),
      row(`trials with survivors, of ${trials}`, 'trials', [survivors]),
      row('leases that are not confirmed', 'leases', [leases]),
    ],
    aims: [
      aimOfValue({ text: 'cancel, p50: at most 300 ms', value: took.p50, unit: 'ms', atMost: 300 }),
      aimOfValue({ text: `no survivor in ${trials}`, value: survivors, unit: 'trials', atMost: 0 }),
      aimOfValue({ text: 'no lease left over', value: leases, unit: 'leases', atMost: 0 }),
    ],
  };
}
