/*
 * What needs you, in a fixed order: decisions, questions, what failed, changed host keys; then what is done and was not looked at, and
 * what works meanwhile. One snapshot of the gateway's, taken again when something in the account has changed.
 */
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { createResource } from '../data/resource.ts';
import { DecisionCard } from '../parts/decision-card.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { useRefreshOn } from '../state/feed.ts';
import { formatAgo } from '../text/time-words.ts';

type Inbox = AnswerOf<Api['inbox']['get']>;

export function InboxScreen() {
  const { client, clock, feed } = useApp();
  const inbox = useMemo(() => createResource(clock, () => client.inbox.get()), [client, clock]);
  useRefreshOn(feed, ['approval_', 'ask_', 'turn_', 'notice', 'connection_', 'seen'], inbox);
  return (
    <Screen title="Inbox">
      <ResourceView resource={inbox}>
        {(known) => (
          <>
            {known.counts.needs_you === 0 && <NothingNeedsYou working={known.counts.working} />}
            <Needed inbox={known} onDone={() => void inbox.refresh()} />
            <Rest inbox={known} nowMs={clock.wallMs()} />
          </>
        )}
      </ResourceView>
    </Screen>
  );
}

function NothingNeedsYou({ working }: { readonly working: number }) {
  return (
    <Empty title="Nothing needs you">
      {working === 0 ? (
        <Link class="button main" href="/new">
          Start a thread
        </Link>
      ) : (
        <p>{working === 1 ? '1 thread is working.' : `${working} threads are working.`}</p>
      )}
    </Empty>
  );
}

/* The first four groups. */
function Needed({ inbox, onDone }: { readonly inbox: Inbox; readonly onDone: () => void }) {
  return (
    <>
      {inbox.approvals.map(({ id, kind }) => (
        <DecisionCard key={id} id={id} kind={kind} onDone={onDone} />
      ))}
      {inbox.questions.map(({ id }) => (
        <DecisionCard key={id} id={id} kind="ask" onDone={onDone} />
      ))}
      {inbox.failed.length > 0 && (
        <Group title="Failed or stopped" count={inbox.counts.failed}>
          {inbox.failed.map(({ notice_id: id, thread, code, cause }) => (
            <Row
              key={id}
              {...toThread(thread)}
              what={nameOf(thread)}
              facts={cause ?? code ?? 'why is not known'}
              after={<Badge mood="bad">failed</Badge>}
            />
          ))}
        </Group>
      )}
      {inbox.host_keys.length > 0 && (
        <Group title="Changed host keys" count={inbox.counts.host_keys}>
          {inbox.host_keys.map(({ connection_id: id, label, host }) => (
            <Row
              key={id}
              what={label}
              facts={`${host} shows another key; blocked until you decide`}
            />
          ))}
        </Group>
      )}
    </>
  );
}

function Rest({ inbox, nowMs }: { readonly inbox: Inbox; readonly nowMs: number }) {
  return (
    <>
      {inbox.holds.length > 0 && (
        <Group title="Holds everything up">
          {inbox.holds.map(({ reason }) => (
            <Row key={reason} what={reason} after={<Badge mood="waiting">holds</Badge>} />
          ))}
        </Group>
      )}
      {inbox.done.length > 0 && (
        <Group title="Done" count={inbox.counts.done}>
          {inbox.done.map(({ notice_id: id, thread, since }) => (
            <Row
              key={id}
              {...toThread(thread)}
              what={nameOf(thread)}
              facts={formatAgo(Date.parse(since), nowMs)}
              after={<Badge mood="good">done</Badge>}
            />
          ))}
        </Group>
      )}
      {inbox.working.length > 0 && (
        <Group title="Working" count={inbox.counts.working}>
          {inbox.working.map(({ turn_id: id, thread }) => (
            <Row
              key={id}
              {...toThread(thread)}
              what={nameOf(thread)}
              facts={thread.agent}
              after={<Badge mood="working">working</Badge>}
            />
          ))}
        </Group>
      )}
    </>
  );
}

type NamedThread = Inbox['working'][number]['thread'];

function nameOf(thread: NamedThread | null): string {
  if (thread === null) return 'A thread';
  return thread.title === '' ? thread.agent : thread.title;
}

function toThread(thread: NamedThread | null): { readonly to?: string } {
  return thread === null ? {} : { to: `/threads/${thread.id}` };
}
