/*
 * What stands above the composer: what was written and is not in the conversation yet, and the turns that wait, with their place and
 * the reason. What waits can be changed, moved and taken back.
 */
import type { OutboxItem, OutboxRow } from '@clawdfather/sdk';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useContext, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { heldBy } from '../../data/limits.ts';
import { ordinal } from '../../text/number-words.ts';
import { formatForReader } from '../../text/reader-text.ts';
import { ThreadContext } from '../thread-context.ts';
import { deferralOf, outboxWords } from './outbox-words.ts';

export type Turn = AnswerOf<Api['turns']['get']>['turn'];

export interface WaitingBarProps {
  /* What the gateway is not known to have. */
  readonly unsent: readonly OutboxRow[];
  readonly waiting: readonly Turn[];
  /* Runs it, shows what fails, and looks again at what waits. */
  readonly act: (work: () => Promise<unknown>) => void;
}

export function WaitingBar({ unsent, waiting, act }: WaitingBarProps) {
  return (
    <ul class="waiting-bar" aria-label="Not begun yet">
      {waiting.map((turn, index) => (
        <WaitingTurn key={turn.id} turn={turn} before={waiting[index - 1]} act={act} />
      ))}
      {unsent.map((row) => (
        <UnsentRow key={row.key} row={row} act={act} />
      ))}
    </ul>
  );
}

function excerptOf({ text, attachments = [] }: Extract<OutboxItem, { kind: 'message' }>): string {
  if (attachments.length === 0) return text;
  return `${text} (with ${attachments.length === 1 ? '1 file' : `${attachments.length} files`})`;
}

interface WaitingTurnProps {
  readonly turn: Turn;
  readonly before: Turn | undefined;
  readonly act: WaitingBarProps['act'];
}

function WaitingTurn({ turn, before, act }: WaitingTurnProps) {
  const text = turn.waiting_text ?? 'A long message, or one with files';
  // With files it cannot be changed: the new text would take their place.
  const mayEdit = typeof turn.waiting_text === 'string';
  const { client, connection } = useApp();
  const isOff = !connection.canAct.value;
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const params = { id: turn.id };
  const { queue } = turn;
  const save = (said: string): void => {
    setEdited(undefined);
    if (said.trim() !== '') act(() => client.queue.edit({ params, body: { text: said } }));
  };
  return (
    <li>
      <p class="place">
        {queue === null ? 'Waits' : `${ordinal(queue.position)} in line · ${queue.reason.message}`}
        {isOff && '. It can be changed when the gateway answers.'}
      </p>
      {edited === undefined ? (
        <p class="excerpt">{formatForReader(text.slice(0, 300))}</p>
      ) : (
        <textarea
          value={edited}
          rows={3}
          aria-label="What it says"
          onInput={({ currentTarget }) => setEdited(currentTarget.value)}
        />
      )}
      <p class="acts">
        {edited === undefined ? (
          <>
            <HeldAct code={queue?.reason.code} />
            {mayEdit && (
              <Act isOff={isOff} onAct={() => setEdited(text)}>
                Edit
              </Act>
            )}
            {before !== undefined && (
              <Act
                isOff={isOff}
                onAct={() => act(() => client.queue.move({ params, body: { before: before.id } }))}
              >
                Move up
              </Act>
            )}
            <Act isOff={isOff} onAct={() => act(() => client.turns.cancel({ params }))}>
              Take back
            </Act>
          </>
        ) : (
          <>
            <Act onAct={() => setEdited(undefined)}>Leave as it is</Act>
            <Act isOff={isOff} onAct={() => save(edited)}>
              Save
            </Act>
          </>
        )}
      </p>
    </li>
  );
}

function UnsentRow({
  row,
  act,
}: {
  readonly row: OutboxRow;
  readonly act: WaitingBarProps['act'];
}) {
  const { outbox } = useApp();
  const { text, mayWithdraw, mayRepeat, isBad } = outboxWords(row.state);
  if (row.item.kind !== 'message') return null;
  return (
    <li class={isBad ? 'bad' : undefined}>
      <p class="place" role="status">
        {text}
      </p>
      <p class="excerpt">{formatForReader(excerptOf(row.item).slice(0, 300))}</p>
      <p class="acts">
        <HeldAct code={deferralOf(row.state)?.code} />
        {mayRepeat && <Act onAct={() => act(() => outbox.again(row.key))}>Send again</Act>}
        {mayWithdraw && <Act onAct={() => act(() => outbox.withdraw(row.key))}>Delete</Act>}
      </p>
    </li>
  );
}

/* It waits for room: the way to what has it. */
function HeldAct({ code }: { readonly code: string | undefined }) {
  const { show } = useContext(ThreadContext);
  const held = heldBy(code);
  if (held === undefined) return null;
  return <Act onAct={() => show({ kind: 'held', held })}>What holds the places</Act>;
}

function Act({
  onAct,
  isOff = false,
  children,
}: {
  readonly onAct: () => void;
  readonly isOff?: boolean;
  readonly children: string;
}) {
  return (
    <button type="button" class="button plain small" disabled={isOff} onClick={onAct}>
      {children}
    </button>
  );
}
