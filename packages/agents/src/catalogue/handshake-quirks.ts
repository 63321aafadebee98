/*
 * What an agent does differently, as far as the handshake has to know.
 */
import type { AgentSetup } from '../decide/handshake.ts';
import type { ResolvedAgent } from './resolve-agent.ts';

export interface HandshakeQuirks extends Pick<AgentSetup, 'authenticateBy'> {
  readonly neverLoad: boolean;
}

/* `env`: all that the agent gets. `ageMs`: of its conversation. */
export function handshakeQuirks(
  { quirks }: Pick<ResolvedAgent, 'quirks'>,
  env: Readonly<Record<string, string>>,
  ageMs: number,
): HandshakeQuirks {
  const variable = Object.keys(quirks.authenticateFor).find((name) => (env[name] ?? '') !== '');
  const authenticateBy = variable && quirks.authenticateFor[variable];
  const isSpoiled = ageMs < quirks.loadErasesYoungerThanMs;
  return {
    neverLoad: isSpoiled || !quirks.takesUpBy.includes('load'),
    ...(authenticateBy === undefined ? {} : { authenticateBy }),
  };
}
