/*
 * The end of a run, sent to a client that did not ask, in the way of its revision of the protocol.
 *
 * Up to 2025-11-25: a log message (`notifications/message`), which needs no subscription; `logging/setLevel` says from which level
 * on. 2026-07-28 sends nothing that was not asked for: a client listens (`subscriptions/listen`) to the run's resource and is
 * sent `notifications/resources/updated`, with the end beside it so that it need not be read.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { ExitNotice } from './next-notice.ts';
import { formatRunUri } from './run-resource.ts';

export type Era = 'legacy' | 'modern';

/* Names in `_meta` begin with a domain of their author; we use our package name. */
const exitMetaKey = 'clawdfather/exit';

export interface Pushing {
  readonly server: McpServer;
  readonly era: Era;
  /* Of one of several sessions, each with a level of its own. */
  readonly sessionId?: string | undefined;
}

export async function pushExit(
  { server, era, sessionId }: Pushing,
  notice: ExitNotice,
): Promise<void> {
  if (era === 'modern') return server.server.sendResourceUpdated(formatExitUpdate(notice));
  const isGood = notice.reason === 'exit' && notice.code === 0;
  return server.server.sendLoggingMessage(
    { level: isGood ? 'info' : 'warning', logger: 'clawdfather', data: shown(notice) },
    sessionId,
  );
}

/* What a listener to the run's resource is sent. */
export function formatExitUpdate(notice: ExitNotice) {
  return { uri: formatRunUri(notice.runId), _meta: { [exitMetaKey]: shown(notice) } };
}

/* The command is for results, which may be about many runs. */
function shown(notice: ExitNotice): Omit<ExitNotice, 'command'> {
  const { command: _command, ...data } = notice;
  return data;
}
