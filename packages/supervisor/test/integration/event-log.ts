/*
 * An observer that remembers everything and can be waited on.
 */
import type { Count, SupervisorEvent, SupervisorObserver } from '@clawdfather/supervisor';

type EventOf<Type extends SupervisorEvent['type']> = Extract<SupervisorEvent, { type: Type }>;

export interface EventLog {
  readonly observer: SupervisorObserver;
  readonly events: readonly SupervisorEvent[];
  all<Type extends SupervisorEvent['type']>(type: Type): readonly EventOf<Type>[];
  /* The first one, past or to come. */
  until<Type extends SupervisorEvent['type']>(
    type: Type,
    matches?: (event: EventOf<Type>) => boolean,
  ): Promise<EventOf<Type>>;
  /* The sum of a counter, of all its labels or of those that match. */
  counted(name: Count['name'], labels?: Readonly<Record<string, string>>): number;
}

export function createEventLog(): EventLog {
  const events: SupervisorEvent[] = [];
  const counts: Count[] = [];
  const waiters = new Set<() => void>();
  const all = <Type extends SupervisorEvent['type']>(type: Type): readonly EventOf<Type>[] =>
    events.filter((event): event is EventOf<Type> => event.type === type);

  return {
    observer: {
      event: (event) => {
        events.push(event);
        for (const look of waiters) look();
      },
      count: (count) => void counts.push(count),
    },
    events,
    all,
    until: (type, matches = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = all(type).find(matches);
          if (found === undefined) return;
          waiters.delete(look);
          resolve(found);
        };
        waiters.add(look);
        look();
      }),
    counted: (name, labels = {}) =>
      counts
        .filter((count) => count.name === name && hasLabels(count, labels))
        .reduce((sum, count) => sum + count.by, 0),
  };
}

function hasLabels(count: Count, labels: Readonly<Record<string, string>>): boolean {
  const has: Readonly<Record<string, string>> = count.labels ?? {};
  return Object.entries(labels).every(([name, value]) => has[name] === value);
}
