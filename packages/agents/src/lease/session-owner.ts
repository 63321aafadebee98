/*
 * Whose an agent's session is: written when the session is made, by every writer, and never guessed from a name later.
 *
 * The key of a session is the id of its thread. A session that a person began owns itself; one that another session asked for is owned
 * by that one.
 */
import type { ThreadRow } from '../rows.ts';

export interface AgentSessionOwner {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly backend: string;
  readonly ownerSessionKey: string;
  readonly spawnedBy?: string | undefined;
  readonly parentSessionKey?: string | undefined;
  /* The first one first, the parent last. */
  readonly ancestors: readonly string[];
  readonly gatewayInstanceId: string;
  readonly createdAtMs: number;
}

export function ownerOf(thread: ThreadRow): AgentSessionOwner {
  const { spawnedBy, parentId, ancestors } = thread;
  return {
    sessionKey: thread.id,
    agentId: thread.agent,
    backend: thread.backend,
    ownerSessionKey: thread.ownerId,
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
    ...(parentId === undefined ? {} : { parentSessionKey: parentId }),
    ancestors,
    gatewayInstanceId: thread.instanceId,
    createdAtMs: thread.createdAtMs,
  };
}
