/*
 * Gives a repeated request the id of the same run.
 *
 * The run's id is made from the account and the key, so nothing has to be stored before the start, and a crash cannot
 * lose the connection between a key and its run (S1). A label of the run holds a hash of its request.
 */
import { idOfHash } from '../http/id-of-hash.ts';

export function runIdOfKey(account: string, key: string, attempt = 0): string {
  return idOfHash('run', account, key, String(attempt));
}
