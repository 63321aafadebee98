/*
 * How the gateway is: what it is, for how long it runs, and whether its database and its disk are well.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { FactList } from '../parts/fact-list.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, type Mood } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatLength } from '../text/time-words.ts';

type Health = AnswerOf<Api['system']['health']>;

const moods: Readonly<Record<Health['status'], Mood>> = {
  ok: 'good',
  degraded: 'waiting',
  unhealthy: 'bad',
};

const shields: Readonly<Record<string, string>> = {
  full: 'whole',
  opened: 'whole, with openings from the settings',
  partial: 'partly: this machine cannot do all of it',
  none: 'none',
};

export function SystemScreen() {
  const { client } = useApp();
  const health = useResource('system', () => client.system.health());
  return (
    <Screen title="System" back={{ to: '/more', name: 'More' }}>
      <ResourceView resource={health}>
        {(known) => <HealthView health={known} onAgain={() => health.refresh()} />}
      </ResourceView>
    </Screen>
  );
}

function HealthView({
  health,
  onAgain,
}: {
  readonly health: Health;
  readonly onAgain: () => Promise<void>;
}) {
  const { client } = useApp();
  const { checks, status } = health;
  const { tmp_space_mb: spaceMb, tmp_writable: isWritable } = checks.filesystem;
  const gateway = client.gateway.last;
  return (
    <>
      <section class="panel">
        <FactList
          facts={[
            [
              'Gateway',
              <Badge key="status" mood={moods[status]}>
                {status}
              </Badge>,
            ],
            ['Version', health.version],
            ['Runs for', formatLength(health.uptime_s * 1000)],
            [
              'Instance',
              gateway === undefined
                ? undefined
                : `${gateway.instanceId}, started ${gateway.generation === 1 ? 'once' : `${gateway.generation} times`}`,
            ],
            ['Database', `${checks.db.status}, answers in ${checks.db.latency_ms} ms`],
            [
              'Disk',
              `${checks.filesystem.status}, ${isWritable ? 'can be written' : 'cannot be written'}${
                spaceMb === null ? '' : `, ${formatSpace(spaceMb)} free`
              }`,
            ],
            ['Shield around agents', shields[health.shield ?? ''] ?? 'not known'],
            ['Open sessions', countOf(health.active_sessions)],
            ['Connections to hosts', countOf(health.active_controlmasters)],
            ['Open sockets', countOf(health.connected_websockets)],
          ]}
        />
      </section>
      <div class="buttons apart">
        <button type="button" class="button" onClick={() => void onAgain()}>
          Look again
        </button>
        <a class="button" href="/api/docs" target="_blank" rel="noopener">
          The API
        </a>
      </div>
    </>
  );
}

function countOf(count: number | null): string {
  return count === null ? 'not known' : String(count);
}

function formatSpace(megabytes: number): string {
  return megabytes < 1_024 ? `${megabytes} MB` : `${(megabytes / 1_024).toFixed(1)} GB`;
}
