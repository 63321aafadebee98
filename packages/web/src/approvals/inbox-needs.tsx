/*
 * The first four groups of the inbox: what a badge counts.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { Icon } from '../parts/icon.tsx';
import { Group, Row } from '../parts/rows.tsx';
import { formatAgo } from '../text/time-words.ts';
import { ExpiryRing } from './expiry-ring.tsx';
import { factLine, nameOfThread, toThread, whyOfTurn } from './inbox-words.ts';

export type Inbox = AnswerOf<Api['inbox']['get']>;

export interface InboxListProps {
  readonly inbox: Inbox;
  /* By the gateway's clock. */
  readonly nowMs: number;
  readonly hostName: (id: string | null) => string;
  readonly isOff?: boolean;
}

export function InboxNeeds({ inbox, nowMs, hostName, isOff = false }: InboxListProps) {
  const { counts } = inbox;
  return (
    <>
      {inbox.approvals.length > 0 && (
        <Group title="Waits for you" count={counts.approvals}>
          {inbox.approvals.map((one) => (
            <Row
              key={one.id}
              to={one.kind === 'command' ? `/approvals/${one.id}` : `/asks/${one.id}`}
              before={<Ring one={one} nowMs={nowMs} />}
              what={one.title === '' ? 'An approval on another machine' : one.title}
              facts={factLine([
                agoOf(one.since, nowMs),
                one.requester ?? one.thread?.agent,
                hostName(one.host ?? one.thread?.connection_id ?? null),
              ])}
              after={<Go isOff={isOff}>Review</Go>}
            />
          ))}
        </Group>
      )}
      {inbox.questions.length > 0 && (
        <Group title="Questions" count={counts.questions}>
          {inbox.questions.map((one) => (
            <Row
              key={one.id}
              to={`/asks/${one.id}`}
              what={one.title}
              facts={factLine([
                agoOf(one.since, nowMs),
                one.thread?.agent,
                hostName(one.thread?.connection_id ?? null),
              ])}
              after={<Go isOff={isOff}>Answer</Go>}
            />
          ))}
        </Group>
      )}
      <Failed inbox={inbox} nowMs={nowMs} hostName={hostName} />
      {inbox.host_keys.length > 0 && (
        <Group title="Changed host keys" count={counts.host_keys}>
          {inbox.host_keys.map(({ connection_id: id, label, host, since }) => (
            <Row
              key={id}
              to={`/hosts/${id}`}
              what={label}
              facts={factLine([
                since === null ? undefined : agoOf(since, nowMs),
                `${host} shows another key; blocked until you decide`,
              ])}
              after={<Go isOff={isOff}>Compare</Go>}
            />
          ))}
        </Group>
      )}
    </>
  );
}

function Failed({ inbox, nowMs, hostName }: InboxListProps) {
  if (inbox.failed.length === 0) return null;
  return (
    <Group title="Failed or stopped" count={inbox.counts.failed}>
      {inbox.failed.map(({ notice_id: id, thread, code, cause, since }) => (
        <Row
          key={id}
          {...toThread(thread)}
          what={nameOfThread(thread)}
          facts={factLine([
            agoOf(since, nowMs),
            whyOfTurn(code, cause),
            thread?.agent,
            thread === null ? undefined : hostName(thread.connection_id),
          ])}
          {...(thread !== null && { after: <span class="go">Open</span> })}
        />
      ))}
    </Group>
  );
}

function Ring({
  one: { since, expires_at: expiresAt },
  nowMs,
}: {
  readonly one: Inbox['approvals'][number];
  readonly nowMs: number;
}) {
  if (expiresAt === null) return <Icon name="threads" />;
  const lengthMs = Date.parse(expiresAt) - Date.parse(since);
  const leftMs = Date.parse(expiresAt) - nowMs;
  const minutes = Math.max(0, Math.ceil(leftMs / 60_000));
  return (
    <span>
      <ExpiryRing share={lengthMs <= 0 ? 0 : Math.max(0, Math.min(1, leftMs / lengthMs))} />
      <span class="only-read-aloud">{minutes} min left</span>
    </span>
  );
}

/* What a tap on the row leads to. */
function Go({ isOff, children }: { readonly isOff: boolean; readonly children: string }) {
  return <span class={isOff ? 'go off' : 'go'}>{isOff ? 'Look' : children}</span>;
}

function agoOf(at: string, nowMs: number): string {
  return formatAgo(Date.parse(at), nowMs);
}
