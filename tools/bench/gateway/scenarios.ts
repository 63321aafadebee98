/*
 * What is asked of the gateway, and the rows and aims that come of it.
 */
import { median } from '../measure/statistics.ts';
import type { Options } from '../options.ts';
import { aimOfRatio, aimOfValue, cellOf, type Row, type ScenarioResult } from '../report/result.ts';
import { loadKinds, measureAccounts } from './accounts/measure.ts';
import { measureApi } from './api.ts';
import { measureAttach } from './attach.ts';
import { measureFanout } from './fanout.ts';
import { measureStart } from './start.ts';

interface Bench {
  readonly directory: string;
  readonly rounds: number;
  readonly options: Options;
}

export async function benchApi({ directory, rounds, options }: Bench): Promise<ScenarioResult> {
  const roundSeconds = options.isQuick ? 1 : 3;
  const { ours, bare } = await measureApi({ directory, rounds, roundSeconds, connections: 50 });
  const row = (
    what: Pick<Row, 'measure' | 'unit' | 'better'>,
    of: (round: (typeof ours)[number]) => number,
  ): Row => pairRow(what, ours.map(of), bare.map(of));
  const rate = row({ measure: 'requests', unit: '1/s', better: 'higher' }, (one) => one.rate);
  return {
    name: 'api',
    title: 'One read over HTTP, 50 connections: the gateway beside bare Fastify and node:sqlite',
    rows: [
      rate,
      row({ measure: 'p99', unit: 'ms', better: 'lower' }, (one) => one.p99Ms),
      row({ measure: 'processor time', unit: 'µs', better: 'lower' }, (one) => one.cpuUs),
    ],
    aims: [
      aimOfRatio({ text: 'API: at least 0.6 of bare', row: rate, against: 'bare', atLeast: 0.6 }),
    ],
  };
}

export async function benchStart({ directory, rounds }: Bench): Promise<ScenarioResult> {
  const { serveMs, emptyMs } = await measureStart({ directory, rounds });
  const row = pairRow(
    { measure: 'start to first answer', unit: 'ms', better: 'lower' },
    serveMs,
    emptyMs,
  );
  const text = 'start: at most twice an empty Fastify';
  return {
    name: 'start',
    title: 'clawdfather serve beside an empty Fastify',
    rows: [row],
    aims: [aimOfRatio({ text, row, against: 'bare', atLeast: 0.5 })],
  };
}

export async function benchAttach({ directory, rounds, options }: Bench): Promise<ScenarioResult> {
  const attaches = options.isQuick ? 50 : 200;
  const { ours, bare } = await measureAttach({ directory, rounds, attaches });
  const lower = { unit: 'ms', better: 'lower' } as const;
  return {
    name: 'attach',
    title: 'From connecting to the first byte of a run, beside a ws server that greets',
    rows: [
      pairRow(
        { measure: 'p50', ...lower },
        ours.map(({ p50 }) => p50),
        bare.map(({ p50 }) => p50),
      ),
      pairRow(
        { measure: 'p99', ...lower },
        ours.map(({ p99 }) => p99),
        bare.map(({ p99 }) => p99),
      ),
    ],
    aims: [],
  };
}

export async function benchFanout({ directory, rounds, options }: Bench): Promise<ScenarioResult> {
  const rows: Row[] = [];
  const aims: ScenarioResult['aims'][number][] = [];
  for (const readers of [1, 10, 100]) {
    // About the same work for each: many readers of less.
    const bytes = Math.floor(((options.isQuick ? 64 : 256) * 1024 ** 2) / Math.max(1, readers / 4));
    const { ours, bare } = await measureFanout({ directory, rounds, readers, bytes });
    const rate = pairRow(
      { measure: `to ${readers}`, unit: 'MB/s', better: 'higher' },
      ours.map((round) => round.rate),
      bare.map((round) => round.rate),
    );
    const cpu = pairRow(
      { measure: `processor time to ${readers}`, unit: 'ms/GB', better: 'lower' },
      ours.map((round) => round.cpuMs),
      bare.map((round) => round.cpuMs),
    );
    rows.push(rate, cpu);
    const text = `fan-out to ${readers}: at least 0.7 of bare`;
    aims.push(aimOfRatio({ text, row: rate, against: 'bare', atLeast: 0.7 }));
  }
  return {
    name: 'fanout',
    title: 'Live output of one run to many sockets, beside a bare ws broadcast of its pipe',
    rows,
    aims,
  };
}

/* `--load KIND`: only some of the loads. */
export async function benchAccounts({
  directory,
  rounds,
  options,
}: Bench): Promise<ScenarioResult> {
  const calls = options.isQuick ? 60 : 300;
  const kinds = options.load.length > 0 ? options.load : loadKinds;
  const found = await measureAccounts({ directory, rounds, calls, kinds });
  const rows: Row[] = [];
  const aims: ScenarioResult['aims'][number][] = [];
  for (const [kind, of] of found) {
    for (const call of ['list', 'start', 'echo', 'mix'] as const) {
      const row: Row = {
        measure: `${kind}: p99 of ${call}`,
        unit: 'ms',
        better: 'lower',
        cells: new Map([
          ['quiet', cellOf(of.map(({ quiet }) => quiet[call]))],
          ['loaded', cellOf(of.map(({ loaded }) => loaded[call]))],
        ]),
      };
      rows.push(row);
      if (call !== 'mix') continue;
      const value = median(of.map(({ quiet, loaded }) => loaded.mix / quiet.mix));
      aims.push(aimOfValue({ text: `${kind}: at most twice quiet`, value, unit: '×', atMost: 2 }));
    }
  }
  return { name: 'accounts', title: 'The owner while a member does its worst', rows, aims };
}

function pairRow(
  what: Pick<Row, 'measure' | 'unit' | 'better'>,
  ours: readonly number[],
  bare: readonly number[],
): Row {
  return {
    ...what,
    cells: new Map([
      ['gateway', cellOf(ours)],
      ['bare', cellOf(bare)],
    ]),
  };
}
