/*
 * What was refused, as an error of JSON-RPC. There is one catalogue of refusals, the API's; here each gets the number that JSON-RPC has for
 * its kind, and in `data.code` the word by which programs tell them apart.
 */
import { rpcErrorCodes } from '@clawdfather/protocol/acp';
import type { ApiErrorCode } from '@clawdfather/protocol/api';
import { ApiError } from '../http/api-error.ts';

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly code: string };
}

/* A refusal with a word of its own on this wire. */
export class RpcRefusal extends ApiError {
  readonly rpcCode: string;

  constructor(code: ApiErrorCode, rpcCode: string, message: string) {
    super(code, message);
    this.rpcCode = rpcCode;
  }
}

const numbers: Readonly<Partial<Record<ApiErrorCode, number>>> = {
  unauthorized: rpcErrorCodes.auth,
  forbidden: rpcErrorCodes.auth,
  origin_refused: rpcErrorCodes.origin,
  host_refused: rpcErrorCodes.origin,
  validation_error: rpcErrorCodes.params,
  payload_too_large: rpcErrorCodes.request,
  unsupported_media_type: rpcErrorCodes.request,
};

const words: Readonly<Partial<Record<ApiErrorCode, string>>> = {
  not_found: 'ACP_SESSION_NOT_FOUND',
  // The reason in its detail says which of the two ways it was busy.
  queue_full: 'OPENCLAW_GATEWAY_BUSY',
};

export function rpcErrorOf(refusal: ApiError, traceId?: string): RpcErrorBody {
  const { code, message, detail, hint } = refusal;
  const word = refusal instanceof RpcRefusal ? refusal.rpcCode : (words[code] ?? code);
  return {
    code: numbers[code] ?? rpcErrorCodes.execution,
    message,
    data: {
      ...detail,
      code: word,
      ...(hint === undefined ? {} : { hint }),
      ...(traceId === undefined ? {} : { traceId }),
    },
  };
}

/* Of what is no call at all: there is no method that could have refused it. */
export function rpcErrorWith(kind: 'parse' | 'request' | 'method', message: string): RpcErrorBody {
  const word = { parse: 'parse_error', request: 'invalid_request', method: 'method_not_found' };
  return { code: rpcErrorCodes[kind], message, data: { code: word[kind] } };
}
