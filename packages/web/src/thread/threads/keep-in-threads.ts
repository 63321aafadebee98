/*
 * A thread that was opened is in the kept list of threads, too, as it is now: who begins one, and loses the gateway before the list was read
 * again, finds it by its name.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { DeviceStorage } from '../../storage/device-storage.ts';

/* The number grows when the shape of the list changes. */
export const threadsKey = 'threads-3';

type Thread = AnswerOf<Api['threads']['get']>['thread'];

interface KeptList {
  readonly threads: readonly Thread[];
  readonly total: number;
}

export async function keepInThreads(
  { snapshots, writer }: Pick<DeviceStorage, 'snapshots' | 'writer'>,
  thread: Thread,
): Promise<void> {
  const { snapshot } = writer();
  const kept = await snapshots.read<KeptList>(threadsKey);
  if (kept === undefined || thread.status === 'archived') return;
  const { threads, total } = kept.value;
  const isInIt = threads.some(({ id }) => id === thread.id);
  const list = {
    ...kept.value,
    threads: isInIt
      ? threads.map((one) => (one.id === thread.id ? thread : one))
      : [thread, ...threads],
    total: isInIt ? total : total + 1,
  };
  // What else is in it is as old as it was.
  await snapshot(threadsKey, list, kept.atMs);
}
