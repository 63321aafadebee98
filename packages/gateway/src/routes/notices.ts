/*
 * Notices over HTTP: what a person was told of and on which channels, and a test of the channels.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Store, ToldNotice } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers } from '../http/handlers.ts';
import type { NoticeChannel, NoticeMessage } from '../notices/channel.ts';

export interface NoticesParts {
  readonly store: Store;
  readonly channels: readonly NoticeChannel[];
  readonly clock: Clock;
  readonly random: Random;
}

export function createNoticesHandlers(parts: NoticesParts): Handlers<Api['notices']> {
  const { store, channels, clock, random } = parts;
  return {
    list: async ({ caller, query }) => {
      const { notices } = store.forAccount(caller.accountId);
      const before = query.before === undefined ? undefined : await notices.get(query.before);
      if (query.before !== undefined && before === undefined) throw notFound();
      const { items, hasMore } = await notices.list({
        isOpen: query.open === 'true',
        limit: query.limit,
        ...(before === undefined ? {} : { before }),
      });
      return { items: items.map(showNotice), has_more: hasMore };
    },
    see: async ({ caller, params }) => {
      const { notices } = store.forAccount(caller.accountId);
      await notices.see(params.id);
      const notice = await notices.get(params.id);
      if (notice === undefined) throw notFound();
      return showNotice(notice);
    },
    test: async ({ caller, signal }) => {
      // The channels are those of whoever runs the machine.
      if (!caller.isOwner) throw new ApiError('forbidden', 'only the owner of the machine may');
      const id = random.id();
      const message: Omit<NoticeMessage, 'deliveryId'> = {
        noticeId: id,
        class: 'test',
        about: id,
        createdAtMs: clock.wallMs(),
        openCount: 0,
      };
      const items = channels.map(async (channel) => {
        const sinceMs = clock.monotonicMs();
        const sent = await channel.send(
          { ...message, deliveryId: `${id}-${channel.name}` },
          signal,
        );
        return {
          channel: channel.name,
          outcome: sent.outcome === 'sent' ? ('sent' as const) : ('failed' as const),
          reason: sent.outcome === 'sent' ? null : sent.reason,
          duration_ms: Math.round(clock.monotonicMs() - sinceMs),
        };
      });
      return { items: await Promise.all(items) };
    },
  };
}

function showNotice(notice: ToldNotice): AnswerOf<Api['notices']['see']> {
  return {
    id: notice.id,
    class: notice.class,
    thread_id: notice.threadId ?? null,
    about: notice.subjectId,
    detail: notice.detail,
    created_at: formatTime(notice.createdAtMs),
    seen_at: formatTime(notice.seenAtMs),
    resolved_at: formatTime(notice.resolvedAtMs),
    resolution: notice.resolution ?? null,
    deliveries: notice.deliveries.map(
      ({ channel, deviceId, state, attempts, reason, settledAtMs }) => ({
        channel: deviceId === undefined ? channel : 'push',
        device_id: deviceId ?? null,
        state,
        attempts,
        reason: reason ?? null,
        settled_at: formatTime(settledAtMs),
      }),
    ),
  };
}
