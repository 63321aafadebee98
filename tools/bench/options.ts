/*
 * `npm run bench -- [--quick] [--only NAME]… [--json FILE] [--dir DIRECTORY]`
 */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fullSizes, quickSizes, type Sizes } from './sizes.ts';

export interface Options {
  readonly sizes: Sizes;
  readonly isQuick: boolean;
  /* Empty: all. */
  readonly only: readonly string[];
  /* Of the scenario `accounts` of the gateway. Empty: all. */
  readonly load: readonly string[];
  readonly jsonFile: string | undefined;
  /* Where state directories are made; the journals' disk is part of what is measured. */
  readonly dir: string;
}

export function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      load: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  return {
    sizes: values.quick ? quickSizes : fullSizes,
    isQuick: values.quick,
    only: values.only,
    load: values.load,
    jsonFile: values.json,
    dir: resolve(values.dir),
  };
}
