/*
 * A new conversation: which agent, where, and the first thing to say.
 */
import { useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { type AppParts, useApp } from '../app-context.ts';
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

interface FormProps {
  readonly agents: readonly string[];
  readonly usual: string | null;
  readonly hosts: readonly { readonly id: string; readonly label: string }[];
}

function NewThreadForm({ agents, usual, hosts }: FormProps) {
  const { client, random } = useApp();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isBusy, setIsBusy] = useState(false);
  const start = async (form: FormData): Promise<void> => {
    setIsBusy(true);
    try {
      navigate(`/threads/${await startThread({ client, random }, form)}`);
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
        <span>What should it do?</span>
        <textarea name="text" rows={5} required />
      </label>
      <Choice
        name="agent"
        says="Agent"
        options={agents.map((agent) => [agent, agent])}
        usual={usual}
      />
      <Choice
        name="host"
        says="Where"
        options={[['', 'This machine'], ...hosts.map(({ id, label }) => [id, label] as const)]}
        usual=""
      />
      <label class="field">
        <span>Directory (empty: the usual one)</span>
        <input name="directory" autocomplete="off" autocapitalize="off" spellcheck={false} />
      </label>
      {problem !== undefined && <ProblemView problem={problem} />}
      <button type="submit" class="button main wide" disabled={isBusy}>
        Start
      </button>
    </form>
  );
}

function Choice({
  name,
  says,
  options,
  usual,
}: {
  readonly name: string;
  readonly says: string;
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly usual: string | null;
}) {
  return (
    <label class="field">
      <span>{says}</span>
      <select name={name}>
        {options.map(([value, shown]) => (
          <option key={value} value={value} selected={value === usual}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/* The id of the thread. */
async function startThread(
  { client, random }: Pick<AppParts, 'client' | 'random'>,
  form: FormData,
): Promise<string> {
  const text = fieldOf(form, 'text');
  const directory = fieldOf(form, 'directory');
  const host = fieldOf(form, 'host');
  const { thread } = await client.threads.create({
    body: {
      agent: fieldOf(form, 'agent'),
      connection_id: host === '' ? null : host,
      ...(directory === '' ? {} : { directory }),
    },
  });
  const body = { text, client_message_id: random.id() };
  await client.threads.prompt({ params: { id: thread.id }, body });
  return thread.id;
}

function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
