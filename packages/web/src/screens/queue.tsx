/*
 * The queue of turns: how full each lane is, what waits, where and why; moved, edited or taken back from here.
 */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { type Act, useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { EditTurn } from '../lists/edit-turn.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty, Group, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatForReader } from '../text/reader-text.ts';
import { formatSince } from '../text/since-words.ts';

type Queue = AnswerOf<Api['queue']['list']>;
type Waiting = Queue['items'][number];
type Lane = Queue['lanes'][number];

export function QueueScreen() {
  const { client } = useApp();
  const act = useAct();
  const queue = useResource('queue-2', () => client.queue.list({ query: { words: 'true' } }), [
    'turn_',
  ]);
  const refresh = (): Promise<void> => queue.refresh();
  return (
    <Screen title="Queue" back={{ to: '/more', name: 'More' }}>
      <ActNote act={act} />
      <ResourceView resource={queue}>
        {({ items, lanes, total }) => (
          <>
            {items.length === 0 && (
              <Empty title="Nothing waits">
                <p>A message to an agent waits here when as many turns run as may.</p>
              </Empty>
            )}
            {items.length > 0 && (
              <Group title="Waiting" count={total}>
                {items.map((turn, index) => (
                  <WaitingRow
                    key={turn.turn_id}
                    turn={turn}
                    act={act}
                    before={placesOf(items, index)}
                    onChanged={refresh}
                  />
                ))}
              </Group>
            )}
            <Group title="Lanes">
              {lanes.map((lane) => (
                <LaneRow key={`${lane.lane} ${lane.agent ?? ''}`} lane={lane} />
              ))}
            </Group>
          </>
        )}
      </ResourceView>
    </Screen>
  );
}

/* Before which turn it stands when it moves up or down by one; null: at the end, undefined: it cannot. */
interface Places {
  readonly up: string | undefined;
  readonly down: string | null | undefined;
}

function placesOf(items: readonly Waiting[], index: number): Places {
  const isLast = index === items.length - 1;
  return {
    up: items[index - 1]?.turn_id,
    down: isLast ? undefined : (items[index + 2]?.turn_id ?? null),
  };
}

interface WaitingRowProps {
  readonly turn: Waiting;
  readonly act: Act;
  readonly before: Places;
  readonly onChanged: () => Promise<void>;
}

function WaitingRow({ turn, act, before, onChanged }: WaitingRowProps) {
  const { client, gatewayTime } = useApp();
  const [asks, setAsks] = useState<'edit' | 'cancel' | undefined>(undefined);
  const params = { id: turn.turn_id };
  const move = (to: string | null): void =>
    void act.run(async () => {
      await client.queue.move({ params, body: { before: to } });
      await onChanged();
    });
  const close = (): void => setAsks(undefined);
  const { up, down } = before;
  return (
    <li class="waiting-turn">
      <Link class="link" href={`/threads/${turn.thread_id}`}>
        {turn.position}. {formatForReader(saysOf(turn))}
      </Link>
      <p class="quiet">
        {formatForReader(turn.thread_title || 'A thread without a title')} · {turn.agent}
      </p>
      <p class="quiet">
        {turn.reason.message} · {formatSince(Date.parse(turn.queued_at), gatewayTime.nowMs())}
      </p>
      <div class="buttons">
        <button
          type="button"
          class="button small"
          disabled={up === undefined || act.isOff}
          onClick={() => up !== undefined && move(up)}
        >
          Move up
        </button>
        <button
          type="button"
          class="button small"
          disabled={down === undefined || act.isOff}
          onClick={() => down !== undefined && move(down)}
        >
          Move down
        </button>
        <button type="button" class="button small" onClick={() => setAsks('edit')}>
          Edit
        </button>
        <button type="button" class="button small danger" onClick={() => setAsks('cancel')}>
          Take back
        </button>
      </div>
      {asks === 'edit' && (
        <EditTurn
          turnId={turn.turn_id}
          notBefore={turn.not_before}
          onDone={onChanged}
          onClose={close}
        />
      )}
      {asks === 'cancel' && (
        <Confirm
          title="Take it back?"
          does="Take it back"
          onDo={async () => {
            await client.turns.cancel({ params });
            await onChanged();
          }}
          onClose={close}
        >
          <p>It has not begun. What it says stays in the thread, and nothing is done about it.</p>
        </Confirm>
      )}
    </li>
  );
}

/* One that begins with no text has files, or what only agents read. */
function saysOf({ text_begins: begins }: Waiting): string {
  return begins || 'A message with more than text';
}

const laneNames: Readonly<Record<Lane['lane'], string>> = {
  agent: 'Agent',
  account: 'Your account',
  gateway: 'The whole gateway',
};

function LaneRow({ lane }: { readonly lane: Lane }) {
  const { active, active_max: activeMax, waiting, waiting_max: waitingMax } = lane;
  return (
    <Row
      what={lane.agent ?? laneNames[lane.lane]}
      facts={`${active} of ${activeMax} turns run · ${waiting} of ${waitingMax} wait`}
    />
  );
}
