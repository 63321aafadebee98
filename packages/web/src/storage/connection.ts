/*
 * The connection to the device's tables, which may be lost at any time: browsers on phones close it while the app is not seen. Then there is
 * a new one, and what was asked for is tried once more. Work is therefore such that doing it twice is doing it once.
 *
 * One that is open and does not answer is left alone for a while: what is asked for meanwhile is refused at once, so a browser whose database
 * is stuck costs its time once in that while, and not at each step.
 */
import { type Clock, within } from '@clawdfather/kit';
import type { DeviceTables } from './device-tables.ts';

export type WithDisk = <Result>(work: (disk: DeviceTables) => Promise<Result>) => Promise<Result>;

/* Long enough that the app is not held up again and again, short enough that what is typed meanwhile is soon kept. */
const silenceMs = 15_000;

export function connectTo(
  open: () => Promise<DeviceTables>,
  clock: Pick<Clock, 'monotonicMs'>,
): WithDisk {
  let opening: Promise<DeviceTables> | undefined;
  let silentUntilMs = 0;
  const attempt: WithDisk = async (work) => {
    if (clock.monotonicMs() < silentUntilMs) throw tooLate('it does not answer');
    const mine = (opening ??= open());
    let isOpen = false;
    try {
      const disk = await mine;
      isOpen = true;
      return await work(disk);
    } catch (error) {
      // A connection that says that there is no room is a good one. Others may have a new one already.
      if (opening === mine && !(isOpen && isFull(error))) opening = undefined;
      if (isOpen && isLate(error)) silentUntilMs = clock.monotonicMs() + silenceMs;
      throw error;
    }
  };
  return (work) =>
    attempt(work).catch((error: unknown) => {
      if (isFull(error)) throw error;
      return attempt(work);
    });
}

export function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}

/* It may be there and answer later, unlike one that is refused. */
export function isLate(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

export function tooLate(message: string): DOMException {
  return new DOMException(message, 'TimeoutError');
}

/*
 * Waits so long, once. Whoever asks while the slow one is still under way is refused at once, so that a browser that never answers costs its
 * time once; when it comes after all, the next one who asks gets it.
 */
export function openInTime<Opened>(
  open: () => Promise<Opened>,
  { clock, ms }: { readonly clock: Pick<Clock, 'timer'>; readonly ms: number },
): () => Promise<Opened> {
  let slow: { came?: Opened } | undefined;
  const late = (): never => {
    throw tooLate('it was not opened in time');
  };
  const goOn = (opening: Promise<Opened>): void => {
    const mine: { came?: Opened } = {};
    slow = mine;
    opening.then(
      (came) => {
        mine.came = came;
      },
      () => {
        if (slow === mine) slow = undefined;
      },
    );
  };
  return async () => {
    if (slow !== undefined) {
      const { came = late() } = slow;
      slow = undefined;
      return came;
    }
    const opening = open();
    return within(opening, {
      clock,
      ms,
      late: () => {
        goOn(opening);
        return late();
      },
    });
  };
}
