/*
 * How a tool server is started for a run of this machine (tool-servers.ts of the tools): as this very program, with the
 * settings of the process that starts it.
 */
import type { ToolServerLaunch } from '@clawdfather/tools';
import type { Config } from '../config.ts';
import { ownArgv, ownEnv } from '../gateway/own-program.ts';

export function toolServerLaunch(config: Config): ToolServerLaunch {
  const { commandEnv, stateDir, configFile } = config;
  return {
    argv: ownArgv,
    env: {
      ...commandEnv,
      CLAWDFATHER_STATE_DIR: stateDir,
      ...(configFile === undefined ? {} : { CLAWDFATHER_CONFIG: configFile }),
      ...ownEnv,
    },
  };
}
