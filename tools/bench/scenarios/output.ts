/*
 * Scenarios `output` and `output-pty`: a flood of text from one command. Ours is journalled on disk and read from there.
 *
 * The text is a file in the page cache, given to `cat` often enough: a producer that costs as little as possible.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv, ContenderName } from '../contenders/contender.ts';
import { type Aim, aimOfRatio, type Row } from '../report/result.ts';
import type { Scenario, ScenarioDeps } from './scenario.ts';
import { settleMemory } from './settle-memory.ts';
import { openCrew, rowOf, sideBySide } from './side-by-side.ts';

const pipes: readonly ContenderName[] = ['supervisor', 'child_process', 'execa', 'supervisor-kept'];
const terminals: readonly ContenderName[] = ['supervisor-pty', 'node-pty'];
const line = 'The quick brown fox jumps over the lazy dog, and the log grows by another line.\n';
const fileBytesMax = 64 * 1024 ** 2;

export const outputScenario: Scenario = {
  name: 'output',
  run: async (deps) => {
    const { streamBytes: bytes, streamRounds: rounds } = deps.sizes;
    const rows = await measure(deps, { names: pipes, bytes, rounds, isTerminal: false });
    const title = `${megabytes(bytes)} of text through pipes`;
    return { name: 'output', title, rows, aims: pipeAims(rows) };
  },
};

export const outputTerminalScenario: Scenario = {
  name: 'output-pty',
  run: async (deps) => {
    const { terminalStreamBytes: bytes, streamRounds: rounds } = deps.sizes;
    const rows = await measure(deps, { names: terminals, bytes, rounds, isTerminal: true });
    const title = `${megabytes(bytes)} of text through a terminal`;
    return { name: 'output-pty', title, rows, aims: [] };
  },
};

interface Flood {
  readonly names: readonly ContenderName[];
  readonly bytes: number;
  readonly rounds: number;
  readonly isTerminal: boolean;
}

async function measure(
  deps: ScenarioDeps,
  { names, bytes, rounds, isTerminal }: Flood,
): Promise<readonly [Row, Row, Row]> {
  const textDir = deps.makeDir('text');
  const argv = producerOf(textDir, bytes, isTerminal);
  await using crew = await openCrew(deps, names);
  await sideBySide(crew, 1, (worker) => worker.task('stream', { argv, bytes }));
  const results = await sideBySide(crew, rounds, (worker) => {
    deps.progress(worker.contender);
    settleMemory(textDir, bytes);
    return worker.task('stream', { argv, bytes });
  });
  const lower = { unit: 'ms/GB', better: 'lower' } as const;
  return [
    rowOf(
      results,
      { measure: 'throughput', unit: 'GB/s', better: 'higher' },
      (r) => r.gigabytesPerSecond,
    ),
    rowOf(results, { measure: 'event loop', ...lower }, (r) => r.loopPerGigabyte.loopMs),
    rowOf(results, { measure: 'of it CPU', ...lower }, (r) => r.loopPerGigabyte.cpuMs),
  ];
}

function producerOf(dir: string, bytes: number, isTerminal: boolean): Argv {
  const fileBytes = Math.min(bytes, fileBytesMax);
  const path = join(dir, 'text');
  writeFileSync(path, line.repeat(Math.ceil(fileBytes / line.length)).slice(0, fileBytes));
  const paths = Array.from({ length: bytes / fileBytes }, () => path);
  if (!isTerminal) return ['/bin/cat', ...paths];
  /* Or the terminal would add a carriage return to every line. */
  return ['/bin/sh', '-c', 'stty raw; exec cat "$@"', 'sh', ...paths];
}

function pipeAims([throughput, loop]: readonly [Row, Row, Row]): readonly Aim[] {
  const against = 'child_process';
  return [
    aimOfRatio({
      text: 'output: at least as fast as a raw pipe',
      row: throughput,
      against,
      atLeast: 1,
    }),
    aimOfRatio({
      text: 'event loop per GB: at most 1/4 of a raw pipe',
      row: loop,
      against,
      atLeast: 4,
    }),
  ];
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}
