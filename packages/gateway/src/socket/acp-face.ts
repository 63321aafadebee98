/*
 * `/acp`: JSON-RPC over a socket (docs/protocol/json-rpc.md). Calls are answered in the order in which they come. A thread in which the client says
 * something, or of which it asks for what it has missed, is followed from then on: its updates come as notifications until the socket is closed.
 * Who asks for more of the past than it is followed from gets that as well; each update is sent once.
 */
import { createSignalBell } from '@clawdfather/kit';
import { keepAliveMethod, updateMethod } from '@clawdfather/protocol/acp';
import { socketCloseCodes } from '@clawdfather/protocol/api';
import { answerCall, type Answered } from '../acp/answer-call.ts';
import { keepAliveMs, threadsFollowedMax } from '../acp/limits.ts';
import { parseMessage } from '../acp/parse-message.ts';
import { sinkWithPlaces } from '../acp/place-in-update.ts';
import { type Following, threadsFor } from '../acp/rpc-call.ts';
import { showUpdate } from '../acp/show-update.ts';
import { followThreadEvents } from '../agents/follow-thread-events.ts';
import { formatTime } from '../http/format-time.ts';
import { newTrace } from '../observe/trace-context.ts';
import type { Face, FaceOptions } from './face.ts';

/* A thread that is not followed any more, because others came after it; the client may ask for it again. */
const unfollowedMethod = 'session.unfollowed';

/* The numbers after one of them, up to the other. */
interface Stretch {
  readonly after: number;
  readonly to: number;
}

/* Who asks for ever more of the past while the last such asking is not over gets some updates twice, instead of filling our memory. */
const stretchesMax = 8;

interface Followed {
  readonly stop: AbortController;
  /* Everything after this number was sent, or will be. */
  after: number;
  /* Of the last update that was sent. */
  lastSeq: number;
  /* Was sent before `after` was this small. */
  readonly sent: readonly Stretch[];
}

export async function openAcpFace(options: FaceOptions): Promise<Face> {
  return new AcpFace(options);
}

class AcpFace implements Face {
  readonly #options: FaceOptions;
  readonly #closed = new AbortController();
  /* In the order in which they were asked for. */
  readonly #followed = new Map<string, Followed>();
  readonly #drained = createSignalBell();
  #isOlder = false;

  constructor(options: FaceOptions) {
    this.#options = options;
    this.#keepAlive();
  }

  async handle(): Promise<void> {
    throw new TypeError('messages come as bytes');
  }

  async handleBytes(bytes: Buffer): Promise<void> {
    const { context, caller, address: ip, outbox } = this.#options;
    const { rpc, turns } = context;
    const { items, isBatch } = parseMessage(bytes);
    const { traceId } = context.currentTrace() ?? newTrace(context.random);
    const answered: Answered[] = [];
    for (const [index, item] of items.entries()) {
      if (index > 0) await turns.goOn(caller);
      answered.push(await answerCall(rpc, { caller, ip, traceId }, item));
    }
    const answers = answered.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
    if (!isBatch) for (const answer of answers) outbox.send(answer);
    else if (answers.length > 0) outbox.send(answers);
    // After the answers: a client knows the turn before it hears of it.
    for (const { follow, isOlder } of answered) {
      this.#isOlder ||= isOlder;
      if (follow !== undefined) this.#follow(follow);
    }
  }

  drained(): void {
    this.#drained.ring();
  }

  close(): void {
    this.#closed.abort();
    for (const { stop } of this.#followed.values()) stop.abort();
    this.#followed.clear();
  }

  #follow({ threadId, after }: Following): void {
    const known = this.#followed.get(threadId);
    if (this.#closed.signal.aborted || (known !== undefined && after >= known.after)) return;
    if (known === undefined) this.#makeRoom();
    else known.stop.abort();
    const { context, caller, address: ip, outbox } = this.#options;
    const one = { stop: new AbortController(), after, lastSeq: after, sent: sentOf(known) };
    this.#followed.set(threadId, one);
    const { agentThreads, clock } = context.rpc;
    const { records } = threadsFor(context.rpc, { caller, ip, traceId: '' });
    const { signal } = one.stop;
    const { queue } = agentThreads.threads;
    const sink = sinkWithPlaces({ queue, accountId: caller.accountId, signal }, (event, place) => {
      const { seq } = event;
      // Whoever asked for what the thread had not reached is followed from where it was.
      one.after = Math.min(one.after, seq - 1);
      one.lastSeq = seq;
      if (one.sent.some((stretch) => seq > stretch.after && seq <= stretch.to)) return undefined;
      const params = showUpdate(threadId, event, { isOlder: this.#isOlder, place });
      outbox.send({ jsonrpc: '2.0', method: updateMethod, params });
      return outbox.isFull ? this.#drained.wait(signal) : undefined;
    });
    const following = followThreadEvents(
      { records, desk: agentThreads.desk, clock },
      { place: { threadId, after }, sink },
      signal,
    );
    following.catch((error: unknown) => {
      if (signal.aborted) return;
      context.log.warn('rpc.stream-failed', { threadId, error });
      outbox.close(socketCloseCodes.internal, 'a thread cannot be read here; come again');
    });
  }

  #makeRoom(): void {
    const { outbox } = this.#options;
    for (const [threadId, { stop, lastSeq }] of this.#followed) {
      if (this.#followed.size < threadsFollowedMax) return;
      stop.abort();
      this.#followed.delete(threadId);
      const params = { threadId, lastSeq };
      outbox.send({ jsonrpc: '2.0', method: unfollowedMethod, params });
    }
  }

  /* The first one says who answers, before anything was asked. */
  #keepAlive(): void {
    const { context, outbox } = this.#options;
    const { clock, identity } = context;
    const params = { serverTime: formatTime(clock.wallMs()), gateway: identity() ?? null };
    if (!outbox.isFull) outbox.send({ jsonrpc: '2.0', method: keepAliveMethod, params });
    const timer = clock.timer(keepAliveMs, () => this.#keepAlive());
    timer.unref();
    this.#closed.signal.addEventListener('abort', () => timer.cancel(), { once: true });
  }
}

/* Also the one that is cut short now: its numbers up to where it was. */
function sentOf(known: Followed | undefined): readonly Stretch[] {
  if (known === undefined) return [];
  const { after, lastSeq, sent } = known;
  const ahead = sent.filter(({ to }) => to > lastSeq);
  return [{ after, to: lastSeq }, ...ahead].slice(-stretchesMax);
}
