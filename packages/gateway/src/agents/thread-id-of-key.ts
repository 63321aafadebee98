/*
 * Gives a repeated request the id of the same thread.
 */
import { idOfHash } from '../http/id-of-hash.ts';

export function threadIdOfKey(accountId: string, key: string): string {
  return idOfHash('thread', accountId, key);
}
