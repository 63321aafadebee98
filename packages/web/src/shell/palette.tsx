/*
 * Find anything by a few letters: places, actions, and whatever has a name. With a keyboard ⌘K or Ctrl K; with a finger the glass at the top.
 */
import type { Client } from '@clawdfather/sdk';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { navigate as goTo } from 'wouter-preact/use-browser-location';
import { type AppParts, useApp } from '../app-context.ts';
import { loadParts, type Parts } from '../data/load-parts.ts';
import { createResource, type Resource } from '../data/resource.ts';
import { titleOfThread } from '../text/thread-words.ts';
import { useMoreThings } from './more-things.ts';
import { type Entry, rankEntries } from './rank-entries.ts';
import { signOutUnlessLost } from './sign-out.ts';

const rowsMax = 100;

const places: readonly (readonly [name: string, to: string])[] = [
  ['Inbox', '/inbox'],
  ['Threads', '/threads'],
  ['New thread', '/new'],
  ['Decided approvals', '/approvals'],
  ['Runs', '/runs'],
  ['Start a command', '/runs/new'],
  ['Hosts', '/hosts'],
  ['Add a host', '/hosts/new'],
  ['Keys', '/keys'],
  ['Sessions', '/sessions'],
  ['Devices', '/devices'],
  ['Agents', '/agents'],
  ['Queue', '/queue'],
  ['Approval rules', '/rules'],
  ['Tokens', '/tokens'],
  ['Audit', '/audit'],
  ['Notifications', '/notifications'],
  ['System', '/system'],
  ['Settings', '/settings'],
  ['Storage on this device', '/storage'],
  ['More', '/more'],
];

export interface PaletteProps {
  readonly onClose: () => void;
  /* Signing out would lose something: what, in words. */
  readonly onLoss: (loss: string) => void;
}

export function Palette({ onClose, onLoss }: PaletteProps) {
  const app = useApp();
  const [, navigate] = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const things = useThings();
  const { waiting, others } = useMoreThings();
  const entries = [...waiting, ...things, ...others, ...placesAndActions(app, onLoss)];
  const shown = rankEntries(entries, typed);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    if ('to' in entry.act) navigate(entry.act.to);
    else entry.act.run();
  };
  const step = (by: number): void =>
    setChosen((at) => Math.min(shown.length - 1, Math.max(0, at + by)));
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Find anything"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      <FindForm
        typed={typed}
        activeId={shown[chosen] && `found-${shown[chosen].key}`}
        onType={(text) => {
          setTyped(text);
          setChosen(0);
        }}
        onStep={step}
        onOpen={() => open(shown[chosen])}
      />
      <ul id="palette-found" role="listbox" aria-label="Found">
        {shown.map((entry, at) => (
          <li
            key={entry.key}
            id={`found-${entry.key}`}
            role="option"
            aria-selected={at === chosen}
            onClick={() => open(entry)}
          >
            <span class="what">{entry.name}</span>
            <span class="quiet">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="quiet">Nothing is called that.</p>}
    </dialog>
  );
}

interface FindFormProps {
  readonly typed: string;
  readonly activeId: string | undefined;
  readonly onType: (text: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onOpen: () => void;
}

function FindForm({ typed, activeId, onType, onStep, onOpen }: FindFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onOpen();
      }}
    >
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-found"
        aria-activedescendant={activeId}
        aria-label="Find anything"
        placeholder="Threads, runs, keys, places …"
        value={typed}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          onStep(event.key === 'ArrowDown' ? 1 : -1);
        }}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    </form>
  );
}

function placesAndActions(app: AppParts, onLoss: PaletteProps['onLoss']): readonly Entry[] {
  const { preferences, connection } = app;
  const signOut = async (): Promise<void> => {
    try {
      const loss = await signOutUnlessLost(app);
      if (loss !== undefined) onLoss(loss);
    } catch {
      // What fails is said where the button is.
      goTo('/more');
    }
  };
  const actions: readonly (readonly [string, () => void])[] = [
    ['Use dark colours', () => (preferences.scheme.value = 'dark')],
    ['Use light colours', () => (preferences.scheme.value = 'light')],
    ['Connect anew', connection.retryNow],
    ['Sign out here', () => void signOut()],
  ];
  return [
    ...places.map(([name, to]) => ({
      key: to.slice(1).replace('/', '-'),
      name,
      kind: 'place',
      act: { to },
    })),
    ...actions.map(([name, run], at) => ({ key: `act-${at}`, name, kind: 'action', act: { run } })),
  ];
}

interface Thing {
  readonly id: string;
  readonly name: string;
}

type Things = Parts<'thread' | 'run' | 'host', readonly Thing[]>;

/* What is kept on the device at once, then what the gateway says. What cannot be read now is found as it was known. */
function useThings(): readonly Entry[] {
  const { client, clock, storage } = useApp();
  const things: Resource<Things> = useMemo(() => {
    const loads = listsOf(client);
    const load = (): Promise<Things> => loadParts(loads, () => things.value.peek());
    return createResource({ clock, storage }, load, { key: 'palette-2' });
  }, [client, clock, storage]);
  useEffect(() => void things.refresh(), [things]);
  const { thread = [], run = [], host = [] } = things.value.value ?? {};
  return Object.entries({ thread, run, host }).flatMap(([kind, list]) =>
    list.map(({ id, name }) => ({
      key: `${kind}-${id}`,
      name,
      kind,
      act: { to: `/${kind}s/${id}` },
    })),
  );
}

function listsOf(client: Client) {
  const query = { limit: rowsMax };
  return {
    thread: async (): Promise<readonly Thing[]> => {
      const { items } = await client.threads.list({ query });
      return items.map((thread) => ({ id: thread.id, name: titleOfThread(thread) }));
    },
    run: async (): Promise<readonly Thing[]> => {
      const { items } = await client.runs.list({ query });
      return items.map(({ runId, command, name }) => ({ id: runId, name: name ?? command }));
    },
    host: async (): Promise<readonly Thing[]> => {
      const { items } = await client.connections.list({ query });
      return items.map(({ id, label }) => ({ id, name: label }));
    },
  };
}
