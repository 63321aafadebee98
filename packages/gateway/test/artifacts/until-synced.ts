/*
 * Waits until what a turn has left was looked at. The outcome has no event where there is nothing, so the turn itself is asked.
 */
import { setImmediate } from 'node:timers/promises';
import type { ApiCaller } from '../fixtures/api-caller.ts';

export async function untilSynced(me: ApiCaller, turnId: string) {
  for (;;) {
    const { body } = await me.get(`turns/${turnId}/artifacts`);
    if (body['artifact_sync'].status !== 'syncing') return body;
    await setImmediate();
  }
}
