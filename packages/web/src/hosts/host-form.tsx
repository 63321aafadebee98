/*
 * The address of a host, its user and its key: for one that is added, and for one that is changed.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { ChoiceField, TextField, typedIn } from '../parts/fields.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { type Host, type Key, probeWords } from './host-words.ts';

export interface HostFields {
  readonly label: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /* Undefined: a new key is made. */
  readonly keyId: string | undefined;
}

export interface HostFormProps {
  /* Absent: a new one. */
  readonly host?: Host;
  readonly keys: readonly Key[];
  readonly does: string;
  readonly onDone: (fields: HostFields) => Promise<void>;
}

const newKey = 'new';
const usualPort = 22;

export function HostForm({ host, keys, does, onDone }: HostFormProps) {
  const act = useAct();
  const options = keys
    .filter(({ status }) => status === 'active')
    .map(({ id, label }) => [id, label] as const);
  const offered = host === undefined ? [...options, [newKey, 'A new key'] as const] : options;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        void act.run(() => onDone(fieldsOf(form)));
      }}
    >
      <TextField
        name="label"
        says="Name"
        value={host?.label}
        isNeeded
        charactersMax={64}
        placeholder="web"
        hint="What you call it here."
      />
      <TextField
        name="host"
        says="Host name or address"
        value={host?.host}
        isNeeded
        placeholder="web.example.com"
      />
      <TextField
        name="port"
        says="Port"
        type="number"
        value={String(host?.port ?? usualPort)}
        isNeeded
        min={1}
        max={65_535}
      />
      <TextField name="username" says="User on the host" value={host?.username} isNeeded />
      <ChoiceField name="key" says="Key" options={offered} value={host?.keypair_id} />
      {host !== undefined && (
        <p class="quiet">Another host or port has to be tested and trusted anew.</p>
      )}
      <Probe />
      <ActNote act={act} />
      <button type="submit" class="button main wide" disabled={act.isOff}>
        {does}
      </button>
    </form>
  );
}

/* Whether anything answers at the address that was typed; nothing is stored. */
function Probe() {
  const { client } = useApp();
  const act = useAct();
  const [found, setFound] = useState<string | undefined>(undefined);
  return (
    <div class="probe">
      <button
        type="button"
        class="button small"
        disabled={act.isOff}
        onClick={({ currentTarget }) => {
          const { form } = currentTarget;
          if (form === null) return;
          const { host, port } = fieldsOf(new FormData(form));
          void act.run(async () => {
            const { status } = await client.connections.probe({ body: { host, port } });
            setFound(probeWords[status] ?? status);
          });
        }}
      >
        {act.isBusy ? 'Looking …' : 'Look whether it answers'}
      </button>
      {act.problem === undefined && found !== undefined && <p role="status">{found}</p>}
      <ActNote act={act} />
    </div>
  );
}

function fieldsOf(form: FormData): HostFields {
  const key = typedIn(form, 'key');
  return {
    label: typedIn(form, 'label') ?? '',
    host: typedIn(form, 'host') ?? '',
    port: Number(typedIn(form, 'port') ?? usualPort),
    username: typedIn(form, 'username') ?? '',
    keyId: key === newKey ? undefined : key,
  };
}
