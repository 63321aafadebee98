/*
 * One line of an agent as a JSON-RPC 2.0 message, or as noise. What is no message is never answered (W3).
 */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/* An agent's own id of what it asks, only ever echoed (W6). */
export type WireId = string | number | null;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

export type RpcMessage =
  | {
      readonly kind: 'request';
      readonly id: WireId;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: WireId; readonly result: Json }
  | { readonly kind: 'error'; readonly id: WireId; readonly error: RpcError };

/* How deep a message may be: real ones have a dozen levels. What is much deeper can be parsed and not written back, so it could never be stored. */
const levelsMax = 500;

export const methodNotFound = -32601;
export const invalidParams = -32602;

/* Undefined: noise. */
export function parseMessage(line: string): RpcMessage | undefined {
  const value = parseJson(line);
  if (!isObject(value) || isDeeper(value, levelsMax)) return undefined;
  const { id, method, result, error } = value;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return undefined;
  }
  if (typeof method === 'string') {
    const params = isObject(value['params']) ? value['params'] : {};
    return id === undefined
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params };
  }
  if (id === undefined || method !== undefined) return undefined;
  if (isObject(error)) return { kind: 'error', id, error: parseError(error) };
  return result === undefined ? undefined : { kind: 'result', id, result };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    /* Noise: agents print banners and warnings where messages belong. */
    return undefined;
  }
}

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function parseError({ code, message, data }: JsonObject): RpcError {
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'the agent gave no reason',
    data,
  };
}

/* The bytes of our messages. One line each: JSON escapes every newline in a text. */
export function formatRequest(id: number, method: string, params: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

export function formatNotification(method: string, params: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`;
}

export function formatResult(id: WireId, result: Json): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

export function formatError(id: WireId, error: RpcError): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`;
}
