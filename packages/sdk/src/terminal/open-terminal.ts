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
import { type SocketClientMessage, socketPaths } from '@clawdfather/protocol/api';
import { type FollowOptions, silenceMs } from '../follow-events.ts';
import type { RunToFollow } from '../follow-run.ts';
import { createEventQueue, type EventQueue } from '../link/event-queue.ts';
import type { LinkEnd } from '../link/next-link.ts';
import { refusedError } from '../link/refused-error.ts';
import { SocketLink } from '../link/socket-link.ts';
import { socketUrl } from '../link/socket-url.ts';
import type { OpenSocket } from '../link/web-socket-like.ts';
import { errorOfEnd } from './error-of-end.ts';
import { InputRow } from './input-row.ts';
import { type Heard, parseMessage, type Refused } from './parse-message.ts';
import type { PlacedEvent, TerminalEvent, TerminalSize } from './terminal-event.ts';

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
  /* Of a terminal, not of a viewer. A size that is given while the line is down is told when it is up again, if no other was given. */
  resize(size: TerminalSize): void;
  /*
   * Gives the run's terminal this size until `unfit`, the end of this terminal or of its connection; then it has its former one again.
   * The event `fit` says when it is so and when it is over. It is an act of a person, so it is not repeated after a lost connection.
   */
  fit(size: TerminalSize): void;
  unfit(): void;
  /* The run goes on. Events that were not read are dropped, writes that wait reject with `terminal-closed`. */
  close(): void;
}

export function openTerminal(run: RunToDrive, options: TerminalOptions): Terminal {
  return new RunTerminal(run, options);
}

/* Output is wanted, asked for, or coming. Only what comes after the answer to our question is taken. */
type Attachment = 'none' | 'asked' | 'there';

class RunTerminal implements Terminal {
  readonly #run: RunToDrive;
  readonly #options: TerminalOptions;
  readonly #link: SocketLink;
  readonly #input = new InputRow();
  readonly #queue: EventQueue<TerminalEvent> = createEventQueue<TerminalEvent>({
    bytesOf: (event) => (event.kind === 'output' ? event.bytes.length : 0),
    onFull: () => this.#holdBack(),
    onRoom: () => this.#readOn(),
  });
  readonly #events: AsyncGenerator<TerminalEvent, void, undefined>;
  #attachment: Attachment = 'none';
  /* Counts the connections, for what is answered after one of them is gone. */
  #connection = 0;
  #cursor: string | undefined;
  #isAnswering = false;
  /* Since the last time that we were attached. */
  #wasLost = false;
  #untoldSize: TerminalSize | undefined;
  #hasFit = false;

  constructor(run: RunToDrive, options: TerminalOptions) {
    this.#run = run;
    this.#options = options;
    this.#cursor = run.cursor;
    this.#events = this.#read();
    const { clock, random, signal, socket, onLink } = options;
    const { client, runId } = run;
    this.#link = new SocketLink({
      clock,
      random,
      signal,
      url: socketUrl(client.connection, socketPaths.run, runId),
      socket,
      silenceMs,
      onOpen: () => this.#greet(),
      onMessage: (data) => this.#hear(parseMessage(data)),
      onState: (state) => onLink?.(state),
      onDown: () => this.#down(),
      onOver: (end) => this.#finish(end),
    });
    this.#link.open();
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
    if (this.#link.state.kind === 'live') this.#link.send({ type: 'terminal.resize', cols, rows });
    else this.#untoldSize = { cols, rows };
  }

  fit({ cols, rows }: TerminalSize): void {
    if (this.#link.state.kind === 'live') this.#link.send({ type: 'terminal.fit', cols, rows });
    else this.#queue.push({ kind: 'fit', size: undefined });
  }

  unfit(): void {
    if (this.#link.state.kind === 'live') this.#link.send({ type: 'terminal.unfit' });
  }

  close(): void {
    this.#queue.clear();
    this.#link.step({ kind: 'over', end: { kind: 'left' } });
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

  #greet(): void {
    const { token } = this.#run.client.connection;
    this.#link.send({ type: 'auth', ...(token === undefined ? {} : { token }) });
    if (!this.#queue.isFull) this.#attach();
  }

  #attach(): void {
    this.#attachment = 'asked';
    const { rejoinAt } = this.#options;
    if (this.#wasLost && rejoinAt !== undefined) void this.#rejoin(rejoinAt);
    else this.#ask();
  }

  async #rejoin(rejoinAt: () => Promise<string | undefined>): Promise<void> {
    const connection = this.#connection;
    // Whoever cannot say it goes on as if nobody had asked.
    const cursor = await rejoinAt().catch(() => undefined);
    if (connection !== this.#connection) return;
    this.#cursor = cursor ?? this.#cursor;
    this.#ask();
  }

  #ask(): void {
    const { as = 'terminal' } = this.#run;
    this.#link.send({
      type: 'terminal.attach',
      as,
      binary: true,
      ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }),
    });
  }

  #hear(heard: Heard): void {
    switch (heard.kind) {
      case 'attached':
        return this.#attached(heard.cursor);
      case 'event':
        return this.#take(heard.event);
      case 'fitted':
        return this.#fitted(heard.size);
      case 'acknowledged':
        return this.#input.acknowledged(heard.inputId);
      case 'refused':
        return this.#refused(heard);
      case 'ended':
        if (this.#attachment !== 'there') return;
        this.#queue.push({ kind: 'exit', exit: heard.exit });
        return this.#link.step({ kind: 'over', end: { kind: 'ended' } });
      case 'beat':
        return this.#link.heard();
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
    this.#link.step({ kind: 'attached' });
    const send = (message: SocketClientMessage): void => this.#link.send(message);
    if (this.#untoldSize !== undefined) send({ type: 'terminal.resize', ...this.#untoldSize });
    this.#untoldSize = undefined;
    this.#input.connected(send);
  }

  #take(event: PlacedEvent): void {
    if (this.#attachment !== 'there') return;
    this.#cursor = event.cursor;
    if (event.kind === 'answers') this.#isAnswering = event.isOurs;
    this.#link.heard();
    this.#queue.push(event);
  }

  #refused({ about = 'message', inputId, code, message }: Refused): void {
    if (about === 'auth' || about === 'terminal.attach') {
      this.#link.refused({ code, message });
    } else if (about === 'terminal.input') {
      this.#input.refused(inputId, refusedError({ code, message }));
    } else this.#queue.push({ kind: 'refused', about, code, message });
  }

  #fitted(size: TerminalSize | undefined): void {
    this.#hasFit = size !== undefined;
    this.#queue.push({ kind: 'fit', size });
  }

  #holdBack(): void {
    if (this.#attachment !== 'there' || this.#link.pause()) return;
    this.#link.send({ type: 'terminal.detach' });
    this.#attachment = 'none';
    this.#answerNoMore();
  }

  #readOn(): void {
    if (!this.#link.isOpen) return;
    if (this.#attachment === 'none') this.#attach();
    else this.#link.resume();
  }

  /* What comes after the last cursor will have been answered by another, or by none. */
  #answerNoMore(): void {
    if (!this.#isAnswering) return;
    this.#isAnswering = false;
    this.#queue.push({ kind: 'answers', isOurs: false, cursor: this.#cursor ?? '' });
  }

  #down(): void {
    this.#connection += 1;
    this.#attachment = 'none';
    if (this.#link.state.kind === 'over') return;
    this.#wasLost = true;
    this.#answerNoMore();
    if (this.#hasFit) this.#fitted(undefined);
    this.#input.disconnected();
  }

  #finish(end: LinkEnd): void {
    const error = errorOfEnd(end);
    if (end.kind === 'failed' && this.#options.signal?.aborted === true) this.#queue.clear();
    if (end.kind === 'ended' || end.kind === 'left') this.#queue.end();
    else this.#queue.end({ error });
    // The last key of a program is often the one that ends it, and the end overtakes its confirmation.
    if (end.kind === 'ended') this.#input.disconnected();
    this.#input.close(error);
  }
}
