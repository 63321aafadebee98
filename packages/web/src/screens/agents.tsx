/*
 * The agents that this gateway knows: which are installed, whether they are signed in, and how to get the rest.
 */
import { Link } from 'wouter-preact';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { ClfCommand } from '../parts/clf-command.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Badge, Empty, Group, type Mood, Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatAgo } from '../text/time-words.ts';

type Agent = AnswerOf<Api['agents']['list']>['items'][number];

const outcomes: Readonly<Record<string, string>> = {
  works: 'works',
  'not-startable': 'cannot be started',
  'not-signed-in': 'is not signed in',
  exited: 'ended at once',
  'no-acp': 'does not speak our protocol',
  'too-slow': 'was too slow',
  refused: 'refused',
};

export function AgentsScreen() {
  const { client } = useApp();
  const agents = useResource('agents', () => client.agents.list());
  return (
    <Screen title="Agents" back={{ to: '/more', name: 'More' }}>
      <ResourceView resource={agents}>
        {({ items, default_agent: usual }) => {
          const here = items.filter((agent) => agent.is_installed);
          const absent = items.filter((agent) => !agent.is_installed);
          return (
            <>
              {here.length === 0 && (
                <Empty title="No agent is installed">
                  <p>Install one on the machine of the gateway; the command is below.</p>
                </Empty>
              )}
              {here.length > 0 && (
                <Group title="Installed" count={here.length}>
                  {here.map((agent) => (
                    <AgentRow key={agent.name} agent={agent} isUsual={agent.name === usual} />
                  ))}
                </Group>
              )}
              {absent.length > 0 && <Absent agents={absent} />}
              <p class="quiet after-list">
                Agents are installed and tried on the machine of the gateway:{' '}
                <code>clf agents test NAME</code>. What one needs on an SSH host is told when a{' '}
                <Link class="link" href="/new">
                  thread
                </Link>{' '}
                begins there.
              </p>
            </>
          );
        }}
      </ResourceView>
    </Screen>
  );
}

function AgentRow({ agent, isUsual }: { readonly agent: Agent; readonly isUsual: boolean }) {
  const { gatewayTime } = useApp();
  const { title, name, version, source, last_test: test } = agent;
  const { words, mood } = standingOf(agent);
  const facts = [
    ...(title === name ? [] : [name]),
    ...(version === null ? [] : [version]),
    ...(source === 'settings' ? ['from the settings'] : []),
    ...(isUsual ? ['used unless you choose'] : []),
    ...(test === null ? [] : [`tried ${formatAgo(Date.parse(test.at), gatewayTime.nowMs())}`]),
  ];
  return <Row what={title} facts={facts.join(' · ')} after={<Badge mood={mood}>{words}</Badge>} />;
}

function standingOf({ is_signed_in: isSignedIn, last_test: test }: Agent): {
  readonly words: string;
  readonly mood: Mood;
} {
  if (test !== null && test.outcome !== 'works') {
    return { words: outcomes[test.outcome] ?? test.outcome, mood: 'bad' };
  }
  if (isSignedIn === false) return { words: 'not signed in', mood: 'waiting' };
  if (test !== null) return { words: 'works', mood: 'good' };
  return isSignedIn === true
    ? { words: 'signed in', mood: 'good' }
    : { words: 'installed', mood: 'plain' };
}

function Absent({ agents }: { readonly agents: readonly Agent[] }) {
  return (
    <section class="group">
      <h2>Not installed</h2>
      {agents.map(({ name, title }) => (
        <details key={name} class="panel">
          <summary>{title}</summary>
          <p>On the machine of the gateway:</p>
          <ClfCommand words={`agents install ${name}`} name={`Command that installs ${title}`} />
        </details>
      ))}
    </section>
  );
}
