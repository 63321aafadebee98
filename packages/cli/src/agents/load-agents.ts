/*
 * The one door from the command line to the package of agents: no other file may import it (ARCHITECTURE.md), and this one does so only
 * when a command needs it.
 */
export type {
  AgentList,
  InstallPlace,
  InstallProgress,
  ProbeResult,
  ProbeStep,
  ResolvedAgent,
  SignedIn,
} from '@clawdfather/agents';

export function loadAgents() {
  return import('@clawdfather/agents');
}
