/*
 * One call of a tool: from the protocol's context to ours, from our result or error to the protocol's.
 *
 * A client that cancels ends what waits in the foreground. A client that is gone does not: a lost connection is no request
 * to cancel, and the run goes on. The library aborts in both cases; the reason tells them apart.
 */
import { CodedError, onAbort } from '@clawdfather/kit';
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { fitText } from './fit-result.ts';
import { errorCharactersMax } from './limits.ts';
import { requesterOf } from './client-name.ts';

export function errorResult(error: unknown): CallToolResult {
  const text = error instanceof Error ? error.message : String(error);
  const hint = error instanceof CodedError ? error.hint : undefined;
  const message = hint === undefined ? `${text}` : `${text}. ${hint}`;
  return { content: [{ type: 'text', text: fitText(message, errorCharactersMax) }], isError: true };
}

/* Aborts when the client cancels, and only then. */
export function cancellationOf(signal: AbortSignal): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = onAbort(signal, () => {
    if (!isDisconnect(signal.reason)) controller.abort(signal.reason);
  });
  return { signal: controller.signal, [Symbol.dispose]: stop };
}

function isDisconnect(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}

/* 2026-07-28 names the client in each request, earlier revisions once at the start. */
export function requesterOfCall(context: ServerContext, nameAtStart: string | undefined): string {
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY];
  const isNamed = typeof info === 'object' && info !== null && 'name' in info;
  return requesterOf(isNamed ? String(info.name) : nameAtStart);
}
