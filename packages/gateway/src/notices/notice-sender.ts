/*
 * Brings notices to the channels outside, each once (docs/notices.md): what is new is planned, what is due is taken, sent and settled.
 *
 * planned ── taken ──► sending ── the server has it ──► sent
 *    ▲                    ├────── it refuses ─────────► failed
 *    └── after a pause ───┘
 *
 * The database says who sends what (ND1 to ND4), so any number of gateways do this at the same time. Here is only when.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { DeliveryEnd, Sender, Store, TakenDelivery } from '@clawdfather/store';
import { createFollower } from '../feed/follower.ts';
import type { NoticeChannel, NoticeMessage, SendOutcome } from './channel.ts';
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
/* Longer than an attempt takes, so that nobody takes it for abandoned. */
const holdMs = 6 * sendMs;
/* 5 s, doubled, up to a quarter of an hour: about forty minutes in all. */
const attemptsMax = 10;
const pauseMs = 5_000;
const pauseMsMax = 15 * 60_000;
/* Another gateway may have made a notice, and gone. */
const everyMs = 5_000;

export function openNoticeSender(deps: NoticeSenderDeps): AsyncDisposable {
  const { store, clock, log, channels } = deps;
  if (channels.length === 0) return { [Symbol.asyncDispose]: async () => {} };
  const closing = new AbortController();
  // One for each: a server that hangs does not keep what another one would take.
  const followers = channels.map(({ name }) =>
    createFollower({
      clock,
      everyMs,
      onFailed: (error) => log.warn('notice.send-failed', { channel: name, error }),
      work: () => sendAll(deps, name, closing.signal),
    }),
  );
  const look = (): void => {
    for (const follower of followers) follower.look();
  };
  const stop = store.news.followAll(look);
  look();
  return {
    [Symbol.asyncDispose]: async () => {
      stop();
      closing.abort(new Error('the gateway stops'));
      await Promise.all(followers.map((follower) => follower[Symbol.asyncDispose]()));
    },
  };
}

async function sendAll(deps: NoticeSenderDeps, name: string, signal: AbortSignal): Promise<void> {
  const { notices } = deps.store.system;
  // Every event of every account leads here.
  if (!(await notices.isWaiting())) return;
  const channels = deps.channels.map((channel) => channel.name);
  while ((await notices.plan({ channels, ageMsMax, limit: planMax })) === planMax);
  deps.onPoint?.('planned');
  for (;;) {
    const taken = await notices.take({
      channels: [name],
      sender: deps.sender,
      holdMs,
      pauseMsMax,
      limit: sendsMax,
    });
    if (taken.length === 0) return;
    deps.onPoint?.('taken');
    await Promise.all(taken.map((delivery) => sendOne(deps, delivery, signal)));
  }
}

async function sendOne(
  deps: NoticeSenderDeps,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { store, channels, log } = deps;
  const { channel: name, attempt, noticeId } = delivery;
  const channel = channels.find((one) => one.name === name);
  if (channel === undefined) return;
  const outcome = await channel.send(messageOf(deps, delivery), signal);
  deps.onPoint?.('answered');
  const end = endOf(deps, outcome, attempt);
  const isOurs = await store.system.notices.settle(delivery, end);
  deps.onPoint?.('settled');
  if (!isOurs) return;
  deps.onAttempt?.(name, end.state);
  if (end.state === 'failed') {
    const { reason } = end;
    log.warn('notice.undelivered', { channel: name, noticeId, reason, attempts: attempt });
  }
}

function messageOf({ showsTitles }: NoticeSenderDeps, delivery: TakenDelivery): NoticeMessage {
  const { noticeId, channel, threadTitle, subjectId, ...rest } = delivery;
  return {
    ...rest,
    noticeId,
    about: subjectId,
    deliveryId: `${noticeId}-${channel}`,
    threadTitle: showsTitles ? threadTitle : undefined,
  };
}

function endOf({ random }: NoticeSenderDeps, outcome: SendOutcome, attempt: number): DeliveryEnd {
  if (outcome.outcome === 'sent') return { state: 'sent' };
  const { reason } = outcome;
  if (outcome.outcome === 'refused' || attempt >= attemptsMax) return { state: 'failed', reason };
  const [chance = 0] = random.bytes(1);
  const usual = Math.min(pauseMs * 2 ** (attempt - 1), pauseMsMax) * (0.5 + chance / 512);
  const wished = Math.min(outcome.afterMs ?? 0, pauseMsMax);
  return { state: 'pending', reason, pauseMs: Math.round(Math.max(usual, wished)) };
}
