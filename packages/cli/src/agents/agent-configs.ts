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

/* `only`: of all others keys are left in their files, whose names stand in their places. Throws for a file that others can read. */
export function agentConfigsFrom(config: Config, only?: string): readonly AgentConfig[] {
  return config.values.agents.map((setting) => {
    const isRead = only === undefined || only === setting.name;
    return agentConfigFrom(config, setting, isRead);
  });
}

function agentConfigFrom(
  config: Config,
  { env, cwd, limits, login: _login, ...setting }: AgentSetting,
  isRead: boolean,
): AgentConfig {
  const { timeMs, ...others } = limits ?? {};
  const runLimits = runLimitsOf(others);
  const valueOf = (name: string, file: string): string => {
    const path = absolutePath(file, config);
    return isRead ? readSecretFile({ path, setting: `agents.${setting.name}.env.${name}` }) : path;
  };
  return {
    ...setting,
    ...(env === undefined ? {} : { env: environmentOf(env, valueOf) }),
    ...(cwd === undefined ? {} : { cwd: absolutePath(cwd, config) }),
    ...(Object.keys(runLimits).length === 0 ? {} : { limits: runLimits }),
    ...(timeMs === undefined ? {} : { timeoutMs: timeMs }),
  };
}

function environmentOf(
  env: Readonly<Record<string, EnvValue>>,
  valueOf: (name: string, file: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : valueOf(name, value.file),
    ]),
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
