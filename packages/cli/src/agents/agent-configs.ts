/*
 * The agents of the settings as they are started: files with keys are read here, once, and paths are made whole.
 */
import type { RunLimits } from '@clawdfather/supervisor';
import type { Config } from '../config.ts';
import type { AgentSetting, EnvValue } from '../config/agent-kinds.ts';
import type { AgentLimits } from '../config/agent-limits.ts';
import { absolutePath } from '../config/settings.ts';
import { readSecretFile } from '../gateway/read-secret.ts';
import type { GatewayConfig } from '../serve.ts';

export type AgentConfig = NonNullable<GatewayConfig['agents']>['named'][number];

/* `only`: the files of other agents are left alone. Throws for a file that others can read. */
export function agentConfigsFrom(config: Config, only?: string): readonly AgentConfig[] {
  return config.values.agents
    .filter(({ name }) => only === undefined || name === only)
    .map((setting) => agentConfigFrom(config, setting));
}

function agentConfigFrom(
  config: Config,
  { env, cwd, limits, ...setting }: AgentSetting,
): AgentConfig {
  const { timeMs, ...others } = limits ?? {};
  const runLimits = runLimitsOf(others);
  return {
    ...setting,
    ...(env === undefined ? {} : { env: environmentOf(config, setting.name, env) }),
    ...(cwd === undefined ? {} : { cwd: absolutePath(cwd, config) }),
    ...(Object.keys(runLimits).length === 0 ? {} : { limits: runLimits }),
    ...(timeMs === undefined ? {} : { timeoutMs: timeMs }),
  };
}

function environmentOf(
  config: Config,
  agent: string,
  env: Readonly<Record<string, EnvValue>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      const setting = `agents.${agent}.env.${name}`;
      return [name, readSecretFile({ path: absolutePath(value.file, config), setting })];
    }),
  );
}

function runLimitsOf({
  memory,
  processes,
  cpu,
  openFiles,
  fileSize,
}: Omit<AgentLimits, 'timeMs'>): RunLimits {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpu === undefined ? {} : { cpuSeconds: cpu }),
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(fileSize === undefined ? {} : { fileBytes: fileSize }),
  };
}
