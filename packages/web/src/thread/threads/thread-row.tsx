/*
 * One conversation in the list: what it is called, who works for it and where, and how it stands. What is not known for sure says
 * since when.
 */
import { Badge, Row } from '../../parts/rows.tsx';
import { ordinal } from '../../text/number-words.ts';
import {
  moodOfThread,
  standingOfThread,
  type Thread,
  titleOfThread,
} from '../../text/thread-words.ts';
import { formatAgo, formatClock, formatLength } from '../../text/time-words.ts';
import { isUnread, type Queued, type Working } from './group-threads.ts';

export interface ThreadRowProps {
  readonly thread: Thread;
  readonly host: string;
  readonly queued: Queued | undefined;
  readonly working: Working | undefined;
  readonly isAsking: boolean;
  /* By the gateway's clock. */
  readonly nowMs: number;
  /* What is shown is from then; undefined: from now. */
  readonly asOfMs: number | undefined;
  readonly onMenu: () => void;
}

export function ThreadRow(props: ThreadRowProps) {
  const { thread, host, queued, nowMs, asOfMs, onMenu } = props;
  // What is not known for sure does not go on.
  const working = thread.status === 'running' && asOfMs === undefined ? props.working : undefined;
  const since = working?.since ?? undefined;
  // Times first: they stay whole where the rest is cut.
  const facts = [
    isOpen(thread) && asOfMs !== undefined && `since ${formatClock(asOfMs)}`,
    since !== undefined && formatLength(nowMs - Date.parse(since)),
    thread.status === 'ready' && formatAgo(Date.parse(thread.updated_at), nowMs),
    thread.agent,
    host,
  ];
  const step =
    queued === undefined
      ? (working?.last_step?.title ?? undefined)
      : `${ordinal(queued.position)} in line: ${queued.reason.message}`;
  return (
    <Row
      to={`/threads/${thread.id}`}
      before={<UnreadMark isUnread={isUnread(thread)} />}
      what={titleOfThread(thread)}
      facts={facts.filter(Boolean).join(' · ')}
      {...(step === undefined ? {} : { more: step })}
      after={<Standing {...props} />}
      beside={
        <button
          type="button"
          class="icon-button"
          aria-label={`More about ${titleOfThread(thread)}`}
          onClick={onMenu}
        >
          ⋯
        </button>
      }
    />
  );
}

function UnreadMark({ isUnread: isNew }: { readonly isUnread: boolean }) {
  return (
    <span class={isNew ? 'unread' : 'unread none'}>
      {isNew && <span class="only-read-aloud">Unread</span>}
    </span>
  );
}

function Standing({ thread, isAsking, asOfMs }: ThreadRowProps) {
  if (isOpen(thread) && asOfMs !== undefined) return <Badge mood="plain">unknown</Badge>;
  if (isAsking) return <Badge mood="waiting">asks you</Badge>;
  return (
    <Badge mood={moodOfThread(thread)}>
      {thread.status === 'running' && <span class="spinner" />}
      {standingOfThread(thread)}
    </Badge>
  );
}

function isOpen({ status }: Thread): boolean {
  return status === 'running' || status === 'queued';
}
