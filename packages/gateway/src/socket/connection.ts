/*
 * One socket from its upgrade to its close.
 *
 * Stages: 1 `auth` within five seconds, by token or by the cookie that came with the upgrade, in a seat for those who wait; a client
 * of JSON-RPC may have said it with the upgrade · 2 who is it, may they, are there too many · 3 the session, the run, or JSON-RPC · 4 messages, one after the other · 5 closed: nothing of it is left.
 *
 * A message waits for the one before it; input alone goes into the run's own row, so that a program that does not read
 * delays only its own input. Waiting input is counted, and a socket that sends more than its runs read is not read.
 */
import type { Duplex } from 'node:stream';
import type { Timer } from '@clawdfather/kit';
import { socketAuthSchema, socketCloseCodes } from '@clawdfather/protocol/api';
import type { RawData, WebSocket } from 'ws';
import { refusalOf } from '../acp/answer-call.ts';
import { rpcErrorOf } from '../acp/rpc-error.ts';
import { ApiError } from '../http/api-error.ts';
import { type Caller, checkAccess } from '../http/caller.ts';
import { openAcpFace } from './acp-face.ts';
import type { Beating } from './beats.ts';
import type { SocketTarget } from './check-upgrade.ts';
import type { Face } from './face.ts';
import { authMs, unreadInputBytesMax } from './limits.ts';
import { Outbox } from './outbox.ts';
import { openRunFace } from './run-face.ts';
import { openSessionFace } from './session-face.ts';
import type { SocketContext } from './socket-context.ts';
import type { SocketSeat } from './socket-counts.ts';
import { toRefusal } from './to-refusal.ts';

export interface ConnectionOptions {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly target: SocketTarget;
  readonly address: string;
  readonly seat: SocketSeat;
  /* Only with an Origin, which the guards have seen: a browser sends its cookie unasked. */
  readonly cookie: string | undefined;
  /* The header of that name, where it counts: it signs in without a message. */
  readonly authorization: string | undefined;
  readonly onClosed: () => void;
}

const openers = { run: openRunFace, session: openSessionFace, acp: openAcpFace } as const;

export class Connection implements Beating {
  readonly #context: SocketContext;
  readonly #ws: WebSocket;
  readonly #target: SocketTarget;
  readonly #address: string;
  readonly #seat: SocketSeat;
  readonly #outbox: Outbox;
  #cookie: string | undefined;
  #authTimer: Timer | undefined;
  #face: Face | undefined;
  #caller: Caller | undefined;
  #stopTokenWatch: (() => void) | undefined;
  #handling: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #isClosed = false;
  heardAtMs: number;
  pingedAtMs: number;

  constructor(context: SocketContext, options: ConnectionOptions) {
    const { ws, socket, target, address, seat, cookie, authorization, onClosed } = options;
    this.#context = context;
    this.#ws = ws;
    this.#target = target;
    this.#address = address;
    this.#seat = seat;
    seat.onGiveWay(() => this.#giveWay());
    this.#cookie = cookie;
    this.#outbox = new Outbox(ws, socket, context.clock);
    this.#outbox.onDrained(() => this.#face?.drained());
    this.heardAtMs = context.clock.monotonicMs();
    this.pingedAtMs = this.heardAtMs;
    this.#authTimer = context.clock.timer(authMs, () =>
      this.close(socketCloseCodes.policy, 'nobody said who it is'),
    );
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
    ws.on('pong', () => this.#heard());
    ws.on('ping', (data) => {
      this.#heard();
      this.#outbox.pong(data);
    });
    // `close` follows, with a code that names the error.
    ws.on('error', () => {});
    ws.on('close', (code) => {
      this.#end(code);
      onClosed();
    });
    context.beats.add(this);
    const isSaid = authorization !== undefined || (target.kind === 'acp' && cookie !== undefined);
    if (isSaid) this.#greetByUpgrade(authorization);
  }

  get isPaused(): boolean {
    return this.#ws.isPaused;
  }

  get fullSinceMs(): number | undefined {
    return this.#outbox.fullSinceMs;
  }

  ping(): void {
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping();
  }

  tooSlow(): void {
    this.close(socketCloseCodes.tooSlow, 'too slow; come again with the last cursor');
  }

  silent(): void {
    this.#ws.terminate();
  }

  close(code: number, reason: string): void {
    this.#outbox.close(code, reason);
    this.#release();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  /* Cut off at once; a closing handshake would keep the connection for longer. The message that was sent first usually arrives. */
  #giveWay(): void {
    this.close(socketCloseCodes.tryLater, 'others came, and it had not said who it is');
    this.#ws.terminate();
  }

  #heard(): void {
    this.heardAtMs = this.#context.clock.monotonicMs();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heard();
    if (this.#isClosed) return;
    this.#seat.busy(true);
    // `nodebuffer` is the only form that is asked for.
    const bytes = data as Buffer;
    this.#count(bytes.length);
    this.#handling = this.#handling
      .then(() => this.#handle(bytes, isBinary))
      .catch((error: unknown) => this.#refuse(error, 'message'))
      .then(() => this.#count(-bytes.length));
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes;
    if (this.#isClosed) return;
    if (this.#waitingBytes > unreadInputBytesMax) this.#ws.pause();
    else if (this.#ws.isPaused && this.#waitingBytes < unreadInputBytesMax / 2) {
      this.#ws.resume();
      this.#heard();
    }
  }

  async #handle(bytes: Buffer, isBinary: boolean): Promise<void> {
    if (this.#isClosed) return;
    const face = this.#face;
    if (face?.handleBytes !== undefined) {
      await this.#inTurn(() => this.#context.inMessage(undefined, () => takeBytes(face, bytes)));
      return;
    }
    const json = isBinary ? undefined : parseJson(bytes);
    if (face === undefined) {
      await this.#greet(json);
      return;
    }
    if (json === undefined) throw new ApiError('validation_error', 'messages are JSON, as text');
    await this.#inTurn(() =>
      this.#context.inMessage(traceparentOf(json), () =>
        face.handle(json).catch((error: unknown) => this.#refuse(error, typeOf(json), idsOf(json))),
      ),
    );
  }

  /* A client that sends without a break waits behind itself, as over HTTP. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#caller && this.#context.turns.enter(this.#caller);
    try {
      if (turn?.come !== undefined) await turn.come;
      await work();
    } finally {
      turn?.leave();
    }
  }

  #refuse(error: unknown, about: string, ids: IdsOfMessage = {}): void {
    const refusal = toRefusal(error);
    const { code, message, status, cause } = refusal;
    if (status >= 500) {
      this.#context.log.error('socket.message.failed', { component: 'socket', code, error: cause });
    }
    if (this.#target.kind === 'acp') {
      this.#outbox.send(refusalOf(this.#context.rpc, null, rpcErrorOf(refusal)));
      return;
    }
    this.#outbox.send({ type: 'error', code, message, about, ...ids });
  }

  /* Stages 1 to 3. */
  async #greet(json: unknown): Promise<void> {
    const greeting = socketAuthSchema.safeParse(json);
    if (!greeting.success) {
      this.#refuse(greeting.error, 'auth');
      this.close(socketCloseCodes.policy, 'the first message is auth');
      return;
    }
    const { token, resume_from: resumeFrom } = greeting.data;
    await this.#signIn(token === undefined ? undefined : `Bearer ${token}`, resumeFrom);
  }

  /* Nothing is read of it until then: what comes is as long as a request, and a stranger's costs nothing. */
  #greetByUpgrade(authorization: string | undefined): void {
    this.#seat.busy(true);
    this.#ws.pause();
    this.#handling = this.#handling
      .then(() => this.#signIn(authorization))
      .finally(() => this.#ws.resume());
  }

  async #signIn(authorization: string | undefined, resumeFrom?: number): Promise<void> {
    try {
      const caller = await this.#admit(authorization);
      if (this.#isClosed) return;
      this.#authTimer?.cancel();
      this.#seat.signIn(caller);
      this.#caller = caller;
      this.#stopTokenWatch = this.#context.tokenWatch.watch(caller.id, () =>
        this.close(socketCloseCodes.ended, 'the token is good no longer'),
      );
      await this.#openFace(caller, resumeFrom);
    } catch (error) {
      this.#refuse(error, 'auth');
      const isForNow = ['rate_limited', 'unavailable'].includes(toRefusal(error).code);
      this.close(isForNow ? socketCloseCodes.tryLater : socketCloseCodes.ended, 'not admitted');
      return;
    }
  }

  async #openFace(caller: Caller, resumeFrom: number | undefined): Promise<void> {
    try {
      const face = await openers[this.#target.kind]({
        context: this.#context,
        id: this.#target.id,
        caller,
        address: this.#address,
        outbox: this.#outbox,
        onInput: (count) => this.#count(count),
        resumeFrom,
        onBroken: () => this.close(socketCloseCodes.internal, 'come again with the last number'),
      });
      if (this.#isClosed) face.close();
      else this.#face = face;
    } catch (error) {
      this.#refuse(error, 'auth');
      const isOurs = toRefusal(error).status >= 500;
      this.close(isOurs ? socketCloseCodes.internal : socketCloseCodes.notFound, 'not found');
    }
  }

  async #admit(authorization: string | undefined): Promise<Caller> {
    const cookie = this.#cookie;
    this.#cookie = undefined;
    const caller = await this.#context.authenticate({
      authorization,
      cookie,
      ip: this.#address,
    });
    if (caller === undefined) throw new ApiError('unauthorized');
    checkAccess(caller, 'read');
    return caller;
  }

  #end(code: number): void {
    this.#release();
    this.#context.tally.countClose(code);
  }

  /* Stage 5. Called when closing begins, so that a client that does not answer holds nothing. */
  #release(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#authTimer?.cancel();
    this.#stopTokenWatch?.();
    this.#seat.busy(false);
    this.#seat.leaveAccount();
    this.#face?.close();
    this.#face = undefined;
    this.#context.beats.remove(this);
  }
}

async function takeBytes(face: Face, bytes: Buffer): Promise<void> {
  await face.handleBytes?.(bytes);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Answered as an invalid message.
    return undefined;
  }
}

/* Not validated yet: what is not a traceparent begins a trace of its own. */
function traceparentOf(json: unknown): string | undefined {
  const traceparent =
    typeof json === 'object' && json !== null && 'traceparent' in json
      ? json.traceparent
      : undefined;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

interface IdsOfMessage {
  readonly input_id?: string;
  readonly client_message_id?: string;
}

/* So that its sender knows which of several was refused. */
function idsOf(json: unknown): IdsOfMessage {
  if (typeof json !== 'object' || json === null) return {};
  const { input_id: input, client_message_id: said } = json as Record<string, unknown>;
  return {
    ...(typeof input === 'string' ? { input_id: input.slice(0, 64) } : {}),
    ...(typeof said === 'string' ? { client_message_id: said.slice(0, 128) } : {}),
  };
}

function typeOf(json: unknown): string {
  const type = typeof json === 'object' && json !== null && 'type' in json ? json.type : undefined;
  return typeof type === 'string' ? type.slice(0, 64) : 'message';
}
