/*
 * `npm run chaos -- [--cycles N | --turns N] [--seed N] [--dir DIRECTORY] [--keep]`
 */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  readonly cycles: number;
  /* So many gateways are killed while agents answer, instead. */
  readonly turns: number | undefined;
  /* The same seed plans the same campaign; when a kill arrives is up to the machine all the same. */
  readonly seed: number;
  readonly dir: string;
  /* The directory stays although nothing was wrong. */
  readonly isKept: boolean;
}

const seedMax = 2 ** 31;

export function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      cycles: { type: 'string', default: '200' },
      turns: { type: 'string' },
      seed: { type: 'string' },
      dir: { type: 'string', default: tmpdir() },
      keep: { type: 'boolean', default: false },
    },
  });
  return {
    cycles: parseCount('cycles', values.cycles),
    turns: values.turns === undefined ? undefined : parseCount('turns', values.turns),
    seed:
      values.seed === undefined
        ? Math.floor(Math.random() * seedMax)
        : parseCount('seed', values.seed),
    dir: resolve(values.dir),
    isKept: values.keep,
  };
}

function parseCount(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} takes a whole number`);
}
