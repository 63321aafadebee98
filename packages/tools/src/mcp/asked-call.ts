/*
 * One call while it is under way: what the tools are given of it, and what the connection's notices have to know of it.
 *
 * A call is over for the notices when its answer is handed to the wire, which the transport sees, or when the client takes it
 * back; not when the handler returns, because an answer to a cancelled call is never sent.
 */
import type { ExecResult, ProcessResult } from '@clawdfather/protocol';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { ToolCall } from '../context.ts';
import type { ExitNotices } from './exit-notices.ts';
import { resultCharactersMax } from './limits.ts';
import type { McpServerDeps } from './mcp-server.ts';
import type { ExitNotice } from './next-notice.ts';
import { newsOf } from './result-news.ts';
import { cancellationOf, requesterOfCall } from './tool-call.ts';

export interface Asking {
  readonly server: McpServer;
  readonly context: ServerContext;
  readonly notices: ExitNotices | undefined;
  /* The run that the call names, or the beginning of its id. */
  readonly about?: string | undefined;
}

export interface AskedCall extends Disposable {
  readonly call: ToolCall;
  /* The answer says this. */
  tell(result: ExecResult | ProcessResult): void;
  /* The answer has room for ends of other runs: these. */
  carry(): readonly ExitNotice[];
}

export function openCall(deps: McpServerDeps, asking: Asking): AskedCall {
  const { server, context, notices, about } = asking;
  const { id, signal } = context.mcpReq;
  const cancellation = cancellationOf(signal);
  notices?.begin(id, about);
  /* Stays as long as the request: it may be cancelled after its handler is done. */
  signal.addEventListener('abort', () => notices?.lost(id), { once: true });
  return {
    call: {
      signal: cancellation.signal,
      requester: requesterOfCall(context, server.server.getClientVersion()?.name),
      account: deps.account,
      sessionId: deps.sessionId,
      directory: deps.directory,
      outputCharactersMax: resultCharactersMax,
    },
    tell: (result) => notices?.tell(id, newsOf(result)),
    carry: () => notices?.carry(id) ?? [],
    [Symbol.dispose]: () => cancellation[Symbol.dispose](),
  };
}
