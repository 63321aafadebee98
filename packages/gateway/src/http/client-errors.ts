/*
 * What Node's server refuses before there is a request: headers that are too large, bytes that are no HTTP, a request that does
 * not arrive in time. No hook and no error handler sees these, and a framework has its own words for them, so their answers are
 * written here by hand, from the one catalogue and with the headers of every other answer. Nothing that came is repeated.
 *
 * Stages: 1. what Node says becomes a code; what has none is the connection's own trouble (a reset, a failed handshake), to which
 * nothing is said. 2. Answers under way on the connection go first, and a request whose own answer has begun gets no second.
 * 3. The refusal is sent, and the connection ends.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, errnoOf } from '@clawdfather/kit';
import type { ApiErrorCode } from '@clawdfather/protocol/api';
import type { TraceContext } from '../observe/trace-context.ts';
import { ApiError, bodyOf } from './api-error.ts';
import { type GatewayHeader, gatewayHeadersOf } from './gateway-header.ts';
import { securityHeaders } from './security-headers.ts';

export interface ClientErrorDeps {
  readonly clock: Clock;
  readonly isTls: boolean;
  readonly gatewayHeader: GatewayHeader;
  readonly nextTrace: () => TraceContext;
}

type Answer = ServerResponse<IncomingMessage>;

/*
 * On the socket itself: every request is noted, and a map beside would cost each of them a microsecond and hold its answer in
 * memory until the next one.
 */
const lastAnswer = Symbol('the answer to the last request');

interface AnsweringSocket extends Socket {
  [lastAnswer]?: Answer | undefined;
}

export interface ClientErrors {
  /* Every request is noted with its answer, in the order in which they came. */
  note(socket: AnsweringSocket, answer: Answer): void;
  /* And again when its answer is over. */
  forget(socket: AnsweringSocket, answer: Answer): void;
  /* For `clientErrorHandler`. Never throws: an error here would end the process. */
  refuse(error: Error, socket: Socket): void;
}

/*
 * Closing while bytes are unread resets the connection, and the answer may be lost with it. So the peer has this long to read
 * it and to close; what it sends meanwhile is thrown away. A peer that takes nothing has no longer either.
 */
const lingerMs = 2_000;

export function createClientErrors(deps: ClientErrorDeps): ClientErrors {
  /* Only for those that came while another was under way. */
  const answersBefore = new WeakMap<Answer, Answer>();
  /* After the first error the parser reports one for every further byte; only the first counts. */
  const refused = new WeakSet<Socket>();

  const takeTurn = (socket: AnsweringSocket, code: ApiErrorCode, awaited?: Answer): void => {
    // Answers are sent in the order of their requests: when the last is over, all are.
    const last = socket[lastAnswer];
    const isWhole = last?.req.complete === true;
    if (awaited !== undefined && awaited !== last && isWhole) {
      // It was late and has arrived after all, while an answer before it was waited for.
      refused.delete(socket);
      return;
    }
    // A request that is not whole is the one that is refused: what comes before it has to be over, not its own answer.
    const before = last === undefined || isWhole ? last : answersBefore.get(last);
    if (before !== undefined && !before.closed) {
      before.once('close', () => orDestroy(socket, () => takeTurn(socket, code, before)));
      return;
    }
    const isAnswered = last !== undefined && !isWhole && last.headersSent;
    if (socket.writable && !isAnswered) socket.end(formatRefusal(deps, code));
    // After bad bytes nothing more is understood, so they can be let in. Who was late could still complete a request.
    if (isAnswered || code === 'request_timeout') socket.destroySoon();
    const timer = deps.clock.timer(lingerMs, () => socket.destroy());
    socket.once('close', () => timer.cancel());
  };

  return {
    note: (socket, answer) => {
      const before = socket[lastAnswer];
      if (before !== undefined && !before.closed) answersBefore.set(answer, before);
      socket[lastAnswer] = answer;
    },
    forget: (socket, answer) => {
      // One whose body never came is still the one that is refused, and has had its answer.
      if (socket[lastAnswer] === answer && answer.req.complete) socket[lastAnswer] = undefined;
    },
    refuse: (error, socket) =>
      orDestroy(socket, () => {
        const code = codeOf(error);
        if (code === undefined) socket.destroy();
        if (code === undefined || refused.has(socket)) return;
        refused.add(socket);
        if (socket.writable) takeTurn(socket, code);
        else socket.destroy();
      }),
  };
}

function orDestroy(socket: Socket, act: () => void): void {
  try {
    act();
  } catch {
    // An error on one connection must not end the process.
    socket.destroy();
  }
}

function codeOf(error: Error): ApiErrorCode | undefined {
  const code = errnoOf(error);
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'payload_too_large';
    default:
      return code?.startsWith('HPE_') === true ? 'validation_error' : undefined;
  }
}

function formatRefusal(deps: ClientErrorDeps, code: ApiErrorCode): string {
  const { clock, isTls, nextTrace } = deps;
  const refusal = new ApiError(code);
  const body = JSON.stringify(bodyOf(refusal));
  const headers = {
    ...securityHeaders(isTls),
    ...gatewayHeadersOf(deps.gatewayHeader),
    'x-trace-id': nextTrace().traceId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    date: new Date(clock.wallMs()).toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { status } = refusal;
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
