/*
 * Exit notices where every call is an HTTP request of its own: a call is over when its answer has gone out, or never will.
 *
 * The library is not asked whether an answer was delivered: it hands it to a stream and forgets it. The exchange knows.
 */
import type { ExitNotices } from '@clawdfather/tools/mcp';
import { currentRequest, type McpRequest } from './mcp-request.ts';

/* For a session: its server lives as long as it does, and ids are unique in it. A call may also be cancelled by its id. */
export function noticesOfSession(notices: ExitNotices): ExitNotices {
  return {
    ...notices,
    begin: (callId, about) => {
      notices.begin(callId, about);
      currentRequest().onDone((isDelivered) => settle(notices, callId, isDelivered));
    },
  };
}

/*
 * For a server of one request. Two processes of one client may use the same id at the same time, so the request's own number stands
 * for it. The library closes such a server as soon as it has answered, which looks like a lost call; the exchange knows better.
 */
export function noticesOfRequest(notices: ExitNotices, request: McpRequest): ExitNotices {
  const callId = `request ${request.serial}`;
  return {
    ...notices,
    begin: (_id, about) => {
      notices.begin(callId, about);
      request.onDone((isDelivered) => settle(notices, callId, isDelivered));
    },
    tell: (_id, news) => notices.tell(callId, news),
    carry: () => notices.carry(callId),
    answered: () => {},
    lost: () => {},
  };
}

function settle(notices: ExitNotices, callId: string | number, isDelivered: boolean): void {
  if (isDelivered) notices.answered(callId);
  else notices.lost(callId);
}
