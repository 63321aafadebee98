/*
 * A new conversation: which agent, where, and the first thing to say.
 */
import { useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { type Problem, problemOf } from '../data/problem.ts';
import { createResource } from '../data/resource.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';

export function NewThreadScreen() {
  const { client, clock } = useApp();
  const choices = useMemo(
    () =>
      createResource(clock, async () => {
        const [agents, hosts] = await Promise.all([
          client.agents.list(),
          client.connections.list({ query: { limit: 100 } }),
        ]);
        const ready = agents.items.filter(({ is_installed: isInstalled }) => isInstalled);
        return { agents: ready, usual: agents.default_agent, hosts: hosts.items };
      }),
    [client, clock],
  );
  return (
    <Screen title="New thread">
      <ResourceView resource={choices}>
        {({ agents, usual, hosts }) =>
          agents.length === 0 ? (
            <Empty title="No agent is installed">
              <p>
                On the machine of the gateway: <code>clf agents install opencode</code>
              </p>
            </Empty>
          ) : (
            <NewThreadForm agents={agents.map(({ name }) => name)} usual={usual} hosts={hosts} />
          )
        }
      </ResourceView>
    </Screen>
  );
}

function NewThreadForm({
  agents,
  usual,
  hosts,
}: {
  readonly agents: readonly string[];
  readonly usual: string | null;
  readonly hosts: readonly { readonly id: string; readonly label: string }[];
}) {
  const { client, random } = useApp();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isBusy, setIsBusy] = useState(false);
  const start = async (form: FormData): Promise<void> => {
    const text = String(form.get('text') ?? '').trim();
    const directory = String(form.get('directory') ?? '').trim();
    const host = String(form.get('host') ?? '');
    setIsBusy(true);
    try {
      const { thread } = await client.threads.create({
        body: {
          agent: String(form.get('agent')),
          connection_id: host === '' ? null : host,
          title: text.split('\n')[0]?.slice(0, 64) ?? '',
          ...(directory === '' ? {} : { directory }),
        },
      });
      await client.threads.prompt({
        params: { id: thread.id },
        body: { text, client_message_id: random.id() },
      });
      navigate(`/threads/${thread.id}`);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setIsBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void start(new FormData(event.currentTarget));
      }}
    >
      <label class="field">
        <span>Agent</span>
        <select name="agent">
          {agents.map((name) => (
            <option key={name} selected={name === usual}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Where</span>
        <select name="host">
          <option value="">This machine</option>
          {hosts.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Directory (empty: the usual one)</span>
        <input name="directory" autocomplete="off" autocapitalize="off" spellcheck={false} />
      </label>
      <label class="field">
        <span>What should it do?</span>
        <textarea name="text" rows={5} required />
      </label>
      {problem !== undefined && <ProblemView problem={problem} />}
      <p>
        <button type="submit" class="button main wide" disabled={isBusy}>
          Start
        </button>
      </p>
    </form>
  );
}
