/*
 * The side door of protocol for JSON-RPC: what clients say at `/acp` and `/acp/rpc`, and what they are told. Safe in a browser.
 */
export {
  rpcAnswerSchema,
  rpcErrorCodes,
  rpcErrorSchema,
  rpcIdSchema,
  rpcLimits,
} from './json-rpc.ts';
export type { RpcAnswer, RpcId } from './json-rpc.ts';
export { findMethod, rpcMethods } from './methods.ts';
export type { RpcMethodName, RpcMethods, RpcParams, RpcResult } from './methods.ts';
export { renameParams } from './older-names.ts';
export type { RpcThread, Task } from './task.ts';
export { keepAliveMethod, updateMethod, updateSchema } from './update.ts';
export type { SessionUpdate, UpdateEvent } from './update.ts';
