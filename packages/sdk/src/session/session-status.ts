/*
 * How a session's line is, in the words that people are shown: one strip, never a page. Pure.
 *
 * A drop of less than 4 s is not worth a word; whoever shows this waits that long before `reconnecting`.
 */
import { RefusedError } from '../errors.ts';
import type { Link, LinkEnd } from '../link/next-link.ts';

export type SessionStatus =
  | { readonly kind: 'live' }
  | {
      readonly kind: 'reconnecting';
      /* Undefined: it is being tried now. */
      readonly retryInMs: number | undefined;
      /* For a minute by now: "Unable to reconnect", with a button. It goes on trying quietly. */
      readonly isUnable: boolean;
    }
  /* Connected to a gateway that was restarted; what happened meanwhile still comes. */
  | { readonly kind: 'gateway-restarted' }
  /* The device says that it has no network. */
  | { readonly kind: 'offline' }
  /* The gateway has refused the token or the cookie. */
  | { readonly kind: 'signed-out' }
  /* The session is over, or there is none: "Session expired". */
  | { readonly kind: 'expired' }
  /* Closed by its user, or broken by a message that was not as documented. */
  | { readonly kind: 'closed' };

export interface SessionFacts {
  readonly link: Link;
  readonly retryInMs: number | undefined;
  readonly isOnline: boolean;
  /* Restarted since it was last caught up. */
  readonly isRestarted: boolean;
  readonly nowMs: number;
}

/* After a minute of attempts a person is offered the next one. */
export const unableMs = 60_000;

export function sessionStatus(facts: SessionFacts): SessionStatus {
  const { link, isOnline, isRestarted, nowMs, retryInMs } = facts;
  switch (link.kind) {
    case 'over':
      return statusOfEnd(link.end);
    case 'live':
      return isRestarted ? { kind: 'gateway-restarted' } : { kind: 'live' };
    case 'connecting':
    case 'lost':
      if (!isOnline) return { kind: 'offline' };
      return {
        kind: 'reconnecting',
        retryInMs: link.kind === 'lost' ? retryInMs : undefined,
        isUnable: nowMs - link.downSinceMs >= unableMs,
      };
  }
}

function statusOfEnd(end: LinkEnd): SessionStatus {
  switch (end.kind) {
    case 'ended':
      return { kind: 'expired' };
    case 'left':
      return { kind: 'closed' };
    case 'refused':
      return statusOfRefusal(end.code);
    case 'failed':
      return end.error instanceof RefusedError
        ? statusOfRefusal(end.error.refusal.code)
        : { kind: 'closed' };
  }
}

function statusOfRefusal(code: string): SessionStatus {
  if (code === 'unauthorized') return { kind: 'signed-out' };
  return code === 'not_found' ? { kind: 'expired' } : { kind: 'closed' };
}
