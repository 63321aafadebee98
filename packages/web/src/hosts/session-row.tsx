/*
 * A session: where it is, since when, and the button that closes it. Closing ends what runs in it, so it is asked about.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { Confirm } from '../parts/confirm.tsx';
import { Badge, type Mood, Row } from '../parts/rows.tsx';
import { formatAgo } from '../text/time-words.ts';

export type Session = AnswerOf<Api['sessions']['list']>['items'][number];

const moods: Readonly<Record<Session['status'], Mood>> = {
  pending: 'waiting',
  active: 'good',
  closed: 'plain',
  error: 'bad',
};

const closings: Readonly<Record<string, string>> = {
  user: 'closed by a person',
  timeout: 'closed: it was idle',
  error: 'ended by an error',
  server_closed: 'ended by the gateway',
  key_revoked: 'closed: its key was revoked',
};

const statuses: Readonly<Record<Session['status'], string>> = {
  pending: 'starting',
  active: 'open',
  closed: 'closed',
  error: 'failed',
};

export function SessionRow({
  session,
  name = '',
  onChanged,
}: {
  readonly session: Session;
  /* Of the thread whose agent it is for; empty: it has none. */
  readonly name?: string | undefined;
  readonly onChanged: () => Promise<void>;
}) {
  const { client, gatewayTime } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const { id, connection, agent, status, last_seen_at: seenAt } = session;
  const where = connection?.label ?? 'This machine';
  const isOpen = status === 'pending' || status === 'active';
  const what = agent === null ? 'commands' : agent;
  const end = session.error?.message ?? closings[session.close_reason ?? ''];
  return (
    <Row
      what={name === '' ? `${where}: ${what}` : name}
      facts={[
        `used ${formatAgo(Date.parse(seenAt), gatewayTime.nowMs())}`,
        name !== '' && `${where}: ${what}`,
        end,
      ]
        .filter(Boolean)
        .join(' · ')}
      after={
        isOpen ? (
          <>
            <button type="button" class="button small" onClick={() => setIsAsked(true)}>
              Close
            </button>
            {isAsked && (
              <Confirm
                title={`Close the session on ${where}?`}
                does="Close it"
                keeps="Keep it open"
                onDo={async () => {
                  await client.sessions.close({ params: { id } });
                  await onChanged();
                }}
                onClose={() => setIsAsked(false)}
              >
                <p>What runs in it is ended.</p>
              </Confirm>
            )}
          </>
        ) : (
          <Badge mood={moods[status]}>{statuses[status]}</Badge>
        )
      }
    />
  );
}
