/*
 * One choice of an agent, made on a sheet like those of host, agent and directory.
 */
import { Picker } from '../new/picker.tsx';
import { type Choice, nameOfValue, ownChoice } from './choice-words.ts';

export interface ChoicePickerProps {
  readonly choice: Choice;
  /* Empty: the agent's own choice. */
  readonly value: string;
  /* What is said instead, where the agent chooses. */
  readonly own?: string;
  readonly onPick: (value: string) => void;
}

export function ChoicePicker({ choice, value, own = ownChoice, onPick }: ChoicePickerProps) {
  const { name, values, more_values: more } = choice;
  // Among a few nobody looks for one.
  const typed = values.length > 12 || more > 0 ? `Find, or type another ${name}` : undefined;
  return (
    <Picker
      name={name}
      value={value}
      shown={value === '' ? own : nameOfValue(choice, value)}
      {...(typed && { typed })}
      options={[
        { value: '', shown: ownChoice },
        ...values.map((one) => ({
          value: one.value,
          shown: one.name,
          facts: factsOf(one),
        })),
      ]}
      onPick={onPick}
    />
  );
}

/* What the agent is told is shown too: an agent gives names as it likes. */
function factsOf({ value, name, description }: Choice['values'][number]): string | undefined {
  const facts = [
    ...(value === name ? [] : [value]),
    ...(description === null ? [] : [description]),
  ];
  return facts.length === 0 ? undefined : facts.join(' · ');
}
