/*
 * Maps the error codes of the tools, the threads, the supervisor and the shim to those of the API. One row per code that can reach a client;
 * the others are failures of ours or of the machine, and are reported as such.
 */
import { CodedError } from '@clawdfather/kit';
import type { AgentsErrorCode } from '@clawdfather/agents';
import type { ApiErrorCode } from '@clawdfather/protocol/api';
import type { SupervisorErrorCode } from '@clawdfather/supervisor';
import type { ThreadsErrorCode } from '@clawdfather/threads';
import type { ToolsErrorCode } from '@clawdfather/tools';

type RunErrorCode = ToolsErrorCode | SupervisorErrorCode | ThreadsErrorCode | AgentsErrorCode;

const table: Readonly<Partial<Record<RunErrorCode, ApiErrorCode>>> = {
  'account-not-local': 'forbidden',
  'agent-command-invalid': 'unsupported',
  'agent-elsewhere': 'unavailable',
  'agent-not-installed': 'unsupported',
  'agent-not-on-host': 'unsupported',
  'agent-not-started': 'agent_spawn_failed',
  'agent-unknown': 'validation_error',
  'answer-unfit': 'validation_error',
  'ask-decided': 'already_decided',
  'ask-not-found': 'not_found',
  'approval-unusable': 'already_decided',
  'cursor-invalid': 'validation_error',
  'env-refused': 'validation_error',
  'epoch-stale': 'epoch_stale',
  'host-unreachable': 'ssh_connect_failed',
  'input-blocked': 'input_blocked',
  'input-gap': 'gap',
  'input-invalid': 'validation_error',
  'input-refused': 'forbidden',
  'journal-limit-reached': 'journal_limit_reached',
  'lease-lost': 'unavailable',
  'limits-unsupported': 'unsupported',
  'message-reused': 'key_reused',
  'name-taken': 'name_taken',
  'no-place': 'session_limit_reached',
  'no-terminal': 'validation_error',
  'not-owner': 'epoch_stale',
  'not-running': 'not_running',
  'option-not-offered': 'option_not_offered',
  'outbox-full': 'input_blocked',
  'params-invalid': 'validation_error',
  'program-not-found': 'validation_error',
  'platform-unsupported': 'unsupported',
  'queue-crowded': 'queue_crowded',
  'queue-full': 'queue_full',
  'registry-busy': 'unavailable',
  'registry-closed': 'unavailable',
  'registry-full': 'storage_full',
  'run-ambiguous': 'not_found',
  'run-ended': 'not_running',
  'run-held': 'not_running',
  'run-limit-reached': 'run_limit_reached',
  'run-not-found': 'not_found',
  'run-running': 'still_running',
  'shim-unreachable': 'unavailable',
  'signal-unknown': 'validation_error',
  'size-not-held': 'unsupported',
  'spawn-cancelled': 'not_running',
  'stdin-closed': 'not_running',
  'storage-full': 'storage_full',
  'supervisor-closed': 'unavailable',
  'thread-archived': 'thread_archived',
  'thread-not-found': 'not_found',
  'tools-closed': 'unavailable',
  'turn-not-found': 'not_found',
  'turn-not-waiting': 'not_waiting',
  'unknown-host': 'validation_error',
  'unknown-run': 'not_found',
  'workdir-unusable': 'validation_error',
};

export function runErrorCode(error: unknown): ApiErrorCode | undefined {
  // The store and the gateway have other codes.
  return error instanceof CodedError ? table[error.code as RunErrorCode] : undefined;
}
