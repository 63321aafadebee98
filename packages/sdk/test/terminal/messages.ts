/*
 * Messages as a gateway sends them, for clients that are tried without one.
 */
import type { RunServerMessage } from '@clawdfather/protocol/api';

type MessageOf<Type> = Extract<RunServerMessage, { type: Type }>;

const at = '2026-01-01T00:00:00.000Z';

export const exit: MessageOf<'run_ended'>['exit'] = {
  reason: 'exit',
  code: 0,
  signal: null,
  coreDumped: false,
  actor: null,
  detail: null,
  startedAt: at,
  endedAt: at,
  durationMs: 1,
  usage: null,
  killed: { pid: 0, pgid: 0, cgroup: 0 },
  escapees: 0,
  leftovers: [],
  survivors: [],
  undrainedBytes: 0,
  failure: null,
  cursor: '2.0',
};

export const run: MessageOf<'run'>['run'] = {
  runId: 'r1',
  state: 'running',
  command: 'sh',
  cwd: '/',
  host: 'local',
  pty: true,
  leftovers: 0,
  startedAt: at,
};

export function binaryMessage(
  cursor: string,
  bytes: Uint8Array,
  { kind = 1, stream = 1 }: { readonly kind?: number; readonly stream?: number } = {},
): ArrayBuffer {
  const [runIdText, cursorText] = [Buffer.from('r1'), Buffer.from(cursor)];
  const header = [kind, stream, runIdText.length, cursorText.length];
  const message = Uint8Array.from([...header, ...runIdText, ...cursorText, ...bytes]);
  return message.buffer;
}
