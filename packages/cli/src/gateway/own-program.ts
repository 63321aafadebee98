/*
 * This very program, for those who start it again in a process of its own.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/* Beside src and dist alike: a bundle keeps the places of the sources. */
const launcher = fileURLToPath(new URL('../../bin/clawdfather.cjs', import.meta.url));
const isBundle = basename(import.meta.dirname).startsWith('bundle');

export const ownArgv: readonly [string, string] = [process.execPath, launcher];
export const ownEnv: Readonly<Record<string, string>> = isBundle
  ? { CLAWDFATHER_FROM: 'bundle' }
  : {};
