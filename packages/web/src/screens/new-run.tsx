/*
 * Start a command: what, where, and if you like with which limits.
 */
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { ChoiceField, SwitchField, TextField } from '../parts/fields.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Screen } from '../parts/screen.tsx';
import { runStartOf } from '../runs/start-run.ts';

export function NewRunScreen() {
  const { client } = useApp();
  const hosts = useResource('hosts/names', () =>
    client.connections.list({ query: { limit: 100 } }),
  );
  return (
    <Screen title="Start a command" back={{ to: '/runs', name: 'Runs' }}>
      <ResourceView resource={hosts}>
        {({ items }) => <NewRunForm hosts={items.map(({ label }) => [label, label] as const)} />}
      </ResourceView>
    </Screen>
  );
}

function NewRunForm({ hosts }: { readonly hosts: readonly (readonly [string, string])[] }) {
  const { client, random } = useApp();
  const [, navigate] = useLocation();
  const act = useAct();
  const [denied, setDenied] = useState<string | undefined>(undefined);
  // A second tap after a lost answer starts nothing twice.
  const [key, setKey] = useState(() => random.id());
  const start = async (form: FormData): Promise<void> => {
    const body = runStartOf(form);
    const result = await client.runs.create({ body }, { idempotencyKey: key });
    if (result.status === 'denied') {
      setKey(random.id());
      setDenied(result.rule);
    } else navigate(`/runs/${result.runId}`);
  };
  return (
    <form
      onInput={() => setKey(random.id())}
      onSubmit={(event) => {
        event.preventDefault();
        setDenied(undefined);
        const form = new FormData(event.currentTarget);
        void act.run(() => start(form));
      }}
    >
      <TextField name="command" says="Command" rows={3} isNeeded placeholder="make test" />
      <ChoiceField
        name="host"
        says="Where"
        options={[['local', 'This machine'], ...hosts]}
        value="local"
      />
      <TextField
        name="workdir"
        says="Directory"
        hint="Empty: the one that the gateway is set to; on a host, the home directory."
      />
      <TextField
        name="name"
        says="Name"
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        charactersMax={63}
        title="Letters without accents, digits, dots, dashes and underscores; it begins with a letter or a digit."
        hint="Letters, digits, dots, dashes and underscores; if you like."
      />
      <SwitchField
        name="pty"
        says="With a terminal"
        hint="For programs that ask, or fill the screen"
      />
      <Limits />
      <Rest />
      {denied !== undefined && (
        <ProblemView
          problem={{
            text: 'It was denied; nothing has started.',
            hint: denied,
            traceId: undefined,
            kind: 'refused',
          }}
        />
      )}
      <ActNote act={act} />
      <button type="submit" class="button main wide" disabled={act.isOff}>
        {act.isBusy ? 'Starting …' : 'Start'}
      </button>
    </form>
  );
}

const limitFields: readonly (readonly [name: string, says: string])[] = [
  ['timeoutMinutes', 'End it after so many minutes'],
  ['silenceMinutes', 'End it when it says nothing for so many minutes'],
  ['graceSeconds', 'Seconds from “please end” to the kill'],
  ['memoryMb', 'Memory, in MiB'],
  ['processes', 'Processes'],
  ['cpuSeconds', 'Processor time, in seconds'],
  ['openFiles', 'Open files'],
  ['fileMb', 'Size of a file that it writes, in MiB'],
  ['outputMb', 'Output that is kept, in MiB'],
  ['nice', 'Lower priority, 0 to 19'],
];

function Limits() {
  return (
    <details class="panel">
      <summary>Limits</summary>
      {limitFields.map(([name, says]) => (
        <TextField key={name} name={name} says={says} type="number" min={0} />
      ))}
    </details>
  );
}

function Rest() {
  return (
    <details class="panel">
      <summary>More</summary>
      <TextField name="env" says="Environment" rows={2} hint="NAME=VALUE, one a line." />
      <TextField name="labels" says="Labels" rows={2} hint="NAME=VALUE, one a line." />
      <TextField name="stdin" says="Input" rows={3} hint="Given to it when it starts." />
      <SwitchField name="eof" says="No more input after that" />
      <ChoiceField
        name="leftovers"
        says="Processes that it leaves behind"
        options={[
          ['keep', 'go on'],
          ['end', 'are ended'],
          ['fail', 'are ended, and it counts as failed'],
        ]}
        value="keep"
      />
      <TextField name="sessionId" says="Id of a session that it belongs to" />
      <SwitchField name="shield" says="In a shield, as what agents start" />
    </details>
  );
}
