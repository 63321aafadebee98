/*
 * What an agent has said becomes rows, together with the cursor after it (X3). All of a batch or nothing. Times are the journal's (W10).
 */
import { assertNever } from '@clawdfather/kit';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import type { ThreadChange, ThreadRows, TurnRow } from '../rows.ts';
import { isObject, type RpcMessage } from '../wire/json-rpc.ts';
import type { WireItem, WireStep } from '../wire/wire-reader.ts';
import { advance } from './advance.ts';
import type { Consuming } from './consuming.ts';
import { Draft } from './draft.ts';
import type { AgentSetup } from './handshake.ts';
import { noteChoices } from './kept-choices.ts';
import type { MessageText } from './message-text.ts';
import { settleCall } from './settle-call.ts';
import { takeRequest, withdrawAsk } from './take-request.ts';
import { Texts, takeText, takeUpdate } from './take-update.ts';

export interface Batch {
  readonly runId: RunId;
  /* Under which the run is ours (O3). */
  readonly epoch: number;
  /* Where the first step begins. */
  readonly from: Cursor;
  readonly steps: readonly WireStep[];
}

export type ConsumeStep =
  | { readonly outcome: 'consumed'; readonly change: ThreadChange; readonly text: MessageText }
  /* The run is another's now, or not this thread's any more. */
  | { readonly outcome: 'superseded' }
  /* These steps are not the ones that come next: they were consumed before. */
  | { readonly outcome: 'elsewhere'; readonly cursor: Cursor };

export interface ConsumeFacts {
  readonly setup: AgentSetup;
  readonly text: MessageText;
  readonly atMs: number;
  /*
   * By a clock that does not jump, its deadline is not there yet. The journal has times of the wall clock only, which may have been
   * set forward since.
   */
  readonly isInTime?: ((turn: TurnRow) => boolean) | undefined;
}

export function consume(
  rows: ThreadRows,
  batch: Batch,
  { setup, text, atMs, isInTime }: ConsumeFacts,
): ConsumeStep {
  const { run } = rows;
  if (run === undefined || run.runId !== batch.runId || run.epoch !== batch.epoch) {
    return { outcome: 'superseded' };
  }
  if (run.cursor !== batch.from) return { outcome: 'elsewhere', cursor: run.cursor };
  const draft = new Draft(rows, atMs);
  const texts = new Texts(text);
  for (const { cursor, atMs: saidAtMs, items } of batch.steps) {
    const consuming = { draft, setup, texts, cursor, atMs: saidAtMs, isInTime };
    for (const item of items) takeItem(consuming, item);
    draft.changeRun({ cursor });
  }
  advance(draft, setup);
  return { outcome: 'consumed', change: draft.done(), text: texts.text };
}

function takeItem(consuming: Consuming, item: WireItem): void {
  const { draft, atMs } = consuming;
  switch (item.kind) {
    case 'message':
      takeMessage(consuming, item.message);
      return;
    case 'text':
      takeText(consuming, item.text);
      return;
    case 'noise':
      draft.event('noise', { stream: 'stdout', text: item.text, bytes: item.bytes }, { atMs });
      return;
    case 'stderr': {
      const { text, droppedBytes } = item;
      draft.event('noise', { stream: 'stderr', text, droppedBytes }, { atMs });
      return;
    }
    case 'accepted':
      draft.changeRun({ acceptedInput: item.inputOffset });
      return;
    case 'lost': {
      const facts = { text: 'output is missing here', missedBytes: item.missedBytes };
      draft.event('noise', { stream: 'journal', ...facts }, { atMs });
      return;
    }
    case 'overlong': {
      const facts = { text: 'a message was too long', bytes: item.bytes };
      draft.event('noise', { stream: 'stdout', ...facts }, { atMs });
      return;
    }
    default:
      assertNever(item);
  }
}

function takeMessage(consuming: Consuming, message: RpcMessage): void {
  switch (message.kind) {
    case 'notification':
      takeNotification(consuming, message);
      return;
    case 'request':
      takeRequest(consuming, message);
      return;
    case 'result':
    case 'error':
      settleCall(consuming, message);
      return;
    default:
      assertNever(message);
  }
}

function takeNotification(
  consuming: Consuming,
  { method, params }: Extract<RpcMessage, { kind: 'notification' }>,
): void {
  const { draft, atMs } = consuming;
  if (method === 'session/update') {
    // The replay of a load is what is stored already (W11).
    const { phase, replayedCount } = draft.changeRun({});
    if (phase === 'loading') draft.changeRun({ replayedCount: replayedCount + 1 });
    else {
      takeUpdate(consuming, isObject(params['update']) ? params['update'] : params);
      noteChoices(draft, params, atMs);
    }
    return;
  }
  if (method === '$/cancel_request') withdrawAsk(consuming, params['requestId']);
  else draft.event('noise', { method, raw: params }, { atMs });
}
