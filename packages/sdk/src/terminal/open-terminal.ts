/*
 * A run as on a terminal: what it says, and what is typed into it, over as many connections as it takes.
 *
 *   const terminal = openTerminal({ client, runId, cursor }, { clock, random });
 *   for await (const event of terminal) …
 *
 * A connection that breaks is opened again from the last cursor, and takes a new place in the row of terminals that answer the
 * program; the reader hears of it through `onLink` and through `answers`. Output comes once, input is sent once (input-row.ts).
 *
 * A reader that is behind holds at most 1 MiB of events here. A socket that can pause is then not read. One that cannot, as in
 * browsers, is told to send no more output (`terminal.detach`); what was already on its way is dropped and asked for again, from
 * the last cursor that is queued, when the reader has caught up. Input goes on meanwhile.
 */
import { CodedError, type Timer } from '@clawdfather/kit';
import { type SocketClientMessage, socketPaths } from '@clawdfather/protocol/api';
import { backoffMs } from '../backoff.ts';
import { type FollowOptions, isWorthRetrying } from '../follow-events.ts';
import type { RunToFollow } from '../follow-run.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import { InputRow } from './input-row.ts';
import { type LinkEvent, nextTerminalLink, type TerminalLink } from './next-terminal-link.ts';
import { type Heard, parseMessage, type Refused } from './parse-message.ts';
import { errorOfEnd } from './error-of-end.ts';
import type { PlacedEvent, TerminalEvent } from './terminal-event.ts';
import { type SocketEnd, TerminalSocket } from './terminal-socket.ts';
import type { OpenSocket, WebSocketLike } from './web-socket-like.ts';

export interface RunToDrive extends RunToFollow {
  /* A terminal takes its place in the row and may be told to answer; a viewer only looks on. Default: terminal. */
  readonly as?: 'viewer' | 'terminal';
}

export interface TerminalOptions extends FollowOptions {
  /* Default: the global WebSocket. */
  readonly socket?: OpenSocket;
  /*
   * Asked for after each lost connection: where to go on. For a reader that shows the screen anew as it is now, and wants what comes
   * after it. Undefined, or a rejection: from the last cursor, as without it. `rejoined` is the event at that place.
   */
  readonly rejoinAt?: () => Promise<string | undefined>;
}

export interface Terminal extends AsyncIterable<TerminalEvent>, Disposable {
  /* For one reader, who closes the terminal by leaving the loop. `exit` is the last event; a refusal is thrown. */
  [Symbol.asyncIterator](): AsyncGenerator<TerminalEvent, void, undefined>;
  /*
   * Typed into the run, in order. Resolves when the run has it, so it waits while the program does not read. The bytes must not
   * change until then. Rejects with `input-unconfirmed` when the connection broke, or the run ended, on the way.
   */
  write(bytes: Uint8Array): Promise<void>;
  /* End of input, after all that was written. */
  end(): Promise<void>;
  /* A size that is given while the line is down is told when it is up again, if no other was given. */
  resize(size: TerminalSize): void;
  /* The run goes on. Events that were not read are dropped, writes that wait reject with `terminal-closed`. */
  close(): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export function openTerminal(run: RunToDrive, options: TerminalOptions): Terminal {
  return new RunTerminal(run, options);
}

/* Output is wanted, asked for, or coming. Only what comes after the answer to our question is taken. */
type Attachment = 'none' | 'asked' | 'there';

class RunTerminal implements Terminal {
  readonly #run: RunToDrive;
  readonly #options: TerminalOptions;
  readonly #input = new InputRow();
  readonly #queue: EventQueue = createEventQueue({
    onFull: () => this.#holdBack(),
    onRoom: () => this.#readOn(),
  });
  readonly #events: AsyncGenerator<TerminalEvent, void, undefined>;
  readonly #onAbort = (): void => {
    this.#queue.clear();
    this.#fail(this.#options.signal?.reason);
  };
  #link: TerminalLink = { kind: 'connecting', attempt: 0 };
  #socket: TerminalSocket | undefined;
  #attachment: Attachment = 'none';
  #cursor: string | undefined;
  #isAnswering = false;
  /* Since the last time that we were attached. */
  #wasLost = false;
  #untoldSize: TerminalSize | undefined;
  #retry: Timer | undefined;

  constructor(run: RunToDrive, options: TerminalOptions) {
    this.#run = run;
    this.#options = options;
    this.#cursor = run.cursor;
    this.#events = this.#read();
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.#onAbort();
    else this.#connect(0);
  }

  [Symbol.asyncIterator](): AsyncGenerator<TerminalEvent, void, undefined> {
    return this.#events;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  end(): Promise<void> {
    return this.#input.end();
  }

  resize({ cols, rows }: TerminalSize): void {
    if (this.#link.kind === 'live') this.#socket?.send({ type: 'terminal.resize', cols, rows });
    else this.#untoldSize = { cols, rows };
  }

  close(): void {
    this.#queue.clear();
    this.#step({ kind: 'over', end: { kind: 'left' } });
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async *#read(): AsyncGenerator<TerminalEvent, void, undefined> {
    try {
      yield* this.#queue.read();
    } finally {
      this.close();
    }
  }

  /* The one place that changes the state of the line. */
  #step(event: LinkEvent): void {
    const before = this.#link;
    const link = nextTerminalLink(before, event);
    this.#link = link;
    if (link.kind === before.kind) return;
    switch (link.kind) {
      case 'connecting':
        return this.#connect(link.attempt);
      case 'live':
        return this.#options.onLink?.({ kind: 'live' });
      case 'lost':
        return this.#waitForRetry(link.attempt);
      case 'over':
        return this.#finish(link);
    }
  }

  #connect(attempt: number): void {
    const { onLink, clock, socket: openSocket = openGlobalSocket } = this.#options;
    onLink?.({ kind: 'connecting', attempt });
    // The listener may have closed it.
    if (this.#link.kind !== 'connecting') return;
    try {
      this.#socket = new TerminalSocket({
        socket: openSocket(this.#url()),
        clock,
        onOpen: () => this.#greet(),
        onMessage: (data) => this.#receive(data),
        onLost: (end) => this.#lose(end),
      });
    } catch (error) {
      // An address that is none, or no WebSocket here: no attempt would go better.
      this.#fail(error);
    }
  }

  #url(): string {
    const { client, runId } = this.#run;
    const path = socketPaths.run.replace(':id', encodeURIComponent(runId));
    const url = new URL(path, client.connection.baseUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return url.href;
  }

  #greet(): void {
    const { token } = this.#run.client.connection;
    this.#socket?.send({ type: 'auth', ...(token === undefined ? {} : { token }) });
    if (!this.#queue.isFull) this.#attach();
  }

  #attach(): void {
    this.#attachment = 'asked';
    const { rejoinAt } = this.#options;
    if (this.#wasLost && rejoinAt !== undefined) void this.#rejoin(rejoinAt);
    else this.#ask();
  }

  async #rejoin(rejoinAt: () => Promise<string | undefined>): Promise<void> {
    const socket = this.#socket;
    // Whoever cannot say it goes on as if nobody had asked.
    const cursor = await rejoinAt().catch(() => undefined);
    if (socket === undefined || socket !== this.#socket) return;
    this.#cursor = cursor ?? this.#cursor;
    this.#ask();
  }

  #ask(): void {
    const { as = 'terminal' } = this.#run;
    this.#socket?.send({
      type: 'terminal.attach',
      as,
      binary: true,
      ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }),
    });
  }

  #receive(data: unknown): void {
    try {
      this.#hear(parseMessage(data));
    } catch (error) {
      this.#fail(error);
    }
  }

  #hear(heard: Heard): void {
    switch (heard.kind) {
      case 'attached':
        return this.#attached(heard.cursor);
      case 'event':
        return this.#take(heard.event);
      case 'acknowledged':
        return this.#input.acknowledged(heard.inputId);
      case 'refused':
        return this.#refused(heard);
      case 'ended':
        if (this.#attachment !== 'there') return;
        this.#queue.push({ kind: 'exit', exit: heard.exit });
        return this.#step({ kind: 'over', end: { kind: 'exit' } });
      case 'beat':
        return this.#step({ kind: 'heard' });
      case 'nothing':
    }
  }

  #attached(cursor: string): void {
    this.#attachment = 'there';
    this.#cursor = cursor;
    if (this.#wasLost && this.#options.rejoinAt !== undefined) {
      this.#queue.push({ kind: 'rejoined', cursor });
    }
    this.#wasLost = false;
    this.#step({ kind: 'attached' });
    const send = (message: SocketClientMessage): void => this.#socket?.send(message);
    if (this.#untoldSize !== undefined) send({ type: 'terminal.resize', ...this.#untoldSize });
    this.#untoldSize = undefined;
    this.#input.connected(send);
  }

  #take(event: PlacedEvent): void {
    if (this.#attachment !== 'there') return;
    this.#cursor = event.cursor;
    if (event.kind === 'answers') this.#isAnswering = event.isOurs;
    this.#step({ kind: 'heard' });
    this.#queue.push(event);
  }

  #refused({ about = 'message', inputId, code, message }: Refused): void {
    if (about === 'auth' || about === 'terminal.attach') {
      this.#step({ kind: 'refused', about, code, message });
    } else if (about === 'terminal.input') {
      this.#input.refused(inputId, errorOfEnd({ kind: 'refused', code, message }));
    } else this.#queue.push({ kind: 'refused', about, code, message });
  }

  #lose({ code, reason, error }: SocketEnd): void {
    if (error instanceof CodedError && !isWorthRetrying(error)) return this.#fail(error);
    this.#step({ kind: 'closed', code, reason });
  }

  #waitForRetry(attempt: number): void {
    const { clock, random, onLink } = this.#options;
    this.#wasLost = true;
    this.#letGo();
    this.#input.disconnected();
    const retryInMs = backoffMs(attempt - 1, random);
    this.#retry = clock.timer(retryInMs, () => this.#step({ kind: 'retry' }));
    onLink?.({ kind: 'lost', retryInMs });
  }

  #holdBack(): void {
    if (this.#attachment !== 'there' || this.#socket?.pause() !== false) return;
    this.#socket.send({ type: 'terminal.detach' });
    this.#attachment = 'none';
    this.#answerNoMore();
  }

  #readOn(): void {
    if (this.#socket?.isOpen !== true) return;
    if (this.#attachment === 'none') this.#attach();
    else this.#socket.resume();
  }

  /* What comes after the last cursor will have been answered by another, or by none. */
  #answerNoMore(): void {
    if (!this.#isAnswering) return;
    this.#isAnswering = false;
    this.#queue.push({ kind: 'answers', isOurs: false, cursor: this.#cursor ?? '' });
  }

  #letGo(): void {
    this.#socket?.close();
    this.#socket = undefined;
    this.#attachment = 'none';
    this.#answerNoMore();
  }

  #fail(error: unknown): void {
    this.#step({ kind: 'over', end: { kind: 'failed', error } });
  }

  #finish({ end }: Extract<TerminalLink, { kind: 'over' }>): void {
    this.#retry?.cancel();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    const error = errorOfEnd(end);
    if (end.kind === 'exit' || end.kind === 'left') this.#queue.end();
    else this.#queue.end({ error });
    // The last key of a program is often the one that ends it, and the end overtakes its confirmation.
    if (end.kind === 'exit') this.#input.disconnected();
    this.#input.close(error);
    this.#letGo();
  }
}

function openGlobalSocket(url: string): WebSocketLike {
  return new WebSocket(url);
}
