/*
 * The machine in general words: enough to judge the numbers by, nothing that tells whose it is.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, release, totalmem } from 'node:os';

export interface Machine {
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly kernel: string;
  readonly node: string;
  /* Of the directory with the journals. */
  readonly fileSystem: string;
  /* One, five and fifteen minutes before: others may be using the machine too. */
  readonly loadBefore: string;
}

export function describeMachine(dir: string): Machine {
  return {
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    kernel: release().split('-')[0] ?? 'unknown',
    node: process.version,
    fileSystem: fileSystemOf(dir),
    loadBefore: readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' '),
  };
}

function fileSystemOf(dir: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const holding = mounts.filter(
    ([, point = '']) => dir === point || dir.startsWith(withSlash(point)),
  );
  const nearest = holding.toSorted(([, a = ''], [, b = '']) => a.length - b.length).at(-1);
  return nearest?.[2] ?? 'unknown';
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
