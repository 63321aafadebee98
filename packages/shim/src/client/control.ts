/*
 * A control connection to one shim: AUTH and HELLO, then commands with answers,
 * and what the shim says by itself after `watch`.
 *
 * Every command has a limit but input: the shim takes input only as fast as the
 * child does, which may be never. While it waits it reads nothing more from
 * this connection, so bulk input belongs on a connection of its own.
 */
import type { Clock } from '@clawdfather/kit';
import { ShimError, ShimRefusedError, ShimUnreachableError } from '../errors.ts';
import type { Answer, DoorbellAnswer, HelloAnswer, OkAnswer } from '../wire/answers.ts';
import { type Command, encodeCommand } from '../wire/encode-command.ts';
import { connectRunSocket } from './connect-run-socket.ts';
import { createMessageLink, type MessageLinkEvents } from './message-link.ts';
import { createPendingRequests } from './pending-requests.ts';
import { asRunEvent, type RunEvent } from './run-event.ts';
import { sendInput } from './send-input.ts';
import { settleWithin } from './settle-within.ts';

export interface ControlDeps {
  readonly clock: Clock;
  /* For connecting and HELLO together; later for each command. */
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InputRequest {
  readonly epoch: number;
  /* `typed` is appended as it comes and never replayed (I1). */
  readonly offset: number | 'typed';
  readonly signal?: AbortSignal | undefined;
}

export interface ControlLink extends Disposable {
  readonly hello: HelloAnswer;
  readonly isLost: boolean;
  /* Rejects with `shim-refused`, `shim-timeout`, `link-lost`, or the signal's reason. */
  request(command: Command, signal?: AbortSignal): Promise<OkAnswer>;
  /* Resolves when the shim has accepted all bytes, however long that takes. */
  input(bytes: Uint8Array, request: InputRequest): Promise<OkAnswer>;
  /* A doorbell comes at once, then news as it happens; `lost` at last. */
  watch(onEvent: (event: RunEvent) => void): Promise<OkAnswer>;
  /* Doorbells only, at once and in place of spawnd's link, for as long as this connection lasts. */
  listen(onBell: (bell: DoorbellAnswer) => void): Promise<OkAnswer>;
  ref(): void;
  unref(): void;
  /* Requests that still wait for an answer fail with `reason`, or with `link-lost`. */
  close(reason?: Error): void;
}

/* A live shim answers within milliseconds; beyond this it is stopped or the machine is. */
const limitMsDefault = 5_000;

/* Rejects with `shim-unreachable` (see its reason), `shim-refused`, or the signal's reason. */
export async function openControl(
  runDir: string,
  cookie: Uint8Array,
  deps: ControlDeps,
): Promise<ControlLink> {
  const limitMs = deps.limitMs ?? limitMsDefault;
  const limit = { clock: deps.clock, limitMs, signal: deps.signal };
  const { socket, onBytes } = await connectRunSocket(runDir, limit);
  const pending = createPendingRequests<Answer>();
  let onEvent: ((event: RunEvent) => void) | undefined;

  const events: MessageLinkEvents = {
    onAnswer: (id, answer) => {
      const event = id === 0 ? asRunEvent(answer) : undefined;
      if (event !== undefined) onEvent?.(event);
      else if (answer.type === 'refused') pending.reject(id, refusedError(answer));
      else pending.resolve(id, answer);
    },
    onNonsense: (id, error) => pending.reject(id, error),
    onLost: (error) => {
      pending.rejectAll(error);
      onEvent?.({ type: 'lost', error });
    },
  };
  const link = createMessageLink(socket, events, { onBytes });

  const send = (command: Command, signal?: AbortSignal): Promise<Answer> => {
    const { id, promise } = pending.open(signal);
    try {
      link.send(encodeCommand(command, id));
    } catch (error) {
      pending.reject(id, error instanceof Error ? error : new Error(String(error)));
    }
    return promise;
  };
  const sendForOk = async (command: Command, signal?: AbortSignal): Promise<OkAnswer> =>
    expectOk(await send(command, signal));
  const request = (command: Command, signal?: AbortSignal): Promise<OkAnswer> =>
    settleWithin(sendForOk(command, signal), { clock: deps.clock, limitMs });

  const close = (reason?: Error): void => {
    link.close();
    pending.rejectAll(reason ?? new ShimError('link-lost', 'the connection was closed'));
  };

  const hear = (listener: (event: RunEvent) => void, isBellOnly: boolean): Promise<OkAnswer> => {
    onEvent = listener;
    return request({ type: 'watch', isBellOnly });
  };

  try {
    const hello = await settleWithin(send({ type: 'auth', cookie }), limit).catch(helloFailed);
    if (hello.type !== 'hello') throw unexpected(hello);
    return {
      hello,
      get isLost() {
        return link.isLost;
      },
      request,
      input: (bytes, { epoch, offset, signal }) =>
        sendInput(bytes, { epoch, offset, send: (command) => sendForOk(command, signal) }),
      watch: (listener) => hear(listener, false),
      listen: (onBell) => hear((event) => event.type === 'doorbell' && onBell(event), true),
      ref: link.ref,
      unref: link.unref,
      close,
      [Symbol.dispose]: () => close(),
    };
  } catch (error) {
    link.close();
    throw error;
  }
}

/* Before HELLO a lost link or a silent shim is a shim that cannot be reached. */
function helloFailed(error: unknown): never {
  if (error instanceof ShimError && error.code === 'link-lost') {
    throw new ShimUnreachableError('closed', { cause: error });
  }
  if (error instanceof ShimError && error.code === 'shim-timeout') {
    throw new ShimUnreachableError('timeout', { cause: error });
  }
  throw error;
}

function refusedError(answer: Extract<Answer, { type: 'refused' }>): ShimRefusedError {
  return new ShimRefusedError(answer.refusal, answer.epoch, answer.message);
}

function expectOk(answer: Answer): OkAnswer {
  if (answer.type !== 'ok') throw unexpected(answer);
  return answer;
}

function unexpected(answer: Answer): ShimError {
  return new ShimError('message-invalid', `unexpected answer: ${answer.type}`);
}
