/*
 * Searches and sieves the list of conversations. A sieve is offered only where it would tell two threads apart.
 */
import type { Thread } from '../../text/thread-words.ts';
import type { ThreadFilter } from './group-threads.ts';

export interface FilterBarProps {
  readonly facts: {
    readonly threads: readonly Thread[];
    /* Those that were not loaded are among them. */
    readonly total: number;
    readonly hosts: readonly { readonly id: string; readonly label: string }[];
  };
  readonly filter: ThreadFilter;
  readonly onFilter: (filter: ThreadFilter) => void;
}

/* Fewer are seen at once. */
const leastToSearch = 6;

export function FilterBar({ facts: { threads, total, hosts }, filter, onFilter }: FilterBarProps) {
  const agents = [...new Set(threads.map(({ agent }) => agent))].toSorted();
  const places = [...new Set(threads.map(({ connection_id: id }) => id ?? ''))];
  const nameOf = (id: string): string =>
    id === '' ? 'This machine' : (hosts.find((host) => host.id === id)?.label ?? 'Gone');
  if (threads.length < leastToSearch && agents.length < 2 && places.length < 2) return null;
  return (
    <search class="filter-bar">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search threads"
        value={filter.words}
        onInput={({ currentTarget }) => onFilter({ ...filter, words: currentTarget.value })}
      />
      {filter.words.trim() !== '' && threads.length < total && (
        <p class="quiet" role="status">
          Looks among the newest {threads.length} of {total}. “Show more” brings the others.
        </p>
      )}
      <div class="chips">
        <button
          type="button"
          class="chip"
          aria-pressed={filter.isUnread}
          onClick={() => onFilter({ ...filter, isUnread: !filter.isUnread })}
        >
          Unread
        </button>
        {agents.length > 1 && (
          <Choice
            name="Agent"
            value={filter.agent}
            options={agents.map((agent) => [agent, agent])}
            onChoose={(agent) => onFilter({ ...filter, agent })}
          />
        )}
        {places.length > 1 && (
          <Choice
            name="Host"
            value={filter.host}
            options={places.map((id) => [id, nameOf(id)])}
            onChoose={(host) => onFilter({ ...filter, host })}
          />
        )}
      </div>
    </search>
  );
}

const everything = '*';

function Choice({
  name,
  value,
  options,
  onChoose,
}: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly onChoose: (value: string | undefined) => void;
}) {
  return (
    <select
      class="chip"
      aria-label={name}
      value={value ?? everything}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChoose(chosen === everything ? undefined : chosen)
      }
    >
      <option value={everything}>{name}: all</option>
      {options.map(([of, shown]) => (
        <option key={of} value={of}>
          {shown}
        </option>
      ))}
    </select>
  );
}
