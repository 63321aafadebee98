/*
 * `clf notices ls | test`: what you were told of, and whether the ways to tell you work.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { codeStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { formatAge, formatDuration } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { formatTable } from '../render/table.ts';
import { withGateway } from '../sign-in/open-client.ts';
import type { noticesListSpec, noticesTestSpec } from './inbox-specs.ts';

type Notice = Awaited<ReturnType<Client['notices']['list']>>['items'][number];

/* The newest; a page that fits a screen or two. */
const shownMax = 50;

export const list: Execute<typeof noticesListSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io, paint, clock } = context;
    const open = context.flags.open ? 'true' : 'false';
    const { items } = await client.notices.list({ query: { open, limit: shownMax } });
    if (context.isJson) {
      for (const notice of items) await io.stdout.write(jsonLine(noticeJson(notice)));
      return codeStatus(exitOk);
    }
    if (items.length === 0) {
      await io.stdout.write(
        context.flags.open
          ? 'No notice is open. Earlier ones: clf notices\n'
          : 'No notices. There is one when an agent asks, or a turn has ended.\n',
      );
      return codeStatus(exitOk);
    }
    const nowMs = clock.wallMs();
    const rows = items.map((notice) => [
      { text: notice.class, paint: paint.strong },
      { text: formatAge(nowMs, Date.parse(notice.created_at)) },
      { text: notice.resolution ?? 'open' },
      { text: notice.deliveries.map(deliveryText).join(', ') || '-' },
      { text: (notice.thread_id ?? notice.about).slice(0, shortIdChars) },
    ]);
    const headers = ['CLASS', 'AGE', 'STATE', 'SENT', 'ABOUT'];
    const layout = { headers, paintHeader: paint.dim, columnsMax: io.columns() };
    await io.stdout.write(formatTable(layout, rows));
    return codeStatus(exitOk);
  });

function deliveryText({ channel, state, reason }: Notice['deliveries'][number]): string {
  return `${channel} ${state}${reason === null ? '' : ` (${makeVisible(reason)})`}`;
}

function noticeJson(notice: Notice) {
  return {
    id: notice.id,
    class: notice.class,
    threadId: notice.thread_id,
    about: notice.about,
    createdAt: notice.created_at,
    seenAt: notice.seen_at,
    resolvedAt: notice.resolved_at,
    resolution: notice.resolution,
    deliveries: notice.deliveries.map(({ channel, state, attempts, reason }) => ({
      channel,
      state,
      attempts,
      reason,
    })),
  };
}

export const test: Execute<typeof noticesTestSpec> = (context) =>
  withGateway(context, async ({ client }) => {
    const { io } = context;
    const { items } = await client.notices.test();
    for (const { channel, outcome, reason, duration_ms: durationMs } of items) {
      const text =
        outcome === 'sent'
          ? `${channel}: it has arrived, in ${formatDuration(durationMs)}.\n`
          : `${channel}: it did not arrive: ${makeVisible(reason ?? '')}.\n`;
      const json = { channel, outcome, reason, durationMs };
      await io.stdout.write(context.isJson ? jsonLine(json) : text);
    }
    if (items.length === 0 && !context.isJson) {
      await io.stdout.write(
        'The gateway has no channel: set notify.webhook.url or notify.ntfy.url (docs/notices.md).\n',
      );
    }
    return codeStatus(items.every(({ outcome }) => outcome === 'sent') ? exitOk : exitChecksFailed);
  });
