/*
 * The line to a run's terminal, over as many connections as it takes (docs/lifecycles.md). Pure.
 *
 * `attempt` counts the connections that brought nothing since the last that did; it decides how long the next one waits. A
 * connection that is accepted and then lost at once has brought nothing.
 */
import { apiErrors, isApiErrorCode, socketCloseCodes } from '@clawdfather/protocol/api';

export type TerminalLink =
  | { readonly kind: 'connecting'; readonly attempt: number }
  /* Output comes, and input is taken. */
  | { readonly kind: 'live'; readonly attempt: number }
  /* Until it is time for the next connection. */
  | { readonly kind: 'lost'; readonly attempt: number }
  | { readonly kind: 'over'; readonly end: TerminalEnd };

export type TerminalEnd =
  /* The run has ended and all was heard. */
  | { readonly kind: 'exit' }
  /* Closed by its user. */
  | { readonly kind: 'left' }
  /* The gateway said no for good, with a code of the API. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /* A message was not as documented, or the user's signal was aborted. */
  | { readonly kind: 'failed'; readonly error: unknown };

export type LinkEvent =
  | { readonly kind: 'attached' }
  /* Output, or the answer to a heartbeat. */
  | { readonly kind: 'heard' }
  | {
      readonly kind: 'refused';
      readonly about: 'auth' | 'terminal.attach';
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  | { readonly kind: 'retry' }
  | { readonly kind: 'over'; readonly end: TerminalEnd };

export function nextTerminalLink(link: TerminalLink, event: LinkEvent): TerminalLink {
  if (link.kind === 'over') return link;
  switch (event.kind) {
    case 'over':
      return { kind: 'over', end: event.end };
    case 'retry':
      return link.kind === 'lost' ? { kind: 'connecting', attempt: link.attempt } : link;
    case 'attached':
      return link.kind === 'connecting' ? { kind: 'live', attempt: link.attempt } : link;
    case 'heard':
      return link.kind === 'live' && link.attempt > 0 ? { kind: 'live', attempt: 0 } : link;
    case 'refused':
      if (isLasting(event.code)) return refused(event.code, event.message);
      return lost(link);
    case 'closed':
      return endOfClose(event) ?? lost(link);
  }
}

function lost(link: Exclude<TerminalLink, { kind: 'over' }>): TerminalLink {
  return link.kind === 'lost' ? link : { kind: 'lost', attempt: link.attempt + 1 };
}

function refused(code: string, message: string): TerminalLink {
  return { kind: 'over', end: { kind: 'refused', code, message } };
}

/* Waiting does not change it. A code that only a newer gateway knows is taken for one of these, or we would ask for ever. */
function isLasting(code: string): boolean {
  if (!isApiErrorCode(code)) return true;
  const { status } = apiErrors[code];
  return status < 500 && status !== apiErrors.rate_limited.status;
}

/*
 * Undefined: come again. Also after 1000: the end of the run is heard before it, and then the line is over already. A 1000 that comes without
 * one is from a phone that has put its page to sleep, or from something in between.
 */
function endOfClose({
  code,
  reason,
}: Extract<LinkEvent, { kind: 'closed' }>): TerminalLink | undefined {
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
