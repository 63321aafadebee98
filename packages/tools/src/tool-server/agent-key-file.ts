/*
 * Where the key of an agent's run lies, for the server of its tools: below the state directory, which no shield shows. Not in the directory
 * of the server's socket, which the agent's shield does show.
 */
import { join } from 'node:path';

/* Names the file to the server of the tools. The path is no secret. */
export const agentKeyVariable = 'CLAWDFATHER_AGENT_KEY_FILE';

export function agentKeysDir(stateDir: string): string {
  return join(stateDir, 'agent-keys');
}

export function agentKeyPath(stateDir: string, runId: string): string {
  return join(agentKeysDir(stateDir), runId);
}
