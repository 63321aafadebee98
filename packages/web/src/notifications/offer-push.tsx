/*
 * On a device that is new: what notifications are for, the button for which the browser asks the person, and the name of the device. It is offered
 * once; where notifications stand otherwise than off, there is nothing to offer.
 */
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { ActNote } from '../parts/act-note.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { standingWords } from './standing-words.ts';

export function OfferPush() {
  const { push, preferences } = useApp();
  const [wasTaken, setWasTaken] = useState(false);
  const device = useThisDevice();
  useEffect(() => void push.check(), [push]);
  const standing = push.standing.value;
  const isOffered = standing === 'off' || standing === 'not-installed';
  const answer = (): void => {
    preferences.wasOfferedPush.value = true;
  };
  useEffect(() => {
    if (standing !== undefined && !isOffered && !wasTaken) answer();
  }, [standing]);
  // All of it at once: a field that comes later would move the buttons.
  if (standing === undefined || device === undefined || !(isOffered || wasTaken)) return null;
  const isOn = standing === 'working';
  const problem = push.problem.value;
  return (
    <section class="panel" aria-label="Notifications">
      <h2>{isOn ? 'Notifications are on' : 'Be told when you are needed'}</h2>
      <p role="status">{standingWords[standing].text}</p>
      {device !== 'unknown' && <DeviceName device={device} />}
      {problem !== undefined && <ProblemView problem={problem} />}
      <div class="buttons">
        <button type="button" class="button" onClick={answer}>
          {isOffered ? 'Not now' : 'Close'}
        </button>
        {(standing === 'off' || standing === 'broken') && (
          <button
            type="button"
            class="button main"
            onClick={() => {
              setWasTaken(true);
              void push.turnOn();
            }}
          >
            Turn on notifications
          </button>
        )}
        {isOn && (
          <Link class="button" href="/notifications">
            What you are told about
          </Link>
        )}
      </div>
    </section>
  );
}

interface ThisDevice {
  readonly id: string;
  readonly name: string;
}

/* Undefined: not answered yet. It is among the first: it was used just now. */
function useThisDevice(): ThisDevice | 'unknown' | undefined {
  const { client } = useApp();
  const found = useResource('this-device', async () => {
    const { items } = await client.auth.devices({ query: { limit: 100 } });
    const own = items.find(({ is_current: isOurs }) => isOurs);
    return own === undefined ? ('unknown' as const) : { id: own.id, name: own.device };
  });
  useEffect(() => void found.refresh(), [found]);
  return found.value.value ?? (found.problem.value === undefined ? undefined : 'unknown');
}

/* Kept when the field is left; an empty one is as before. */
function DeviceName({ device: { id, name } }: { readonly device: ThisDevice }) {
  const { client } = useApp();
  const act = useAct();
  const [kept, setKept] = useState(name);
  const rename = async (field: HTMLInputElement): Promise<void> => {
    const device = field.value.trim();
    if (device === '' || device === kept) field.value = kept;
    else if (await act.run(() => client.auth.renameDevice({ params: { id }, body: { device } })))
      setKept(device);
  };
  return (
    <div class="hinted">
      <label class="field">
        <span>What you call this device</span>
        <input
          defaultValue={name}
          maxLength={64}
          disabled={act.whyOff !== undefined}
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="done"
          // Not `onChange`: with Preact's layer for React that is every letter.
          onBlur={({ currentTarget }) => void rename(currentTarget)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
      </label>
      <small role="status">
        {kept === name ? 'Who decided something is shown by this name.' : `Saved: ${kept}`}
      </small>
      <ActNote act={act} />
    </div>
  );
}
