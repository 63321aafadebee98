/*
 * How a tool server is started for a run of this machine (tool-servers.ts of the tools): as this very program, with the
 * settings of the process that starts it.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolServerLaunch } from '@clawdfather/tools';
import type { Config } from '../config.ts';

/* Beside src and dist alike: a bundle keeps the places of the sources. */
const launcher = fileURLToPath(new URL('../../bin/clawdfather.cjs', import.meta.url));
const isBundle = basename(import.meta.dirname).startsWith('bundle');

export function toolServerLaunch(config: Config): ToolServerLaunch {
  const { commandEnv, stateDir, configFile } = config;
  return {
    argv: [process.execPath, launcher],
    env: {
      ...commandEnv,
      CLAWDFATHER_STATE_DIR: stateDir,
      ...(configFile === undefined ? {} : { CLAWDFATHER_CONFIG: configFile }),
      ...(isBundle ? { CLAWDFATHER_FROM: 'bundle' } : {}),
    },
  };
}
