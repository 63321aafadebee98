/*
 * The tables of threads with agents (migration 10). Their rows are those of packages/agents, a column for each field.
 *
 * Text that an agent chose is JSON: it may hold NUL and lone surrogates, which a column of text cannot.
 */
import type {
  AgentCapabilities,
  AgentRunRow,
  AskDecision,
  AskRow,
  CallRow,
  CancelCause,
  Choice,
  Chosen,
  Closing,
  CurrentChoice,
  EffectRecord,
  EventType,
  JsonObject,
  LoadClass,
  OpenMessage,
  Reaching,
  Setting,
  ThreadStatus,
  TurnCode,
  TurnResult,
  TurnStatus,
  WakeOutcome,
  WireId,
} from '@clawdfather/agents';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import type { JsonText } from './json-text.ts';

/** An interface as the plain object that JSON makes of it. */
type Plain<Value> = { readonly [Name in keyof Value]: Value[Name] };

export interface BlobsTable {
  account_id: string;
  hash: string;
  body: string;
}

export interface ThreadsTable {
  account_id: string;
  id: string;
  version: number;
  /** Of the change that made this version (account/threads/commit.ts). */
  change_id: string | null;
  agent: string;
  connection_id: string | null;
  cwd: string;
  title: string;
  status: ThreadStatus;
  session_id: string | null;
  via_connection_id: string | null;
  /** Whose it is: written once, when it is made. */
  backend: string;
  owner_id: string;
  spawned_by: string | null;
  parent_id: string | null;
  /** Who is above it, the first one first; and that one. Written once, too. */
  ancestors_json: JsonText<readonly string[]>;
  root_id: string | null;
  /** The gateway that made it. */
  instance_id: string;
  last_seq: number;
  last_turn_id: string | null;
  last_result_code: TurnCode | null;
  native_session_id_json: JsonText<string> | null;
  created_at_ms: number;
  updated_at_ms: number;
  /** Up to which event a person has looked; moved by no change of the thread. */
  seen_seq: number;
  /** By a person; moved by no change of the thread, too. */
  pinned_at_ms: number | null;
  chosen_json: JsonText<Chosen> | null;
  current_choices_json: JsonText<readonly CurrentChoice[]> | null;
}

/** What agents let people choose, as a session of theirs last said; by host, '' for the gateway's own machine. */
export interface AgentChoicesTable {
  account_id: string;
  connection_id: string;
  agent: string;
  choices_json: JsonText<readonly Choice[]>;
  seen_at_ms: number;
}

export interface TurnsTable {
  account_id: string;
  id: string;
  thread_id: string;
  /** Grows with every turn that is added: the order of the thread's turns. */
  place: number;
  /** Of its thread. */
  agent: string;
  /** Its place in the queue of its account; after them `place` and `id`, so that it is one place. */
  priority: number;
  queue_key: number;
  not_before_ms: number | null;
  /** While it waits for nothing but room. */
  ready_at_ms: number | null;
  /** The gateway that has admitted it. */
  instance_id: string | null;
  status: TurnStatus;
  prompt_json: JsonText<readonly JsonObject[]> | null;
  prompt_hash: string | null;
  load_class: LoadClass;
  artifact_dirs_json: JsonText<readonly string[]> | null;
  requester: string;
  client_message_id: string | null;
  /** Of what was asked under that id; whatever is edited later. */
  message_hash: string | null;
  trace: string | null;
  /** The thread that is told of its end. */
  wake_id: string | null;
  /** What came of that; written by the one who told it. */
  wake_outcome: WakeOutcome | null;
  run_id: RunId | null;
  prompt_call: number | null;
  prompt_end: number | null;
  requeued_count: number;
  cancel_asked_at_ms: number | null;
  cancel_cause: CancelCause | null;
  cancel_actor: string | null;
  usage_json: JsonText<JsonObject> | null;
  result_json: JsonText<Plain<TurnResult>> | null;
  reaching_json: JsonText<Plain<Reaching>> | null;
  first_output_at_ms: number | null;
  queued_at_ms: number;
  started_at_ms: number | null;
  deadline_at_ms: number | null;
  ended_at_ms: number | null;
}

export interface TurnEventsTable {
  account_id: string;
  thread_id: string;
  seq: number;
  turn_id: string | null;
  type: EventType;
  payload_json: JsonText<JsonObject> | null;
  payload_hash: string | null;
  /** The beginning of a payload that is a blob. */
  brief_json: JsonText<JsonObject> | null;
  at_ms: number;
  /** Of the change that added it; only on the last event of a change. */
  change_id: string | null;
}

export interface AgentRunsTable {
  account_id: string;
  run_id: RunId;
  thread_id: string;
  lease_id: string;
  instance_id: string;
  epoch: number;
  seen_by: number | null;
  state: AgentRunRow['state'];
  phase: AgentRunRow['phase'];
  command_hash: string;
  program_root: string;
  program_path: string;
  root_pid: number | null;
  process_group_id: number | null;
  start_ticks: number | null;
  boot_id: string | null;
  closing_json: JsonText<Plain<Closing>> | null;
  cursor: Cursor;
  accepted_input: number;
  next_call_id: number;
  next_input_offset: number;
  capabilities_json: JsonText<Plain<AgentCapabilities>> | null;
  choices_json: JsonText<readonly Choice[]> | null;
  setting_json: JsonText<Plain<Setting>> | null;
  replayed_count: number;
  open_message_json: JsonText<Plain<OpenMessage>> | null;
  started_at_ms: number;
  ended_at_ms: number | null;
}

export interface AgentKeysTable {
  account_id: string;
  run_id: RunId;
  key_hash: string;
  created_at_ms: number;
}

export interface AcpFramesTable {
  account_id: string;
  run_id: RunId;
  input_end: number;
  input_offset: number;
  text: string;
}

export interface AcpCallsTable {
  account_id: string;
  run_id: RunId;
  id: number;
  method: string;
  turn_id: string | null;
  input_offset: number;
  state: CallRow['state'];
}

export interface AcpAsksTable {
  account_id: string;
  id: string;
  thread_id: string;
  run_id: RunId;
  cursor: Cursor;
  wire_id_json: JsonText<WireId>;
  method: string;
  class: AskRow['class'];
  turn_id: string | null;
  params_json: JsonText<JsonObject> | null;
  params_hash: string | null;
  state: AskRow['state'];
  asked_at_ms: number;
  decision_json: JsonText<Plain<AskDecision>> | null;
  noted_ahead_at_ms: number | null;
  effect_json: JsonText<Plain<EffectRecord>> | null;
}
