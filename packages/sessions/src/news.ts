/*
 * What happened to sessions, for logs and metrics. The gateway that made a change announces it after it was stored. Changes by
 * other gateways are not announced; they show in the records.
 */
import type { CloseReason, SessionName } from './session.ts';

export interface EndedSession extends SessionName {
  /*
   * `closed`: on request. `idle`: no client came. `lost`: its owner was gone, and its connection as well. `failed`: what it needs could
   * not be had, or went away.
   */
  readonly cause: 'closed' | 'idle' | 'lost' | 'failed';
  readonly reason: CloseReason;
  /* Why it never was active, or failed. */
  readonly error: string | undefined;
  /* The code of that. */
  readonly errorCode?: string | undefined;
  readonly wasActive: boolean;
  /* From its start to its end. */
  readonly lifeMs: number;
  /* How long no client had been there. */
  readonly idleMs: number;
  readonly traceId: string | undefined;
}

export type SessionNews =
  | {
      readonly type: 'started';
      readonly session: SessionName;
      readonly agent: string;
      readonly traceId: string | undefined;
    }
  /* By a mistake of ours, or by its host; a start that was refused for a good reason is not told. */
  | { readonly type: 'start-failed' }
  | {
      readonly type: 'adopted';
      readonly session: SessionName;
      readonly epoch: number;
      /* The instance that had it. */
      readonly from: string;
    }
  | { readonly type: 'ended'; readonly session: EndedSession };

/* Cheap, and never throws. */
export type NewsListener = (news: SessionNews) => void;

export interface NewsDesk {
  readonly announce: NewsListener;
  /* Until the returned function is called. */
  subscribe(listener: NewsListener): () => void;
}

export function createNewsDesk(...subscribed: readonly NewsListener[]): NewsDesk {
  const listeners = new Set(subscribed);
  return {
    announce: (news) => {
      for (const listener of listeners) listener(news);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
