/*
 * The line to a socket of the gateway, a run's or a session's, over as many connections as it takes (docs/lifecycles.md). Pure.
 *
 * `attempt` counts the connections that brought nothing since the last that did; it decides how long the next one waits. A
 * connection that is accepted and then lost at once has brought nothing. `downSinceMs` is when the line was last good, or was first
 * opened: after a minute of that, people are told.
 */
import { apiErrors, isApiErrorCode, socketCloseCodes } from '@clawdfather/protocol/api/names';

export type Link =
  | { readonly kind: 'connecting'; readonly attempt: number; readonly downSinceMs: number }
  /* Signed in: messages come and go. */
  | { readonly kind: 'live'; readonly attempt: number }
  /* Until it is time for the next connection. */
  | { readonly kind: 'lost'; readonly attempt: number; readonly downSinceMs: number }
  | { readonly kind: 'over'; readonly end: LinkEnd };

export type LinkEnd =
  /* The run or the session has ended, and all was heard. */
  | { readonly kind: 'ended' }
  /* Closed by its user. */
  | { readonly kind: 'left' }
  /* The gateway said no for good, with a code of the API. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* A message was not as documented, or the user's signal was aborted. */
  | { readonly kind: 'failed'; readonly error: unknown };

export type LinkEvent =
  | { readonly kind: 'attached' }
  /* Anything that shows that the line is of use: output, events, the answer to a heartbeat. */
  | { readonly kind: 'heard' }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly atMs: number;
    }
  | {
      readonly kind: 'closed';
      readonly code: number;
      readonly reason: string;
      readonly atMs: number;
    }
  /* It is time for the next connection. */
  | { readonly kind: 'retry' }
  /* A person asks for it, or the network is back: now, and then as from the beginning. */
  | { readonly kind: 'retry-now' }
  /* The connection looks open and is not to be trusted, because the device slept: another one, now. */
  | { readonly kind: 'distrusted'; readonly atMs: number }
  | { readonly kind: 'over'; readonly end: LinkEnd };

export function nextLink(link: Link, event: LinkEvent): Link {
  if (link.kind === 'over') return link;
  switch (event.kind) {
    case 'over':
      return { kind: 'over', end: event.end };
    case 'retry':
      return link.kind === 'lost' ? { ...link, kind: 'connecting' } : link;
    case 'retry-now':
      return link.kind === 'lost' ? { ...link, kind: 'connecting', attempt: 0 } : link;
    case 'distrusted':
      return { kind: 'connecting', attempt: 0, downSinceMs: downSinceMs(link, event.atMs) };
    case 'attached':
      return link.kind === 'connecting' ? { kind: 'live', attempt: link.attempt } : link;
    case 'heard':
      return link.kind === 'live' && link.attempt > 0 ? { kind: 'live', attempt: 0 } : link;
    case 'refused':
      if (isLasting(event.code)) return refused(event.code, event.message);
      return lost(link, event.atMs);
    case 'closed':
      return endOfClose(event) ?? lost(link, event.atMs);
  }
}

type Open = Exclude<Link, { kind: 'over' }>;

function lost(link: Open, atMs: number): Link {
  if (link.kind === 'lost') return link;
  return { kind: 'lost', attempt: link.attempt + 1, downSinceMs: downSinceMs(link, atMs) };
}

function downSinceMs(link: Open, atMs: number): number {
  return link.kind === 'live' ? atMs : link.downSinceMs;
}

function refused(code: string, message: string): Link {
  return { kind: 'over', end: { kind: 'refused', code, message } };
}

/* Waiting does not change it. A code that only a newer gateway knows is taken for one of these, or we would ask for ever. */
function isLasting(code: string): boolean {
  if (!isApiErrorCode(code)) return true;
  const { status } = apiErrors[code];
  return status < 500 && status !== apiErrors.rate_limited.status;
}

/*
 * Undefined: come again. Also after 1000: the end of the run or the session is heard before it, and then the line is over already. A 1000
 * that comes without one is from a phone that has put its page to sleep, or from something in between.
 */
function endOfClose({ code, reason }: Extract<LinkEvent, { kind: 'closed' }>): Link | undefined {
  switch (code) {
    case socketCloseCodes.policy:
      return refused('request_timeout', reason || 'the line was closed before it was signed in');
    case socketCloseCodes.ended:
      return refused('unauthorized', reason || apiErrors.unauthorized.meaning);
    case socketCloseCodes.notFound:
      return refused('not_found', reason || apiErrors.not_found.meaning);
    default:
      return undefined;
  }
}
