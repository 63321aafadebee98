/*
 * Brings notices to the channels outside, each once (docs/notices.md): what is new is planned, what is due is taken, sent and settled.
 *
 * planned ── taken ──► sending ── the server has it ──► sent
 *    ▲                    ├────── it refuses ─────────► failed
 *    └── after a pause ───┘
 *
 * The database says who sends what (ND1 to ND4), so any number of gateways do this at the same time. Here is only when.
 */
import { type Clock, type Log, orAborted, type Random, startTimeLimit } from '@clawdfather/kit';
import type { DeliveryEnd, Sender, Store, TakenDelivery } from '@clawdfather/store';
import { createFollower, type Follower } from '../feed/follower.ts';
import type { NoticeChannel, NoticeMessage, SendOutcome, Sent } from './channel.ts';
import { sendMs } from './post-message.ts';

/* Where a process may die; for tests. */
export type SenderPoint = 'planned' | 'taken' | 'answered' | 'settled';

export interface NoticeSenderDeps {
  readonly store: Store;
  readonly channels: readonly NoticeChannel[];
  readonly sender: Sender;
  readonly showsTitles: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* Called with how each attempt went. */
  readonly onAttempt?: (channel: string, end: DeliveryEnd['state']) => void;
  readonly onPoint?: (point: SenderPoint) => void;
}

/* What was not told for a day is no news. */
const ageMsMax = 24 * 3_600_000;
const planMax = 100;
/* Of one channel at the same time: a server that hangs holds each for ten seconds. */
const sendsMax = 8;
/* Of them at one push service: two of the four makers of browsers may hang, and others are told. */
const perServiceMax = 3;
/* And for one account, wherever its devices are. */
const perAccountMax = 4;
/* All of an attempt, the questions to the database too. */
const attemptMs = 3 * sendMs;
/* Longer than an attempt takes and is written down, so that nobody takes it for abandoned. */
const holdMs = 2 * attemptMs;
/* 5 s, doubled, up to a quarter of an hour: about forty minutes in all. */
const attemptsMax = 10;
const pauseMs = 5_000;
const pauseMsMax = 15 * 60_000;
/* Another gateway may have made a notice, and gone. */
const everyMs = 5_000;

export function openNoticeSender(deps: NoticeSenderDeps): AsyncDisposable {
  const { store, channels } = deps;
  if (channels.length === 0) return { [Symbol.asyncDispose]: async () => {} };
  const closing = new AbortController();
  // One for each: a server that hangs does not keep what another one would take.
  const lines = channels.map(({ name }) => openLine(deps, name, closing.signal));
  const look = (): void => {
    for (const line of lines) line.look();
  };
  const stop = store.news.followAll(look);
  look();
  return {
    [Symbol.asyncDispose]: async () => {
      stop();
      closing.abort(new Error('the gateway stops'));
      await Promise.all(lines.map((line) => line[Symbol.asyncDispose]()));
    },
  };
}

/*
 * What goes to one channel. A look fills the places that are free and waits for none of them: each that becomes free asks for another look, so
 * one that hangs keeps its own place and no other.
 */
function openLine(deps: NoticeSenderDeps, name: string, signal: AbortSignal): Follower {
  const underWay = new Map<TakenDelivery, Promise<void>>();
  const onFailed = (error: unknown): void => {
    if (!signal.aborted) deps.log.warn('notice.send-failed', { channel: name, error });
  };
  const begin = (delivery: TakenDelivery): void => {
    const sending = sendOne(deps, delivery, signal)
      .catch(onFailed)
      .finally(() => {
        underWay.delete(delivery);
        follower.look();
      });
    underWay.set(delivery, sending);
  };
  const follower = createFollower({
    clock: deps.clock,
    everyMs,
    onFailed,
    work: async () => {
      const { notices } = deps.store.system;
      // Every event of every account leads here.
      if (!(await notices.isWaiting())) return;
      await planAll(deps);
      while (underWay.size < sendsMax) {
        const taken = await takeSome(deps, name, [...underWay.keys()]);
        if (taken.length === 0) return;
        deps.onPoint?.('taken');
        for (const delivery of taken) begin(delivery);
      }
    },
  });
  return {
    look: () => follower.look(),
    [Symbol.asyncDispose]: async () => {
      await follower[Symbol.asyncDispose]();
      await Promise.all(underWay.values());
    },
  };
}

async function planAll(deps: NoticeSenderDeps): Promise<void> {
  const { notices } = deps.store.system;
  // Who is pushed to is in the database.
  const channels = deps.channels.map((channel) => channel.name).filter((one) => one !== 'push');
  for (;;) {
    const planned = await notices.plan({ channels, ageMsMax, limit: planMax });
    if (planned > 0) deps.onPoint?.('planned');
    if (planned < planMax) return;
  }
}

function takeSome(
  { store, sender }: NoticeSenderDeps,
  name: string,
  underWay: readonly TakenDelivery[],
): Promise<readonly TakenDelivery[]> {
  return store.system.notices.take({
    channels: [name],
    sender,
    holdMs,
    pauseMsMax,
    attemptsMax,
    ageMsMax,
    limit: sendsMax - underWay.length,
    shares: { underWay, perServiceMax, perAccountMax },
  });
}

async function sendOne(
  deps: NoticeSenderDeps,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { store, channels, log } = deps;
  const { channel: name, attempt, noticeId } = delivery;
  const channel = channels.find((one) => one.name === kindOf(delivery));
  if (channel === undefined) return;
  const outcome = await attemptOne(deps, { channel, delivery }, signal);
  deps.onPoint?.('answered');
  const end = endOf(deps, outcome, attempt);
  const isOurs = await store.system.notices.settle(delivery, end);
  deps.onPoint?.('settled');
  await outcome.learned?.();
  if (!isOurs) return;
  deps.onAttempt?.(channel.name, end.state);
  if (end.state === 'failed') {
    const { reason } = end;
    log.warn('notice.undelivered', { channel: name, noticeId, reason, attempts: attempt });
  }
}

interface Attempt {
  readonly channel: NoticeChannel;
  readonly delivery: TakenDelivery;
}

/* Rejects for the signal alone. Whatever else goes wrong is an attempt that failed: it counts, and the next one comes after a pause. */
async function attemptOne(
  deps: NoticeSenderDeps,
  { channel, delivery }: Attempt,
  signal: AbortSignal,
): Promise<Sent> {
  using limit = startTimeLimit(deps.clock, attemptMs, [signal]);
  try {
    return await orAborted(channel.send(messageOf(deps, delivery), limit.signal), limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    const { channel: name, noticeId } = delivery;
    deps.log.warn('notice.attempt-failed', { channel: name, noticeId, error });
    return { outcome: 'again', reason: limit.signal.aborted ? 'timeout' : 'gateway' };
  }
}

/* A push is of one device, and all of them are one channel here. */
function kindOf({ deviceId, channel }: TakenDelivery): string {
  return deviceId === undefined ? channel : 'push';
}

function messageOf({ showsTitles }: NoticeSenderDeps, delivery: TakenDelivery): NoticeMessage {
  const { noticeId, channel, threadTitle, subjectId, accountId, deviceId, ...more } = delivery;
  const { service: _, ...rest } = more;
  return {
    ...rest,
    noticeId,
    to: deviceId === undefined ? undefined : { accountId, deviceId },
    about: subjectId,
    deliveryId: `${noticeId}-${channel}`,
    threadTitle: showsTitles ? threadTitle : undefined,
  };
}

function endOf({ random }: NoticeSenderDeps, outcome: SendOutcome, attempt: number): DeliveryEnd {
  if (outcome.outcome === 'sent') return { state: 'sent' };
  const { reason } = outcome;
  if (outcome.outcome === 'dropped') return { state: 'skipped', reason };
  if (outcome.outcome === 'refused' || attempt >= attemptsMax) return { state: 'failed', reason };
  const [chance = 0] = random.bytes(1);
  const usual = Math.min(pauseMs * 2 ** (attempt - 1), pauseMsMax) * (0.5 + chance / 512);
  const wished = Math.min(outcome.afterMs ?? 0, pauseMsMax);
  return { state: 'pending', reason, pauseMs: Math.round(Math.max(usual, wished)) };
}
