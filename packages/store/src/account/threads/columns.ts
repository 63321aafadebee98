/*
 * Rows of packages/agents as columns: what an insert and an update of each write. The way back is `toRecord` and read.ts.
 *
 * Columns that never change after the insert are in no update: a prompt is not written again when its turn ends.
 */
import type {
  AgentRunRow,
  AskRow,
  CallRow,
  EventRow,
  FrameRow,
  ThreadRow,
  TurnRow,
} from '@clawdfather/agents';
import { briefJson } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import { briefLimits } from '../../limits.ts';
import { formatJson } from '../../schema/json-text.ts';
import type {
  AcpAsksTable,
  AcpCallsTable,
  AcpFramesTable,
  AgentRunsTable,
  TurnEventsTable,
  TurnsTable,
} from '../../schema/agent-tables.ts';
import type { Blobs } from './large-text.ts';

export interface ThreadName {
  readonly accountId: string;
  readonly threadId: string;
}

export function threadChanges(thread: ThreadRow) {
  const { nativeSessionId, chosen, currentChoices } = thread;
  return {
    // Of another machine it is known when that was reached first.
    cwd: thread.cwd,
    title: thread.title,
    status: thread.status,
    session_id: thread.sessionId ?? null,
    last_seq: thread.lastSeq,
    last_turn_id: thread.lastTurnId ?? null,
    last_result_code: thread.lastResultCode ?? null,
    native_session_id_json: nativeSessionId === undefined ? null : formatJson(nativeSessionId),
    chosen_json: chosen === undefined ? null : formatJson(chosen),
    current_choices_json: currentChoices === undefined ? null : formatJson(currentChoices),
    updated_at_ms: thread.updatedAtMs,
  };
}

export function turnChanges(turn: TurnRow) {
  const { usage, result, reaching } = turn;
  return {
    status: turn.status,
    run_id: turn.runId ?? null,
    prompt_call: turn.promptCall ?? null,
    prompt_end: turn.promptEnd ?? null,
    requeued_count: turn.requeuedCount,
    cancel_asked_at_ms: turn.cancelAskedAtMs ?? null,
    cancel_cause: turn.cancelCause ?? null,
    cancel_actor: turn.cancelActor ?? null,
    usage_json: usage === undefined ? null : formatJson(usage),
    result_json: result === undefined ? null : formatJson({ ...result }),
    reaching_json: reaching === undefined ? null : formatJson({ ...reaching }),
    first_output_at_ms: turn.firstOutputAtMs ?? null,
    priority: turn.priority,
    queue_key: turn.queueKey,
    ready_at_ms: turn.readyAtMs ?? null,
    instance_id: turn.instanceId ?? null,
    started_at_ms: turn.startedAtMs ?? null,
    deadline_at_ms: turn.deadlineAtMs ?? null,
    ended_at_ms: turn.endedAtMs ?? null,
  };
}

/** What was asked for: it may be edited while the turn waits. */
export function turnAsked({ prompt, loadClass, notBeforeMs }: TurnRow, blobs: Blobs) {
  const { json, hash } = blobs.largeText(prompt);
  return {
    prompt_json: json,
    prompt_hash: hash,
    load_class: loadClass,
    not_before_ms: notBeforeMs ?? null,
  };
}

export function turnColumns(
  { accountId, threadId, agent }: ThreadName & { readonly agent: string },
  turn: TurnRow,
  { place, blobs }: { readonly place: number; readonly blobs: Blobs },
): TurnsTable {
  return {
    account_id: accountId,
    id: turn.id,
    thread_id: threadId,
    place,
    agent,
    ...turnAsked(turn, blobs),
    artifact_dirs_json: turn.artifactDirs === undefined ? null : formatJson(turn.artifactDirs),
    requester: turn.requester,
    client_message_id: turn.clientMessageId ?? null,
    message_hash: turn.messageHash ?? null,
    trace: turn.trace ?? null,
    wake_id: turn.wakeId ?? null,
    wake_outcome: null,
    queued_at_ms: turn.queuedAtMs,
    ...turnChanges(turn),
  };
}

/** What every batch of output moves. No index has any of these columns. */
export function runProgress(run: AgentRunRow) {
  const { openMessage } = run;
  return {
    epoch: run.epoch,
    state: run.state,
    phase: run.phase,
    cursor: run.cursor,
    accepted_input: run.acceptedInput,
    next_call_id: run.nextCallId,
    next_input_offset: run.nextInputOffset,
    replayed_count: run.replayedCount,
    open_message_json: openMessage === undefined ? null : formatJson({ ...openMessage }),
  };
}

/** What changes a few times in the life of a run. */
export function runFacts(run: AgentRunRow) {
  const { seenBy, process, capabilities, closing, endedAtMs, choices, setting } = run;
  return {
    choices_json: choices === undefined ? null : formatJson(choices),
    setting_json: setting === undefined ? null : formatJson({ ...setting }),
    seen_by: seenBy ?? null,
    closing_json: closing === undefined ? null : formatJson({ ...closing }),
    root_pid: process?.rootPid ?? null,
    process_group_id: process?.processGroupId ?? null,
    start_ticks: process?.startTicks ?? null,
    boot_id: process?.bootId ?? null,
    capabilities_json: capabilities === undefined ? null : formatJson({ ...capabilities }),
    ended_at_ms: endedAtMs ?? null,
  };
}

export function runColumns({ accountId, threadId }: ThreadName, run: AgentRunRow): AgentRunsTable {
  return {
    account_id: accountId,
    run_id: run.runId,
    thread_id: threadId,
    lease_id: run.leaseId,
    instance_id: run.instanceId,
    command_hash: run.commandHash,
    program_root: run.programRoot,
    program_path: run.programPath,
    started_at_ms: run.startedAtMs,
    ...runProgress(run),
    ...runFacts(run),
  };
}

export function callColumns(accountId: string, runId: RunId, call: CallRow): AcpCallsTable {
  return {
    account_id: accountId,
    run_id: runId,
    id: call.id,
    method: call.method,
    turn_id: call.turnId ?? null,
    input_offset: call.inputOffset,
    state: call.state,
  };
}

export function askChanges({ state, decision, notedAheadAtMs, effect }: AskRow) {
  return {
    state,
    decision_json: decision === undefined ? null : formatJson({ ...decision }),
    noted_ahead_at_ms: notedAheadAtMs ?? null,
    effect_json: effect === undefined ? null : formatJson({ ...effect }),
  };
}

export function askColumns(
  { accountId, threadId }: ThreadName,
  ask: AskRow,
  blobs: Blobs,
): AcpAsksTable {
  const { json, hash } = blobs.largeText(ask.params);
  return {
    account_id: accountId,
    id: ask.id,
    thread_id: threadId,
    run_id: ask.runId,
    cursor: ask.cursor,
    wire_id_json: formatJson(ask.wireId),
    method: ask.method,
    class: ask.class,
    turn_id: ask.turnId ?? null,
    params_json: json,
    params_hash: hash,
    asked_at_ms: ask.askedAtMs,
    ...askChanges(ask),
  };
}

export function frameColumns(accountId: string, runId: RunId, frame: FrameRow): AcpFramesTable {
  const { inputOffset, text } = frame;
  return {
    account_id: accountId,
    run_id: runId,
    input_end: inputOffset + Buffer.byteLength(text),
    input_offset: inputOffset,
    text,
  };
}

export function eventColumns(
  { accountId, threadId }: ThreadName,
  event: EventRow,
  { changeId, blobs }: { readonly changeId: string | null; readonly blobs: Blobs },
): TurnEventsTable {
  const { json, hash } = blobs.largeText(event.payload);
  return {
    account_id: accountId,
    thread_id: threadId,
    seq: event.seq,
    turn_id: event.turnId ?? null,
    type: event.type,
    payload_json: json,
    payload_hash: hash,
    brief_json: hash === null ? null : formatJson(briefJson(event.payload, briefLimits)),
    at_ms: event.atMs,
    change_id: changeId,
  };
}
