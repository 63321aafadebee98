/*
 * What a change of a thread means for the account's stream and its notices, as a pure function of the rows that are written. Every
 * change of a thread goes through one commit, so nothing of this can be forgotten, whichever process makes the change.
 *
 * - Text of an agent is no news of an account: a change that only adds text compares a few references and is done.
 * - A person is told of an end when the thread waits for them: not of a turn that another one follows, not of what they cancelled
 *   themselves, and not of a thread that an agent began, because its parent is told.
 * - What was asked and answered in one change asks nobody.
 */
import type { AskRow, ThreadChange, ThreadRow, ThreadRows, TurnRow } from '@clawdfather/agents';
import type { AccountNews, EventInput, NoticeInput, ResolveInput } from './news.ts';

/** A label has at most 64 characters; a title that an agent gave may be longer. */
const titleCharactersMax = 120;

export function newsOfChange(before: ThreadRows, change: ThreadChange): AccountNews | undefined {
  const { rows, endedTurns } = change;
  const isQuiet =
    before.turn?.id === rows.turn?.id &&
    before.queue === rows.queue &&
    endedTurns.length === 0 &&
    isSameThread(before.thread, rows.thread) &&
    isSame(before.asks, rows.asks);
  if (isQuiet) return undefined;
  const turns = newsOfTurns(before, change);
  const asks = newsOfAsks(before, change);
  const events = [...turns.events, ...asks.events, ...changesOfThread(before.thread, rows.thread)];
  const resolves = [...turns.resolves, ...asks.resolves];
  const notices = [...turns.notices, ...asks.notices];
  return events.length + resolves.length + notices.length === 0
    ? undefined
    : { events, resolves, notices };
}

export function newsOfThread(thread: ThreadRow): AccountNews {
  const { id, agent, title, status, connectionId, parentId } = thread;
  const payload = {
    agent,
    title: shownTitle(title),
    status,
    ...(connectionId === undefined ? {} : { connection_id: connectionId }),
    ...(parentId === undefined ? {} : { parent_id: parentId }),
  };
  return { events: [{ type: 'thread_created', threadId: id, subjectId: id, payload }] };
}

export function newsOfArchive(threadId: string): AccountNews {
  const payload = { status: 'archived' };
  return {
    events: [{ type: 'thread_changed', threadId, subjectId: threadId, payload }],
    resolves: [{ as: 'archived', threadId }],
  };
}

/** Of what a person has changed of it. */
export function newsOfEdit(
  threadId: string,
  edited: { readonly status: ThreadRow['status']; title?: string; is_pinned?: boolean },
): AccountNews {
  return { events: [{ type: 'thread_changed', threadId, subjectId: threadId, payload: edited }] };
}

interface Parts {
  readonly events: EventInput[];
  readonly resolves: ResolveInput[];
  readonly notices: NoticeInput[];
}

function isSameThread(before: ThreadRow, after: ThreadRow): boolean {
  if (before === after) return true;
  const isSame = before.status === after.status && before.title === after.title;
  return isSame && before.chosen === after.chosen && before.currentChoices === after.currentChoices;
}

function isSame(before: ThreadRows['asks'], after: ThreadRows['asks']): boolean {
  if (before === after) return true;
  if (before.size !== after.size) return false;
  for (const [id, ask] of after) if (before.get(id) !== ask) return false;
  return true;
}

function changesOfThread(before: ThreadRow, after: ThreadRow): EventInput[] {
  if (isSameThread(before, after)) return [];
  const { id, status, title } = after;
  const payload = { status, ...(title === before.title ? {} : { title: shownTitle(title) }) };
  return [{ type: 'thread_changed', threadId: id, subjectId: id, payload }];
}

/** Text that an agent chose may hold what a column of text cannot; here it is inside of JSON. */
function shownTitle(title: string): string {
  return Array.from(title).slice(0, titleCharactersMax).join('');
}

function newsOfTurns(before: ThreadRows, { rows, endedTurns }: ThreadChange): Parts {
  const parts: Parts = { events: [], resolves: [], notices: [] };
  const { id: threadId } = rows.thread;
  const tell = (type: EventInput['type'], turn: TurnRow, payload: EventInput['payload'] = {}) =>
    parts.events.push({ type, threadId, subjectId: turn.id, payload });
  const waited = new Map(before.queue.map((turn) => [turn.id, turn]));
  let isContinued = false;
  for (const turn of rows.queue) {
    const earlier = waited.get(turn.id);
    if (earlier !== undefined) {
      const how = howChanged(earlier, turn);
      if (how !== undefined) tell('turn_changed', turn, { how });
      continue;
    }
    const isAgain = turn.id === before.turn?.id;
    isContinued ||= !isAgain;
    tell('turn_queued', turn, isAgain ? { again: true } : {});
  }
  // One that starts and ends in the same change is told of, too.
  for (const turn of [...endedTurns, ...(rows.turn === undefined ? [] : [rows.turn])]) {
    if (turn.id === before.turn?.id || turn.startedAtMs === undefined) continue;
    tell('turn_started', turn, turn.requeuedCount === 0 ? {} : { again: true });
  }
  if (isContinued) {
    parts.resolves.push({ as: 'continued', threadId, classes: ['done', 'failed'] });
  }
  for (const turn of endedTurns) {
    tell('turn_ended', turn, endOf(turn));
    const notice = noticeOfEnd(rows, turn);
    if (notice === undefined) continue;
    if (notice.class === 'done') {
      parts.resolves.push({ as: 'continued', threadId, classes: ['done'] });
    }
    parts.notices.push(notice);
  }
  return parts;
}

/* What people see of the queue. That a turn could run now is known by looking at it, and is no news. */
function howChanged(before: TurnRow, after: TurnRow): 'moved' | 'edited' | undefined {
  if (before === after) return undefined;
  const isThere = before.priority === after.priority && before.queueKey === after.queueKey;
  if (!isThere) return 'moved';
  const says = before.prompt === after.prompt && before.loadClass === after.loadClass;
  return says && before.notBeforeMs === after.notBeforeMs ? undefined : 'edited';
}

function endOf({ status, result }: TurnRow) {
  const { code, cause } = result ?? {};
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause }),
  };
}

function noticeOfEnd(
  { thread, turn: next, queue }: ThreadRows,
  turn: TurnRow,
): NoticeInput | undefined {
  if (thread.parentId !== undefined || turn.status === 'cancelled') return undefined;
  const isDone = turn.status === 'completed';
  if (isDone && (next !== undefined || queue.length > 0)) return undefined;
  return {
    class: isDone ? 'done' : 'failed',
    key: `turn:${turn.id}`,
    threadId: thread.id,
    threadSeq: thread.lastSeq,
    subjectId: turn.id,
    detail: endOf(turn),
  };
}

function newsOfAsks({ asks: before }: ThreadRows, { rows }: ThreadChange): Parts {
  const parts: Parts = { events: [], resolves: [], notices: [] };
  const { id: threadId, lastSeq: threadSeq } = rows.thread;
  for (const ask of rows.asks.values()) {
    const wasOpen = before.get(ask.id)?.state === 'open';
    const isOpen = ask.state === 'open';
    if (wasOpen === isOpen) continue;
    const about = { threadId, subjectId: ask.id };
    const key = `ask:${ask.id}`;
    if (isOpen) {
      const noticeClass = ask.class === 'question' ? 'question' : 'approval';
      parts.events.push({ type: 'ask_opened', ...about, payload: { class: ask.class } });
      const detail = { ask: ask.class };
      parts.notices.push({ class: noticeClass, key, ...about, threadSeq, detail });
    } else {
      parts.events.push({ type: 'ask_closed', ...about, payload: closeOf(ask) });
      const as = ask.decision === undefined ? 'withdrawn' : 'answered';
      parts.resolves.push({ as, key });
    }
  }
  return parts;
}

function closeOf({ class: askClass, state, decision }: AskRow) {
  return {
    class: askClass,
    state,
    ...(decision === undefined ? {} : { answer: decision.answer.kind, by: decision.actor }),
  };
}
