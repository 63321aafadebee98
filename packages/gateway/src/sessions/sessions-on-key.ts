/*
 * The open sessions of an account that use a key, through their connection.
 */
import type { AccountQueries } from '@clawdfather/store';
import { listOpenSessions } from './list-open-sessions.ts';

export async function sessionsOnKey(
  { sessions, connections }: Pick<AccountQueries, 'sessions' | 'connections'>,
  keypairId: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { id, connectionId } of await listOpenSessions({ sessions })) {
    if (connectionId === undefined) continue;
    const connection = await connections.get(connectionId);
    const { keypairId: present, nextKeypairId: next } = connection ?? {};
    // While a key is being rotated both are offered: either may have let it in.
    if (present === keypairId || next === keypairId) found.push(id);
  }
  return found;
}
