/*
 * The events whose names and details docs/observability.md reserves. They are typed, so that no caller can name them otherwise.
 *
 * A command is only ever its keyed hash (command-hash.ts). `stderr` is an ssh client's about a connection, never a command's.
 */
import type { Log } from '@clawdfather/kit';

export interface DocumentedEvents {
  'ssh.connect.start': { host: string; port: number; username: string };
  'ssh.connect.success': { host: string; port: number; latency_ms: number };
  'ssh.connect.failed': { host: string; port: number; error: string; stderr: string };
  'ssh.exec.start': { command_hash: string };
  'ssh.exec.complete': {
    exit_code: number | null;
    duration_ms: number;
    stdout_bytes: number;
    stderr_bytes: number;
  };
  'ssh.exec.timeout': { timeout_ms: number; command_hash: string };
  'ssh.keepalive.failed': { missed_count: number };
  'ssh.disconnect': { reason: 'exit' | 'error' | 'keepalive'; cause: string };
  'session.start': { agent: string };
  'session.close': { reason: string; duration_ms: number };
  'session.timeout': { idle_ms: number };
  'session.error': { error_type: 'ssh_connect' | 'agent_spawn' | 'runtime'; error: string };
}

export type DocumentedEvent = keyof DocumentedEvents;

/* The level of each, as docs/observability.md has it. */
export const documentedEvents = {
  'ssh.connect.start': 'info',
  'ssh.connect.success': 'info',
  'ssh.connect.failed': 'error',
  'ssh.exec.start': 'debug',
  'ssh.exec.complete': 'info',
  'ssh.exec.timeout': 'warn',
  'ssh.keepalive.failed': 'warn',
  'ssh.disconnect': 'info',
  'session.start': 'info',
  'session.close': 'info',
  'session.timeout': 'info',
  'session.error': 'error',
} as const satisfies Readonly<Record<DocumentedEvent, 'debug' | 'info' | 'warn' | 'error'>>;

/* Writes one of them at its level. `log` is a child that carries the session, the connection and the trace. */
export function logDocumented<Name extends DocumentedEvent>(
  log: Log,
  name: Name,
  detail: Readonly<DocumentedEvents[Name]>,
): void {
  const level: (typeof documentedEvents)[DocumentedEvent] = documentedEvents[name];
  if (level === 'info') log.event(name, detail);
  else log[level](name, detail);
}
