/*
 * One line of input to JSON-RPC messages, or to the answer that it deserves.
 *
 * Only the frame is looked at here: what a method's parameters must be is the protocol library's business. A line that is no
 * JSON, or no message, is answered with the codes of JSON-RPC and does no harm to the connection. An array is a batch
 * (2025-03-26); its messages are served one by one.
 */
import { INVALID_REQUEST, type JSONRPCMessage, PARSE_ERROR } from '@modelcontextprotocol/server';
import { batchMessagesMax } from './limits.ts';

/* `id` is null when none can be made out (JSON-RPC 2.0, section 5). */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

export type Inbound =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export function parseMessages(line: string): readonly Inbound[] {
  if (line.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [refused(null, PARSE_ERROR, 'Parse error: the line is not JSON')];
  }
  if (!Array.isArray(value)) return [parseMessage(value)];
  if (value.length === 0)
    return [refused(null, INVALID_REQUEST, 'Invalid request: an empty batch')];
  if (value.length > batchMessagesMax) {
    const why = `Invalid request: a batch of more than ${batchMessagesMax} messages`;
    return [refused(null, INVALID_REQUEST, why)];
  }
  return value.map(parseMessage);
}

export function refuse(id: Refusal['id'], code: number, message: string): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function refused(id: Refusal['id'], code: number, message: string): Inbound {
  return { kind: 'refused', refusal: refuse(id, code, message) };
}

function parseMessage(value: unknown): Inbound {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(null, INVALID_REQUEST, 'Invalid request: not an object');
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const id = isId(fields['id']) ? fields['id'] : null;
  const why = whyNoMessage(fields);
  return why === undefined
    ? { kind: 'message', message: value as JSONRPCMessage }
    : refused(id, INVALID_REQUEST, `Invalid request: ${why}`);
}

function whyNoMessage(fields: Readonly<Record<string, unknown>>): string | undefined {
  if (fields['jsonrpc'] !== '2.0') return 'jsonrpc must be "2.0"';
  if (fields['id'] !== undefined && !isId(fields['id'])) return 'id must be a string or an integer';
  const isAnswer = 'result' in fields || 'error' in fields;
  if (!isAnswer && typeof fields['method'] !== 'string') return 'method must be a string';
  const { params } = fields;
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
  return params === undefined || isObject ? undefined : 'params must be an object';
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
