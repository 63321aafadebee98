/*
 * What waits in the outbox, sent by the worker when the system says that there is a network.
 *
 * Also while tabs are open: one of them may be frozen, and who sends is settled by the lock. They are not asked to do it, because
 * each has its own rhythm of trying again, which a system that only believes that there is a network must not hasten.
 */
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient, createOutbox, createOutboxWire } from '@clawdfather/sdk';
import { callLimitMs } from '../data/call-limit-ms.ts';
import { createDeviceOutboxStore } from '../outbox/outbox-store.ts';
import { openTabs } from '../state/tabs.ts';
import { openIdb } from '../storage/open-idb.ts';
import type { WorkerScope } from './worker-scope.ts';

/* Rejects while something waits: then the system asks again, later. */
export async function sendWaiting({ location }: WorkerScope): Promise<void> {
  const clock = createSystemClock();
  // What tabs send waits meanwhile.
  const callLimit = { clock, ms: callLimitMs };
  const client = createClient({ baseUrl: location.origin, callLimit });
  const tables = await openIdb(clock);
  const tabs = openTabs();
  const outbox = createOutbox({
    store: createDeviceOutboxStore(tables, navigator.locks),
    wire: createOutboxWire(client),
    clock,
    random: createSystemRandom(),
    onChange: () => tabs.tell('outbox'),
  });
  if ((await outbox.flush()) === 'stopped') throw new Error('something still waits');
}
