/*
 * The messages of JSON-RPC 2.0 as the fake agent sees them. Whatever is no message is noise and is never answered.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export type RpcId = number | string | null;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

export interface Request {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

export interface Answer {
  readonly kind: 'answer';
  readonly id: RpcId;
  /** The message without what every message has: `result` or `error`. */
  readonly outcome: JsonObject;
}

export type Received = Request | Notification | Answer | { readonly kind: 'noise' };

/** The codes that JSON-RPC and ACP give to errors. */
export const rpcErrorCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
} as const;

export function parseReceived(line: Buffer): Received {
  const message = parseJson(line.toString('utf8'));
  if (!isObject(message)) return { kind: 'noise' };
  const { id, method, params, result, error } = message;
  if (typeof method === 'string') {
    const given = isObject(params) ? params : {};
    return isId(id)
      ? { kind: 'request', id, method, params: given }
      : { kind: 'notification', method, params: given };
  }
  if (!isId(id)) return { kind: 'noise' };
  if (error !== undefined) return { kind: 'answer', id, outcome: { error } };
  return result === undefined ? { kind: 'noise' } : { kind: 'answer', id, outcome: { result } };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: Json | undefined): value is RpcId {
  return value === null || typeof value === 'number' || typeof value === 'string';
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    /* Noise is a kind of input here, not a failure. */
    return undefined;
  }
}

export function formatLine(message: object): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
