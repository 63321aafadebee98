/*
 * `POST /acp/rpc`: JSON-RPC over HTTP, answered with JSON, or with a stream of server-sent events where that is asked for
 * (docs/protocol/json-rpc.md).
 *
 * Stages: 1 names and origin (create-server.ts) · 2 who is it · 3 the body, as it came · 4 each call in its turn (answer-call.ts). What is
 * refused before the calls are known has the status of the API and the shape of JSON-RPC; from there on the status is 200.
 */
import { type RpcAnswer, rpcLimits } from '@clawdfather/protocol/acp';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, toApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { admit, awaitTurn, type RegisterDeps } from '../http/register-endpoints.ts';
import { openEventStream } from '../runs/event-stream.ts';
import {
  type AnswerDeps,
  answerCall,
  answerEach,
  type Answered,
  formatAnswer,
  refusalOf,
} from './answer-call.ts';
import { parseMessage, type RpcItem } from './parse-message.ts';
import { type RpcAsker, threadsFor } from './rpc-call.ts';
import { rpcEndpoint as endpoint } from './rpc-endpoint.ts';
import { rpcErrorOf, rpcErrorWith } from './rpc-error.ts';
import { readTask } from './show-task.ts';
import { formatMessage, streamTurn } from './stream-turn.ts';

export interface RpcParts extends Omit<AnswerDeps, 'turns'>, RegisterDeps {
  readonly streams: OpenStreams;
}

const noContent = 204;

export function registerRpc(server: FastifyInstance, parts: RpcParts): void {
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // As it came: what is no JSON is answered in the words of JSON-RPC.
    const parser = { parseAs: 'buffer' } as const;
    scope.addContentTypeParser(/^application\/json\b/, parser, (_request, body, next) =>
      next(null, body),
    );
    scope.setErrorHandler((error, request, reply) => {
      const refusal = toApiError(error);
      const { status, headers } = refusal;
      if (status >= 500) logFailure(parts, request, refusal);
      const body = refusalOf(parts, null, rpcErrorOf(refusal, request.trace.traceId));
      void reply.code(status).headers(headers).send(body);
    });
    scope.route({
      method: 'POST',
      url: endpoint.path,
      bodyLimit: rpcLimits.messageBytesMax,
      config: { endpoint },
      // Before the body is read: a stranger's costs nothing.
      onRequest: (request, reply, next) => {
        admit(parts, { endpoint, request, reply }).then(
          () => awaitTurn(parts, { request, reply }, next),
          next,
        );
      },
      handler: (request, reply) => handle(parts, request, reply),
    });
    done();
  });
}

function logFailure({ log }: RpcParts, request: FastifyRequest, { code, cause }: ApiError): void {
  const { traceId } = request.trace;
  log.error('rpc.call.failed', { component: 'rpc', trace_id: traceId, code, error: cause });
}

async function handle(
  parts: RpcParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // The hook before has set it.
  const caller = request.caller as Caller;
  const asker = { caller, ip: request.ip, traceId: request.trace.traceId };
  const { items, isBatch } = parseMessage(bytesOf(request.body));
  if (wantsStream(request)) {
    if (isBatch) return refusalOf(parts, null, rpcErrorWith('request', 'a stream is for one call'));
    // It waits for an agent from here on.
    request.leaveTurn?.();
    const [item] = items;
    if (item !== undefined) await answerInStream(parts, { asker, item, reply });
    return reply;
  }
  const answers = await answerEach(parts, asker, items);
  if (answers.length === 0) return reply.code(noContent).send();
  return isBatch ? answers : answers[0];
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function wantsStream({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes('text/event-stream') === true;
}

async function answerInStream(
  parts: RpcParts,
  {
    asker,
    item,
    reply,
  }: { readonly asker: RpcAsker; readonly item: RpcItem; readonly reply: FastifyReply },
): Promise<void> {
  // First: where there is no place for a stream, nothing was begun.
  const forget = parts.streams.add(asker.caller, () => reply.raw.destroy());
  try {
    const answered = await answerCall(parts, asker, item);
    const stream = openEventStream(reply, parts.clock);
    const { answer, follow } = answered;
    if (answer?.result === undefined || follow === undefined) {
      if (answer !== undefined) stream.send(formatMessage(answer));
      stream.end();
      return;
    }
    const mine = threadsFor(parts, asker);
    await streamTurn(parts, {
      follow,
      mine,
      accountId: asker.caller.accountId,
      stream,
      isOlder: answered.isOlder,
      lastAnswer: () => lastAnswer(parts, asker, { answered, id: answer.id }),
    });
  } finally {
    forget();
  }
}

async function lastAnswer(
  parts: RpcParts,
  asker: RpcAsker,
  { answered, id }: { readonly answered: Answered; readonly id: RpcAnswer['id'] },
): Promise<RpcAnswer> {
  const { follow, isOlder } = answered;
  const turnId = follow?.turnId ?? '';
  const { accountId } = asker.caller;
  const result = await readTask(parts, threadsFor(parts, asker), { turnId, accountId, isOlder });
  return formatAnswer(parts, id, { result });
}
