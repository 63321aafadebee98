/*
 * The turns that hold places of the queue: those that run, and those that wait. Stopping one leaves its thread as it is.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { nameOfThread } from '../approvals/inbox-words.ts';
import { type Act, useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { formatSince } from '../text/since-words.ts';
import { formatLength } from '../text/time-words.ts';
import { ActNote } from './act-note.tsx';
import { ResourceView } from './resource-view.tsx';
import { Group, Row } from './rows.tsx';

type Working = AnswerOf<Api['inbox']['get']>['working'][number];
type Queue = AnswerOf<Api['queue']['list']>;

export function HeldTurns() {
  const { client, gatewayTime } = useApp();
  const act = useAct();
  const turns = useResource('held/turns', async () => {
    const [{ working }, queue, threads] = await Promise.all([
      client.inbox.get(),
      client.queue.list(),
      client.threads.list({ query: { limit: 100 } }),
    ]);
    const titles = threads.items.map(({ id, title }) => [id, title] as const);
    return { working, queue, titles };
  }, ['turn_']);
  const stop = (id: string): void =>
    void act.run(async () => {
      await client.turns.cancel({ params: { id } });
      await turns.refresh();
    });
  const nowMs = gatewayTime.nowMs();
  // The thread below the list needs no way to it.
  const [location] = useLocation();
  const wayTo = (threadId: string): { readonly to?: string } => {
    const to = `/threads/${threadId}`;
    return to === location ? {} : { to };
  };
  return (
    <ResourceView resource={turns}>
      {({ working, queue, titles }) => (
        <>
          <ActNote act={act} />
          <Group title="Running" count={working.length}>
            {working.map((one) => (
              <Row
                key={one.turn_id}
                {...wayTo(one.thread.id)}
                what={nameOfThread(one.thread)}
                facts={factsOf(one, nowMs)}
                beside={<StopTurn says="Stop" act={act} onStop={() => stop(one.turn_id)} />}
              />
            ))}
          </Group>
          {queue.items.length > 0 && (
            <Group title="Waiting" count={queue.total}>
              {queue.items.map(({ turn_id: id, thread_id: threadId, agent, queued_at: at }) => (
                <Row
                  key={id}
                  {...wayTo(threadId)}
                  what={titles.find(([of]) => of === threadId)?.[1] || agent}
                  facts={`${agent} · ${formatSince(Date.parse(at), nowMs)}`}
                  beside={<StopTurn says="Take back" act={act} onStop={() => stop(id)} />}
                />
              ))}
            </Group>
          )}
          {hasOthers(queue, working) && (
            <p class="quiet">Others who use this gateway hold places, too. Theirs are not shown.</p>
          )}
        </>
      )}
    </ResourceView>
  );
}

function StopTurn({
  says,
  act,
  onStop,
}: {
  readonly says: string;
  readonly act: Act;
  readonly onStop: () => void;
}) {
  return (
    <button type="button" class="button small" disabled={act.isOff} onClick={onStop}>
      {says}
    </button>
  );
}

function factsOf({ thread, since }: Working, nowMs: number): string {
  const length = since === null ? undefined : formatLength(nowMs - Date.parse(since));
  return [thread.agent, length].filter((fact) => fact !== undefined).join(' · ');
}

/* The lane of the gateway counts everyone's. */
function hasOthers({ lanes, total }: Queue, working: readonly Working[]): boolean {
  const gateway = lanes.find(({ lane }) => lane === 'gateway');
  if (gateway === undefined) return false;
  return gateway.active > working.length || gateway.waiting > total;
}
