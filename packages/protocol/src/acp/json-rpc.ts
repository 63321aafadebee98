/*
 * JSON-RPC 2.0 as clients speak it with a gateway (docs/protocol/json-rpc.md): ids, errors, answers, and the bounds of a message.
 */
import { z } from 'zod';

/* The first four are those of JSON-RPC, the others are ours. */
export const rpcErrorCodes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  auth: -32_001,
  /* `data.code` says why. */
  execution: -32_002,
  origin: -32_003,
} as const;

export const rpcLimits = {
  /* As the body of any other request. */
  messageBytesMax: 1024 * 1024,
  /* A client that starts again asks for the state of all that it has open; more is a mistake or an attack. */
  batchMax: 32,
  /* Prompts and answers are a few levels deep. What is much deeper only costs stack. */
  depthMax: 64,
  idCharactersMax: 256,
} as const;

/* A number has to be one that JSON keeps exactly, because it is sent back. */
export const rpcIdSchema = z.union([
  z.string().max(rpcLimits.idCharactersMax),
  z.number().refine((id) => !Number.isInteger(id) || Number.isSafeInteger(id), 'is not exact'),
  z.null(),
]);

export type RpcId = z.infer<typeof rpcIdSchema>;

/* Beside the result or the error of every answer. The generation grows with every start of the instance. */
export const rpcGatewaySchema = z
  .object({ instanceId: z.string(), generation: z.int() })
  .meta({ id: 'RpcGateway' });

export const rpcErrorSchema = z
  .object({
    code: z.int(),
    message: z.string(),
    data: z.looseObject({ code: z.string() }).optional(),
  })
  .meta({ id: 'RpcError' });

export const rpcAnswerSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: rpcIdSchema,
    result: z.unknown().optional(),
    error: rpcErrorSchema.optional(),
    gateway: rpcGatewaySchema.nullable(),
  })
  .meta({ id: 'RpcAnswer' });

export type RpcAnswer = z.infer<typeof rpcAnswerSchema>;
