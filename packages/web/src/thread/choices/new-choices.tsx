/*
 * What a new thread begins with, of what its agent lets people choose. It is kept on the device with what is typed.
 */
import { useEffect } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { useResource } from '../../data/use-resource.ts';
import type { Draft } from '../composer/use-draft.ts';
import { Picker } from '../new/picker.tsx';
import { ChoicePicker } from './choice-picker.tsx';
import { type Chosen, chosenOf, ownChoice } from './choice-words.ts';

export interface NewChoicesProps {
  /* Empty: this machine. */
  readonly host: string;
  readonly agent: string;
  readonly kept: Draft;
}

export function NewChoices({ host, agent, kept }: NewChoicesProps) {
  const { client } = useApp();
  const query = host === '' ? {} : { connection_id: host };
  const offered = useResource(`choices-1-${host}-${agent}`, () =>
    client.agents.choices({ params: { name: agent }, query }),
  );
  useEffect(() => void offered.refresh(), [offered]);
  const { items = [] } = offered.value.value ?? {};
  const chosen = readChosen(kept.text);
  if (items.length === 0) {
    return (
      <Picker
        name="Mode"
        value=""
        shown={ownChoice}
        options={[
          {
            value: '',
            shown: ownChoice,
            facts: 'What it offers is known when it has answered once.',
          },
        ]}
        onPick={() => undefined}
      />
    );
  }
  return (
    <>
      {items.map((choice) => (
        <ChoicePicker
          key={choice.id}
          choice={choice}
          value={chosenOf(choice, chosen) ?? ''}
          onPick={(value) => {
            const { [choice.id]: _before, ...others } = chosen;
            kept.setText(writeChosen(value === '' ? others : { ...others, [choice.id]: value }));
          }}
        />
      ))}
    </>
  );
}

function writeChosen(chosen: Chosen): string {
  return Object.keys(chosen).length === 0 ? '' : JSON.stringify(chosen);
}

/* What the device has kept may be of another version. */
export function readChosen(text: string): Chosen {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    const isFit =
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((one) => typeof one === 'string' && one !== '');
    return isFit ? (value as Chosen) : {};
  } catch {
    return {};
  }
}
