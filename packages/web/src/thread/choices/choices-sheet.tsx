/*
 * What the agent of a thread lets people choose: how it stands, and another value from the next turn on.
 */
import { useApp } from '../../app-context.ts';
import { useAct } from '../../data/use-act.ts';
import { useResource } from '../../data/use-resource.ts';
import { ActNote } from '../../parts/act-note.tsx';
import { ResourceView } from '../../parts/resource-view.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import type { Thread } from '../../text/thread-words.ts';
import { ChoicePicker } from './choice-picker.tsx';
import { type Choice, chosenOf, nameOfValue, notOffered, ownChoice } from './choice-words.ts';

export interface ChoicesSheetProps {
  readonly thread: Thread;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function ChoicesSheet({ thread, onChanged, onClose }: ChoicesSheetProps) {
  const { client } = useApp();
  const act = useAct();
  const params = { id: thread.id };
  const offered = useResource(`thread-choices-1-${thread.id}`, () =>
    client.threads.choices({ params }),
  );
  const choose = async (id: string, value: string): Promise<void> => {
    const chosen = { [id]: value === '' ? null : value };
    if (await act.run(() => client.threads.edit({ params, body: { chosen } }))) onChanged();
  };
  return (
    <Sheet title="Mode and model" onClose={onClose}>
      <ResourceView resource={offered}>
        {({ items }) => (
          <>
            {items.length === 0 ? (
              <p class="quiet">
                This agent has not said yet what it offers. It does so with its first answer.
              </p>
            ) : (
              <div class="rows pickers">
                {items.map((choice) => (
                  <Choosing key={choice.id} choice={choice} thread={thread} choose={choose} />
                ))}
              </div>
            )}
            {notOffered(items, thread.chosen ?? {}).map(([key, value]) => (
              <NotOffered key={key} name={key} value={value} choose={choose} />
            ))}
          </>
        )}
      </ResourceView>
      <ActNote act={act} />
      <p class="quiet">
        What you choose is set before the next message. A mode may decide what the agent asks before
        it acts, so a message is not sent if its mode cannot be set.
      </p>
    </Sheet>
  );
}

/* Otherwise it could not be taken back. */
function NotOffered({
  name,
  value,
  choose,
}: {
  readonly name: string;
  readonly value: string;
  readonly choose: (id: string, value: string) => Promise<void>;
}) {
  return (
    <div class="choice-not-offered">
      <p class="quiet">
        {formatForReader(name)}: {formatForReader(value)} is chosen; the agent has not offered it.
      </p>
      <button type="button" class="button small" onClick={() => void choose(name, '')}>
        Leave it to the agent
      </button>
    </div>
  );
}

function Choosing({
  choice,
  thread: { chosen = {}, current_choices: current = [] },
  choose,
}: {
  readonly choice: Choice;
  readonly thread: Thread;
  readonly choose: (id: string, value: string) => Promise<void>;
}) {
  const value = chosenOf(choice, chosen);
  const now = current.find(({ id }) => id === choice.id);
  const isSet = value === undefined || now?.value === value || now?.value_name === value;
  return (
    <div>
      <ChoicePicker
        choice={choice}
        value={value ?? ''}
        own={now?.value_name ?? ownChoice}
        onPick={(picked) => void choose(choice.id, picked)}
      />
      {!isSet && now !== undefined && (
        <p class="quiet choice-now" role="status">
          Now {now.value_name}; {nameOfValue(choice, value)} from the next turn on.
        </p>
      )}
    </div>
  );
}
