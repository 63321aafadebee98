/*
 * The rest of the inbox: what holds everything up, what is done and was not looked at, hosts that were lost, and what works meanwhile.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { Badge, Group, Row } from '../parts/rows.tsx';
import { formatAgo, formatLength } from '../text/time-words.ts';
import type { Inbox, InboxListProps } from './inbox-needs.tsx';
import { factLine, nameOfThread, receiptsOf, toThread } from './inbox-words.ts';

export interface InboxRestProps extends InboxListProps {
  readonly whyNot: string | undefined;
  readonly onSeen: () => void;
  /* What works is shown above already. */
  readonly hidesWorking: boolean;
}

export function InboxRest({
  inbox,
  nowMs,
  hostName,
  whyNot,
  onSeen,
  hidesWorking,
}: InboxRestProps) {
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
        <Group title="Done, not looked at" count={inbox.counts.done}>
          {inbox.done.map(({ notice_id: id, thread, since }) => (
            <Row
              key={id}
              {...toThread(thread)}
              what={nameOfThread(thread)}
              facts={factLine([
                formatAgo(Date.parse(since), nowMs),
                thread?.agent,
                thread === null ? undefined : hostName(thread.connection_id),
              ])}
              {...(thread !== null && { after: <span class="go">Read</span> })}
            />
          ))}
        </Group>
      )}
      <Receipts inbox={inbox} nowMs={nowMs} hostName={hostName} />
      <Lost inbox={inbox} nowMs={nowMs} hostName={hostName} whyNot={whyNot} onSeen={onSeen} />
      {inbox.working.length > 0 && !hidesWorking && (
        <Group title="Working" count={inbox.counts.working}>
          {inbox.working.map((one) => (
            <WorkingRow key={one.turn_id} one={one} nowMs={nowMs} hostName={hostName} />
          ))}
        </Group>
      )}
    </>
  );
}

/* Threads that went on and ask for nothing: each opens with its receipt. */
function Receipts({ inbox, nowMs, hostName }: InboxListProps) {
  const receipts = receiptsOf(inbox);
  if (receipts.length === 0) return null;
  return (
    <Group title="Went on without you" count={receipts.length}>
      {receipts.map(({ thread, new_events: newEvents, at }) => (
        <Row
          key={thread.id}
          {...toThread(thread)}
          what={nameOfThread(thread)}
          facts={factLine([
            formatAgo(Date.parse(at), nowMs),
            newEvents === 1 ? '1 event' : `${newEvents} events`,
            thread.agent,
            hostName(thread.connection_id),
          ])}
          after={<span class="go">Receipt</span>}
        />
      ))}
    </Group>
  );
}

export function WorkingRow({
  one: { thread, since, new_events: newEvents, last_step: step },
  nowMs,
  hostName,
}: Omit<InboxListProps, 'inbox'> & { readonly one: Inbox['working'][number] }) {
  return (
    <Row
      {...toThread(thread)}
      what={nameOfThread(thread)}
      facts={factLine([
        since === null ? undefined : formatLength(nowMs - Date.parse(since)),
        newEvents > 0 ? `${newEvents} new` : undefined,
        thread.agent,
        hostName(thread.connection_id),
      ])}
      {...(step === null ? {} : { more: step.title })}
      after={<Badge mood="working">working</Badge>}
    />
  );
}

function Lost({ inbox, nowMs, hostName, whyNot, onSeen }: Omit<InboxRestProps, 'hidesWorking'>) {
  const { client } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  if (inbox.hosts_lost.length === 0) return null;
  const see = async (id: string): Promise<void> => {
    try {
      await client.notices.see({ params: { id } });
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
    onSeen();
  };
  return (
    <Group title="Lost hosts" count={inbox.counts.hosts_lost}>
      {inbox.hosts_lost.map(({ notice_id: id, connection_id: host, code, since }) => (
        <Row
          key={id}
          what={hostName(host)}
          facts={factLine([
            formatAgo(Date.parse(since), nowMs),
            `the connection was lost${code === null ? '' : `: ${code.replaceAll('_', ' ')}`}`,
          ])}
          after={
            <button
              type="button"
              class="button"
              disabled={whyNot !== undefined}
              onClick={() => void see(id)}
            >
              Seen
            </button>
          }
        />
      ))}
      {problem !== undefined && <ProblemView problem={problem} />}
    </Group>
  );
}
