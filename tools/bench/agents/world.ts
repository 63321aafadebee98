/*
 * A directory with a gateway's state, the agent's program, and gateways on it, one at a time.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../gateway/server-process.ts';
import { buildAgent } from './build-agent.ts';
import { endAgents } from './end-agents.ts';

export interface World {
  readonly directory: string;
  readonly agent: string;
  /* Resolves when it listens. */
  start(): Promise<ServerProcess>;
}

/* What was left running there is ended with it. */
export function openWorld(parent: string, name: string): World & AsyncDisposable {
  const directory = join(parent, name);
  mkdirSync(directory, { mode: 0o700 });
  const agent = buildAgent(directory);
  return {
    directory,
    agent,
    start: () => startServer('../agents/agents-server.ts', [directory, agent]),
    [Symbol.asyncDispose]: () => endAgents(directory),
  };
}
