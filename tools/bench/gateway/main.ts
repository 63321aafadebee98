/*
 * `npm run bench:gateway -- [--quick] [--only api|start|attach|fanout|accounts]… [--json FILE] [--dir DIRECTORY]`: the gateway beside the
 * least that could do the same, in one run on one machine, in turns.
 *
 * A missed aim is a result, not a failure.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from '../options.ts';
import { formatJson } from '../report/json.ts';
import { describeMachine } from '../report/machine.ts';
import { median } from '../measure/statistics.ts';
import { aimOfRatio, aimOfValue, cellOf, type Row, type ScenarioResult } from '../report/result.ts';
import { formatAims, formatResult } from '../report/table.ts';
import { loadKinds, measureAccounts } from './accounts/measure.ts';
import { measureApi } from './api.ts';
import { measureAttach } from './attach.ts';
import { measureFanout } from './fanout.ts';
import { measureStart } from './start.ts';

const options = parseOptions(process.argv.slice(2));
const rounds = options.isQuick ? 2 : 7;
const machine = describeMachine(options.dir);
const directory = mkdtempSync(join(options.dir, 'clawdfather-bench-gateway-'));

const scenarios: Readonly<Record<string, () => Promise<ScenarioResult>>> = {
  api: benchApi,
  start: benchStart,
  attach: benchAttach,
  fanout: benchFanout,
  accounts: benchAccounts,
};

const results: ScenarioResult[] = [];
try {
  process.stdout.write(
    `${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}, load before ${machine.loadBefore}\n`,
  );
  for (const [name, run] of Object.entries(scenarios)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    process.stderr.write(`${name}: ${rounds} rounds\n`);
    const result = await run();
    results.push(result);
    process.stdout.write(formatResult(result));
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(`\nAims\n${formatAims(results.flatMap(({ aims }) => aims))}`);
if (options.jsonFile !== undefined) {
  writeFileSync(options.jsonFile, formatJson({ machine, isQuick: options.isQuick, results }));
}

async function benchApi(): Promise<ScenarioResult> {
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

async function benchStart(): Promise<ScenarioResult> {
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

async function benchAttach(): Promise<ScenarioResult> {
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

async function benchFanout(): Promise<ScenarioResult> {
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
async function benchAccounts(): Promise<ScenarioResult> {
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
