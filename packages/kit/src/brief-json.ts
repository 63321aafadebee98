/*
 * A JSON value in few characters: long texts keep their beginning, long lists their first items. So a list of things that others made
 * can show each of them, however large it is. Who wants the rest asks for the whole.
 */
export interface BriefLimits {
  /* Of one text. */
  readonly textMax: number;
  /* Of all texts and names together; what does not fit is left out. */
  readonly charactersMax: number;
}

/* Real values have a dozen levels and some dozen members. */
const levelsMax = 24;
const membersMax = 64;

export function briefJson<Value>(value: Value, limits: BriefLimits): Value {
  const state = { left: limits.charactersMax, textMax: limits.textMax };
  // The shape is the same; what is left out of it is a member that any reader of the value has to do without.
  return shorten(value, state, 0) as Value;
}

interface State {
  left: number;
  readonly textMax: number;
}

function shorten(value: unknown, state: State, level: number): unknown {
  if (typeof value === 'string') return shortText(value, state);
  if (typeof value !== 'object' || value === null) {
    state.left -= 8;
    return value;
  }
  if (level >= levelsMax) return null;
  if (Array.isArray(value)) {
    return takeWhile(value, state).map((item) => shorten(item, state, level + 1));
  }
  const members = takeWhile(Object.entries(value), state).map(([name, member]) => {
    const shown = shortText(name, state);
    return [shown, shorten(member, state, level + 1)] as const;
  });
  return Object.fromEntries(members);
}

/* As many as there may be; none where no room is left. */
function takeWhile<Item>(items: readonly Item[], state: State): readonly Item[] {
  state.left -= 2;
  return state.left <= 0 ? [] : items.slice(0, membersMax);
}

function shortText(text: string, state: State): string {
  const room = Math.max(0, Math.min(state.textMax, state.left));
  // Half a character is none.
  const shown = text.length <= room ? text : text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  state.left -= shown.length + 2;
  return shown;
}
