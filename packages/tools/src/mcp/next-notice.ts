/*
 * What a connection has been told about the end of one run: a pure transition (docs/lifecycles.md).
 *
 *   1. An end that a result has told is not told again.
 *   2. An end is pushed once, and named by one result; both, because a server cannot see whether its client shows a push.
 *   3. A result that was never sent has told nothing.
 */
import type { RequestId } from '@modelcontextprotocol/server';

export interface ExitNotice {
  /* `denied`: it waited for a person's decision and will never run. */
  readonly event: 'exit' | 'denied';
  readonly runId: string;
  readonly reason: string;
  readonly code?: number;
  readonly signal?: string;
  /* After the last byte that was known at the end. */
  readonly cursor?: string;
  readonly durationMs?: number;
  readonly command?: string;
}

export type NoticeState =
  | { readonly kind: 'following' }
  | { readonly kind: 'ended'; readonly notice: ExitNotice; readonly isPushed: boolean }
  /* In a result that has not been sent yet. */
  | {
      readonly kind: 'carried';
      readonly notice: ExitNotice;
      readonly isPushed: boolean;
      readonly callId: RequestId;
    }
  | { readonly kind: 'told' };

export type NoticeEvent =
  | { readonly type: 'ended'; readonly notice: ExitNotice }
  | { readonly type: 'pushed' }
  /* The client listens from now on; what was pushed before did not reach it. */
  | { readonly type: 'subscribed' }
  | { readonly type: 'carried'; readonly callId: RequestId }
  | { readonly type: 'call-lost'; readonly callId: RequestId }
  | { readonly type: 'told' };

export function nextNotice(state: NoticeState, event: NoticeEvent): NoticeState {
  if (event.type === 'told' || state.kind === 'told') return { kind: 'told' };
  if (state.kind === 'following') {
    return event.type === 'ended'
      ? { kind: 'ended', notice: event.notice, isPushed: false }
      : state;
  }
  switch (event.type) {
    case 'pushed':
      return { ...state, isPushed: true };
    case 'subscribed':
      return { ...state, isPushed: false };
    case 'carried':
      return { ...state, kind: 'carried', callId: event.callId };
    case 'call-lost': {
      if (state.kind !== 'carried' || state.callId !== event.callId) return state;
      const { notice, isPushed } = state;
      return { kind: 'ended', notice, isPushed };
    }
    case 'ended':
      return state;
  }
}
