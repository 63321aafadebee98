/*
 * An event as a page of history shows it: whole if it is small, else its beginning and the size of the rest.
 */
import type { BriefEvent } from '@clawdfather/agents';
import { briefJson } from '@clawdfather/kit';
import type { ShownEvent } from '@clawdfather/protocol/history';
import { formatTime } from '../http/format-time.ts';

/* Text of an agent is shown as it is: pieces of it are at most 32 KiB (W9), unless the agent sent more at once. */
const deltaBytesMax = 40 * 1024;
/* A prompt is what the reader has written; a page of it is enough. */
const messageBytesMax = 16 * 1024;
/* The output of a tool: a screen of it. */
const otherBytesMax = 8 * 1024;
const brief = { textMax: 2_048, charactersMax: 6_144 };

export function shownEvent({ seq, turnId, type, atMs, ...rest }: BriefEvent): ShownEvent {
  const { payload, wholeBytes } = rest;
  const event = { seq, turn_id: turnId ?? null, type, at: formatTime(atMs) };
  if (wholeBytes !== undefined) return { ...event, payload, cutBytes: wholeBytes };
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= bytesMaxOf(type)) return { ...event, payload };
  return { ...event, payload: briefJson(payload, brief), cutBytes: bytes };
}

function bytesMaxOf(type: string): number {
  if (type === 'delta') return deltaBytesMax;
  return type === 'message' ? messageBytesMax : otherBytesMax;
}
