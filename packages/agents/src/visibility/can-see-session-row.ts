/*
 * Which sessions of agents another one may know of: one pure rule for the list, the history, sending and the status. All rows are of one
 * account; another account's are in no question.
 *
 * self    the requester
 * tree    and what it owns or has spawned, at any depth
 * agent   and all sessions of the same agent
 * all     and those of other agents that the settings allow it to talk to
 *
 * VI1 Each sees all that the one before it sees. So what a session has spawned is never out of its sight, whichever agent it is of.
 * VI2 Who is above a session was written when it was made. A row without an owner is nobody's, and nothing is guessed from a key.
 * VI3 A requester that is sandboxed sees its tree at most.
 */

/* From the least to the most (VI1). */
export const visibilities = ['self', 'tree', 'agent', 'all'] as const;
export type Visibility = (typeof visibilities)[number];

/* What agents of one kind may have to do with those of another. */
export interface A2aPolicy {
  readonly isEnabled: boolean;
  /* Names of agents: from, to. `*` is every agent. */
  readonly allow: readonly (readonly [from: string, to: string])[];
}

export interface VisibleRow {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly ownerSessionKey?: string | undefined;
  readonly spawnedBy?: string | undefined;
  readonly parentSessionKey?: string | undefined;
  /* Its parent, the parent of that, and so on, the first one first. */
  readonly ancestors?: readonly string[] | undefined;
}

export interface VisibilityQuestion {
  readonly row: VisibleRow;
  readonly requesterSessionKey: string;
  readonly requesterAgentId: string;
  readonly visibility: Visibility;
  readonly a2aPolicy: A2aPolicy;
}

export function canSeeSessionRow(question: VisibilityQuestion): boolean {
  const { row, requesterSessionKey, requesterAgentId, visibility, a2aPolicy } = question;
  if (row.sessionKey === requesterSessionKey) return true;
  if (visibility === 'self') return false;
  if (isBelow(row, requesterSessionKey)) return true;
  if (visibility === 'tree') return false;
  if (row.agentId === requesterAgentId) return true;
  return visibility === 'all' && isAllowed(a2aPolicy, requesterAgentId, row.agentId);
}

/* VI2 */
function isBelow(row: VisibleRow, key: string): boolean {
  const { ownerSessionKey, spawnedBy, parentSessionKey, ancestors = [] } = row;
  return [ownerSessionKey, spawnedBy, parentSessionKey, ...ancestors].includes(key);
}

function isAllowed({ isEnabled, allow }: A2aPolicy, from: string, to: string): boolean {
  const fits = (named: string, agentId: string): boolean => named === '*' || named === agentId;
  return isEnabled && allow.some((pair) => fits(pair[0], from) && fits(pair[1], to));
}

/* VI3 */
export function clampVisibility(visibility: Visibility, isSandboxed: boolean): Visibility {
  return isSandboxed && visibility !== 'self' ? 'tree' : visibility;
}
