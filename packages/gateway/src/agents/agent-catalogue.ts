/*
 * The agents of this gateway: those that the settings name, and the built-in ones that are installed.
 */
import {
  type AgentSettings,
  builtInAgents,
  findInstalled,
  type InstalledAgent,
  type InstallPlace,
  readPlatform,
  type ResolvedAgent,
  resolveAgent,
  resolveOnHost,
} from '@clawdfather/agents';
import type { AgentsConfig } from '../gateway-config.ts';
import { ApiError } from '../http/api-error.ts';

export interface ListedAgent {
  readonly name: string;
  readonly title: string;
  readonly source: 'settings' | 'built-in';
  readonly isInstalled: boolean;
  readonly version: string | undefined;
}

export interface AgentCatalogue {
  /* Throws `agent-unknown`, `agent-not-installed`. */
  resolve(name: string): ResolvedAgent;
  /* For an SSH host. Throws `agent-unknown`, `agent-not-on-host`. */
  resolveOnHost(name: string): ResolvedAgent;
  list(): readonly ListedAgent[];
  /* Asked where a caller names none: the one of the settings, else the first that could be started. */
  defaultName(): string | undefined;
}

export function createAgentCatalogue(config: AgentsConfig = { named: [] }): AgentCatalogue {
  const { named, directory } = config;
  const settings = Object.fromEntries(
    named.map(({ name, ...agent }): [string, AgentSettings] => [name, agent]),
  );
  let place: InstallPlace | undefined;
  // Looked at for every start: an installation may come while we run.
  const installedOf = (name: string): InstalledAgent | undefined => {
    const entry = builtInAgents.find((candidate) => candidate.name === name);
    if (entry === undefined || directory === undefined) return undefined;
    place ??= { directory, platform: readPlatform(), node: process.execPath };
    return findInstalled(entry, place);
  };
  const list = (): readonly ListedAgent[] => {
    const configured = named.map(({ name, title, command }): ListedAgent => {
      const isInstalled = command !== undefined || installedOf(name) !== undefined;
      return { name, title: title ?? name, source: 'settings', isInstalled, version: undefined };
    });
    const others = builtInAgents.filter(({ name }) => !named.some((agent) => agent.name === name));
    return [...configured, ...others.map(({ name, title }) => builtIn(name, title))];
  };
  const builtIn = (name: string, title: string): ListedAgent => {
    const version = installedOf(name)?.version;
    return { name, title, source: 'built-in', isInstalled: version !== undefined, version };
  };
  return {
    resolve: (name) => resolveAgent(name, settings, installedOf(name)),
    resolveOnHost: (name) => resolveOnHost(name, settings),
    list,
    defaultName: () => config.defaultName ?? list().find(({ isInstalled }) => isInstalled)?.name,
  };
}

export function noAgent(): ApiError {
  return new ApiError('unsupported', 'no agent is set up here', {
    hint: 'Install one with "clf agents install NAME", or set agents.NAME.command in the settings of the gateway.',
  });
}
