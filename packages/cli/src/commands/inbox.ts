/*
 * `clf inbox`: what needs you, in the order in which it is worth your time.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext, Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { formatAge } from '../render/duration.ts';
import { flagOf } from '../hosts/place-of-host.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { shortThread } from '../threads/find-thread.ts';
import { jsonLine } from '../render/run-json.ts';
import { withGateway } from '../sign-in/open-client.ts';
import type { inboxSpec } from './inbox-specs.ts';

type Inbox = Awaited<ReturnType<Client['inbox']['get']>>;

interface Item {
  readonly group: string;
  readonly id: string;
  readonly title: string;
  readonly since: string | null;
  readonly agent: string | null;
  readonly threadId: string | null;
  /* What to type. */
  readonly next: string | null;
}

export const execute: Execute<typeof inboxSpec> = (context) =>
  withGateway(context, async ({ client, target }) => {
    const { io } = context;
    const inbox = await client.inbox.get({ query: {} });
    const items = itemsOf(inbox, flagOf(context, target));
    if (context.isJson) {
      const { needs_you: needsYou, done, working, waiting } = inbox.counts;
      const { seq } = inbox;
      await io.stdout.write(jsonLine({ seq, needsYou, done, working, waiting }));
      for (const item of items) await io.stdout.write(jsonLine({ ...item }));
      return codeStatus(exitOk);
    }
    await io.stdout.write(`${linesOf(context, inbox, items).join('\n')}\n`);
    return codeStatus(exitOk);
  });

/* In the order of the screens: what waits for an answer comes first. */
function itemsOf(inbox: Inbox, flag: string): readonly Item[] {
  const threads = (action: string, { thread }: Pick<Noticed, 'thread'>) =>
    thread === null ? null : `clf threads ${action}${flag} ${shortThread(thread)}`;
  return [
    ...inbox.approvals.map((one) =>
      itemOf('approval', one, { ...one, next: `clf allow${flag} ${shortId(one.id)}` }),
    ),
    // Its form is filled in there.
    ...inbox.questions.map((one) =>
      itemOf('question', one, { ...one, next: threads('follow', one) }),
    ),
    ...inbox.failed.map((one) =>
      itemOf('failed', one, {
        id: one.turn_id,
        title: `${one.thread?.title ?? ''} (${one.cause ?? one.code ?? 'failed'})`,
        next: threads('show', one),
      }),
    ),
    ...inbox.host_keys.map((one) => ({
      group: 'host key',
      id: one.connection_id,
      title: `${one.label}: the host shows another key than before`,
      since: one.since,
      agent: null,
      threadId: null,
      next: `clf host test${flag} ${one.label}`,
    })),
    ...inbox.hosts_lost.map((one) =>
      itemOf('host lost', one, {
        id: one.connection_id,
        title: one.code ?? 'the connection was lost',
        next: null,
      }),
    ),
    ...inbox.holds.map(({ reason }) => ({
      group: 'hold',
      id: reason,
      title: reason,
      since: null,
      agent: null,
      threadId: null,
      next: 'clf doctor',
    })),
    ...inbox.done.map((one) =>
      itemOf('done', one, {
        id: one.turn_id,
        title: one.thread?.title ?? '',
        next: threads('show', one),
      }),
    ),
  ];
}

interface Noticed {
  readonly since: string;
  readonly thread: Inbox['done'][number]['thread'];
}

function itemOf(
  group: string,
  { since, thread }: Noticed,
  { id, title, next }: Pick<Item, 'id' | 'title' | 'next'>,
): Item {
  const { agent = null, id: threadId = null } = thread ?? {};
  return { group, id, title, since, agent, threadId, next };
}

function shortId(id: string): string {
  return id.slice(0, shortIdChars);
}

function linesOf(
  { paint, clock }: Pick<CommandContext, 'paint' | 'clock'>,
  { counts, working }: Inbox,
  items: readonly Item[],
): readonly string[] {
  const nowMs = clock.wallMs();
  const isQuiet = items.length === 0;
  const groupColumns = Math.max(...items.map(({ group }) => group.length));
  const lines = items.flatMap(({ group, title, since, agent, next }) => {
    const age = since === null ? [] : [formatAge(nowMs, Date.parse(since))];
    const facts = [...(agent === null ? [] : [agent]), ...age].join(', ');
    const head = `${paint.strong(group.padEnd(groupColumns))}  ${makeVisible(title)}`;
    const after = [facts, next ?? ''].filter(Boolean).join(' · ');
    return after === ''
      ? [head]
      : [head, `${' '.repeat(groupColumns + 2)}${paint.dim(makeVisible(after))}`];
  });
  const names = working.slice(0, namesMax).map(({ thread }) => `  ${makeVisible(thread.title)}`);
  const going = underWay(counts);
  const sum = `${needsOf(counts)} ${going}`;
  return [...lines, ...(isQuiet ? [] : ['']), sum, ...names];
}

const namesMax = 3;

function needsOf({ needs_you: needs, done }: Inbox['counts']): string {
  const needing = needs > 1 ? `${needs} need you` : `${needs === 0 ? 'Nothing' : '1'} needs you`;
  return done === 0 ? `${needing}.` : `${needing}, ${done} done and not looked at.`;
}

function underWay({ working, waiting }: Inbox['counts']): string {
  const works = working === 1 ? '1 thread working' : `${working} threads working`;
  if (working === 0 && waiting === 0) return 'No thread is working.';
  return waiting === 0 ? `${works}.` : `${works}, ${waiting} waiting.`;
}
