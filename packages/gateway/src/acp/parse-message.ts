/*
 * From the bytes of a message to the calls in it. What is no JSON, is too deep, or is no call is told apart, as JSON-RPC has it.
 *
 * A batch is an array of calls. Each is taken by itself: a bad one among them is answered as such, and does no harm to the others.
 */
import { type RpcId, rpcIdSchema, rpcLimits } from '@clawdfather/protocol/acp';
import { isTooDeep } from '../http/json-depth.ts';
import { type RpcErrorBody, rpcErrorWith } from './rpc-error.ts';

export interface RpcRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /* Undefined: a notification, which is not answered. */
  readonly id: RpcId | undefined;
}

export interface BadRequest {
  readonly error: RpcErrorBody;
  readonly id: RpcId;
}

export type RpcItem = RpcRequest | BadRequest;

export interface ParsedMessage {
  readonly items: readonly RpcItem[];
  readonly isBatch: boolean;
}

export function parseMessage(bytes: Buffer): ParsedMessage {
  const text = bytes.toString();
  if (isTooDeep(text, rpcLimits.depthMax))
    return single(bad('request', `no deeper than ${rpcLimits.depthMax} levels`));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return single(bad('parse', 'this is not JSON'));
  }
  return parseItems(json);
}

/* Of a message whose JSON was parsed, and found not to be too deep, by another. */
function parseItems(json: unknown): ParsedMessage {
  if (!Array.isArray(json)) return single(parseItem(json));
  if (json.length === 0) return single(bad('request', 'a batch has at least one call'));
  if (json.length > rpcLimits.batchMax) {
    return single(bad('request', `a batch has at most ${rpcLimits.batchMax} calls`));
  }
  return { items: json.map(parseItem), isBatch: true };
}

function single(item: RpcItem): ParsedMessage {
  return { items: [item], isBatch: false };
}

function parseItem(json: unknown): RpcItem {
  if (!isRecord(json)) return bad('request', 'a call is an object');
  const id = json['id'] === undefined ? { data: undefined } : rpcIdSchema.safeParse(json['id']);
  if ('success' in id && !id.success) {
    return bad('request', 'an id is a string, an exact number or null');
  }
  const refuse = (message: string): BadRequest => bad('request', message, id.data ?? null);
  if (json['jsonrpc'] !== '2.0') return refuse('jsonrpc is "2.0"');
  const { method, params = {} } = json;
  if (typeof method !== 'string') return refuse('method is a string');
  // By position nothing is taken: every parameter has a name.
  if (!isRecord(params)) return refuse('params is an object');
  return { method, params, id: id.data };
}

function bad(kind: 'parse' | 'request', message: string, id: RpcId = null): BadRequest {
  return { error: rpcErrorWith(kind, message), id };
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
