/*
 * Runs in a page: follows a session with the sdk as any page could, by its cookie, and keeps what it has heard where a test finds it.
 */
import { createRandom, createSystemClock } from '@clawdfather/kit';
import {
  createClient,
  openSession,
  type SessionHappening,
  type SessionLine,
  type SessionStatus,
  type ThreadEvent,
} from '@clawdfather/sdk';

export interface SessionInPage {
  readonly line: SessionLine;
  readonly events: readonly ThreadEvent[];
  readonly others: readonly SessionHappening[];
  readonly statuses: readonly SessionStatus[];
  /* What the loop over it ended with; undefined while it goes on. */
  readonly end: string | undefined;
}

const clock = createSystemClock();
/* Attempts follow each other at once; what takes longer keeps its time. */
const hastyMs = (ms: number): number => (ms < 14_000 ? Math.min(ms, 100) : ms);

export function followSession(sessionId: string): SessionInPage {
  const events: ThreadEvent[] = [];
  const others: SessionHappening[] = [];
  const statuses: SessionStatus[] = [];
  let end: string | undefined;
  const line = openSession(
    { client: createClient({ baseUrl: location.origin }), sessionId, after: 0 },
    {
      clock: {
        ...clock,
        timer: (ms, fire) => clock.timer(hastyMs(ms), fire),
        sleep: (ms, signal) => clock.sleep(hastyMs(ms), signal),
      },
      random: createRandom((target) => crypto.getRandomValues(target)),
      onStatus: (status) => void statuses.push(status),
    },
  );
  const read = async (): Promise<void> => {
    for await (const one of line) {
      if (one.kind === 'event') events.push(one.event);
      else others.push(one);
    }
  };
  read().then(
    () => {
      end = 'left';
    },
    (error: unknown) => {
      end = String(error);
    },
  );
  return {
    line,
    events,
    others,
    statuses,
    get end() {
      return end;
    },
  };
}
