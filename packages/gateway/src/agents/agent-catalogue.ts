/*
 * The agents of this gateway: those that the settings name, and the built-in ones that are installed.
 */
import { type AgentList, createAgentList, unknownAgent } from '@clawdfather/agents';
import { loginEnvironment } from '@clawdfather/kit';
import type { GatewayConfig } from '../gateway-config.ts';
import { ApiError } from '../http/api-error.ts';

export interface AgentCatalogue extends Pick<AgentList, 'resolve' | 'resolveOnHost' | 'list'> {
  /* Asked where a caller names none: the one of the settings, else the first that could be started. */
  defaultName(): string | undefined;
}

export function createAgentCatalogue({
  agents = { named: [] },
  runs,
}: Pick<GatewayConfig, 'agents' | 'runs'>): AgentCatalogue {
  const { defaultName, ...here } = agents;
  const environment = loginEnvironment(runs.environment);
  const agentList = createAgentList({ ...here, environment });
  const list: AgentList['list'] = () => agentList.list();
  return {
    resolve: (name) => agentList.resolve(name),
    resolveOnHost: (name) => agentList.resolveOnHost(name),
    list,
    defaultName: () => defaultName ?? list().find(({ isInstalled }) => isInstalled)?.name,
  };
}

export function noAgent(): ApiError {
  return new ApiError('unsupported', 'no agent is set up here', {
    hint: 'Install one with "clf agents install NAME", or set agents.NAME.command in the settings of the gateway.',
  });
}

/* With the name that was probably meant, as a start of it is refused. */
export function noAgentCalled(name: string, names: readonly string[]): ApiError {
  const { message, detail, hint } = unknownAgent(name, names);
  return new ApiError('not_found', message, { detail, ...(hint === undefined ? {} : { hint }) });
}
