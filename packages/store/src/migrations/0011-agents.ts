/*
 * Version 11: threads with agents, in place of the tables of version 3, which no release has used. Immutable once released.
 *
 * - `threads.version` is compared and raised by every change of any row of a thread (docs/store.md).
 * - `last_seq` of a thread is its events' only counter.
 * - What is only needed while it is open (turns, runs, calls, asks) has an index of the open ones alone, so that finding them costs the
 *   same with ten and a million that have ended. The same indexes refuse a second running turn and a second living run of a thread.
 * - A frame is found by its end: one of which the agent has only a part is still to be sent.
 * - A text over 64 KiB is in `blobs`, by its SHA-256, and `…_hash` names it.
 * - A thread outlives its session, and a turn outlives its run, so these two are named without a foreign key.
 */
import type { ColumnTypes, Migration } from './migration.ts';

export const migration0011: Migration = {
  version: 11,
  name: 'agents',
  statements: (types) => [
    'DROP TABLE event_cursors',
    'DROP TABLE turn_events',
    'DROP TABLE turns',
    'DROP TABLE threads',
    ...threadStatements(types),
    ...turnStatements(types),
    ...runStatements(types),
    ...wireStatements(types),
  ],
};

function threadStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE blobs (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      hash TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (account_id, hash)
    ${tableEnd}`,
    `CREATE TABLE threads (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      id TEXT NOT NULL,
      version ${integer} NOT NULL,
      change_id TEXT,
      agent TEXT NOT NULL,
      connection_id TEXT,
      cwd TEXT NOT NULL,
      title TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('ready', 'queued', 'running', 'archived')),
      session_id TEXT,
      via_connection_id TEXT,
      backend TEXT NOT NULL,
      owner_id TEXT NOT NULL,
      spawned_by TEXT,
      parent_id TEXT,
      instance_id TEXT NOT NULL,
      last_seq ${integer} NOT NULL,
      last_turn_id TEXT,
      last_result_code TEXT,
      native_session_id_json TEXT,
      created_at_ms ${integer} NOT NULL,
      updated_at_ms ${integer} NOT NULL,
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, connection_id) REFERENCES ssh_connections (account_id, id),
      FOREIGN KEY (account_id, via_connection_id) REFERENCES ssh_connections (account_id, id),
      FOREIGN KEY (account_id, parent_id) REFERENCES threads (account_id, id)
    ${tableEnd}`,
    `CREATE INDEX threads_newest ON threads (account_id, created_at_ms)`,
  ];
}

function turnStatements({ integer, tableEnd, keyedTableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE turns (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      place ${integer} NOT NULL,
      status TEXT NOT NULL
        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted')),
      prompt_json TEXT,
      prompt_hash TEXT,
      load_class TEXT NOT NULL,
      requester TEXT NOT NULL,
      client_message_id TEXT,
      trace TEXT,
      run_id TEXT,
      prompt_call ${integer},
      prompt_end ${integer},
      requeued_count ${integer} NOT NULL,
      cancel_asked_at_ms ${integer},
      cancel_cause TEXT,
      cancel_actor TEXT,
      usage_json TEXT,
      result_json TEXT,
      queued_at_ms ${integer} NOT NULL,
      started_at_ms ${integer},
      deadline_at_ms ${integer},
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id),
      FOREIGN KEY (account_id, prompt_hash) REFERENCES blobs (account_id, hash),
      CHECK ((prompt_json IS NULL) = (prompt_hash IS NOT NULL)),
      CHECK ((status IN ('queued', 'running')) = (ended_at_ms IS NULL))
    ${tableEnd}`,
    `CREATE INDEX turns_thread ON turns (account_id, thread_id, place)`,
    `CREATE UNIQUE INDEX turns_message ON turns (account_id, thread_id, client_message_id)
      WHERE client_message_id IS NOT NULL`,
    `CREATE INDEX turns_open ON turns (status, queued_at_ms, account_id, thread_id) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX turns_open_thread ON turns (account_id, thread_id, place) WHERE ended_at_ms IS NULL`,
    `CREATE UNIQUE INDEX turns_running ON turns (account_id, thread_id) WHERE status = 'running'`,
    `CREATE INDEX turns_blob ON turns (account_id, prompt_hash) WHERE prompt_hash IS NOT NULL`,
    `CREATE TABLE turn_events (
      account_id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      seq ${integer} NOT NULL,
      turn_id TEXT,
      type TEXT NOT NULL,
      payload_json TEXT,
      payload_hash TEXT,
      at_ms ${integer} NOT NULL,
      change_id TEXT,
      PRIMARY KEY (account_id, thread_id, seq),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id),
      FOREIGN KEY (account_id, payload_hash) REFERENCES blobs (account_id, hash),
      CHECK ((payload_json IS NULL) = (payload_hash IS NOT NULL))
    ${keyedTableEnd}`,
    `CREATE INDEX turn_events_blob ON turn_events (account_id, payload_hash) WHERE payload_hash IS NOT NULL`,
  ];
}

function runStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  return [
    `CREATE TABLE agent_runs (
      account_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      lease_id TEXT NOT NULL,
      instance_id TEXT NOT NULL,
      epoch ${integer} NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('open', 'closing', 'closed', 'lost')),
      phase TEXT NOT NULL
        CHECK (phase IN ('starting', 'initializing', 'authenticating', 'resuming', 'loading', 'creating',
          'ready', 'failed', 'once')),
      command_hash TEXT NOT NULL,
      program_root TEXT NOT NULL,
      program_path TEXT NOT NULL,
      root_pid ${integer},
      process_group_id ${integer},
      start_ticks ${integer},
      boot_id TEXT,
      closing_json TEXT,
      cursor TEXT NOT NULL,
      accepted_input ${integer} NOT NULL,
      next_call_id ${integer} NOT NULL,
      next_input_offset ${integer} NOT NULL,
      capabilities_json TEXT,
      replayed_count ${integer} NOT NULL,
      open_message_json TEXT,
      started_at_ms ${integer} NOT NULL,
      ended_at_ms ${integer},
      PRIMARY KEY (account_id, run_id),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id),
      CHECK ((state IN ('closed', 'lost')) = (ended_at_ms IS NOT NULL))
    ${tableEnd}`,
    `CREATE UNIQUE INDEX agent_runs_live ON agent_runs (account_id, thread_id) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX agent_runs_instance ON agent_runs (instance_id, started_at_ms) WHERE ended_at_ms IS NULL`,
    `CREATE INDEX agent_runs_thread ON agent_runs (account_id, thread_id, ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
    `CREATE INDEX agent_runs_ended ON agent_runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  ];
}

function wireStatements({ integer, tableEnd }: ColumnTypes): readonly string[] {
  const ofRun = `FOREIGN KEY (account_id, run_id) REFERENCES agent_runs (account_id, run_id) ON DELETE CASCADE`;
  return [
    `CREATE TABLE acp_frames (
      account_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      input_end ${integer} NOT NULL,
      input_offset ${integer} NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (account_id, run_id, input_end),
      ${ofRun}
    ${tableEnd}`,
    `CREATE TABLE acp_calls (
      account_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      id ${integer} NOT NULL,
      method TEXT NOT NULL,
      turn_id TEXT,
      input_offset ${integer} NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('sent', 'answered', 'abandoned')),
      PRIMARY KEY (account_id, run_id, id),
      ${ofRun}
    ${tableEnd}`,
    `CREATE INDEX acp_calls_sent ON acp_calls (account_id, run_id, id) WHERE state = 'sent'`,
    `CREATE TABLE acp_asks (
      account_id TEXT NOT NULL,
      id TEXT NOT NULL,
      thread_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      cursor TEXT NOT NULL,
      wire_id_json TEXT NOT NULL,
      method TEXT NOT NULL,
      class TEXT NOT NULL CHECK (class IN ('permission', 'question', 'effect')),
      turn_id TEXT,
      params_json TEXT,
      params_hash TEXT,
      state TEXT NOT NULL CHECK (state IN ('open', 'acting', 'answered', 'withdrawn', 'void')),
      asked_at_ms ${integer} NOT NULL,
      decision_json TEXT,
      noted_ahead_at_ms ${integer},
      effect_json TEXT,
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, thread_id) REFERENCES threads (account_id, id),
      ${ofRun},
      FOREIGN KEY (account_id, params_hash) REFERENCES blobs (account_id, hash),
      CHECK ((params_json IS NULL) = (params_hash IS NOT NULL))
    ${tableEnd}`,
    `CREATE INDEX acp_asks_run ON acp_asks (account_id, run_id)`,
    `CREATE INDEX acp_asks_open ON acp_asks (account_id, asked_at_ms) WHERE state = 'open'`,
    `CREATE INDEX acp_asks_open_thread ON acp_asks (account_id, thread_id, asked_at_ms)
      WHERE state IN ('open', 'acting')`,
    `CREATE INDEX acp_asks_ahead ON acp_asks (account_id, run_id, asked_at_ms) WHERE noted_ahead_at_ms IS NOT NULL`,
    `CREATE INDEX acp_asks_blob ON acp_asks (account_id, params_hash) WHERE params_hash IS NOT NULL`,
  ];
}
