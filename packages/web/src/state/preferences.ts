/*
 * How a person likes the app on this device. Read before the first paint, so it is in localStorage, and in all tabs the same.
 */
import { effect, type Signal, signal } from '@preact/signals';

export const schemes = ['system', 'light', 'dark'] as const;
export const textSizes = ['small', 'usual', 'large', 'largest'] as const;
/* `keyboard`: with a keyboard of its own; a phone's makes a new line. */
export const enterWays = ['keyboard', 'always', 'never'] as const;

interface Values {
  readonly scheme: (typeof schemes)[number];
  readonly textSize: (typeof textSizes)[number];
  readonly enterSends: (typeof enterWays)[number];
  /* How long a decision can be taken back. */
  readonly undoMs: number;
  /* Nothing of the account is kept on this device. */
  readonly keepNothing: boolean;
  /* That this device can notify was said here once, and answered. */
  readonly wasOfferedPush: boolean;
}

export type Preferences = { readonly [Name in keyof Values]: Signal<Values[Name]> } & {
  /* As they are at first. That nothing is to be kept here stays. */
  forget(): void;
};

const usual: Values = {
  scheme: 'system',
  textSize: 'usual',
  enterSends: 'keyboard',
  undoMs: 2_000,
  keepNothing: false,
  wasOfferedPush: false,
};

const undoMsMax = 5_000;
const place = 'clf-preferences';

export interface PreferencesPage {
  /* Throws where the browser refuses it. */
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  addEventListener(name: 'storage', listener: (event: { key: string | null }) => void): void;
}

export function openPreferences(page: PreferencesPage): Preferences {
  const first = parsePreferences(read(page));
  const signals = {
    scheme: signal(first.scheme),
    textSize: signal(first.textSize),
    enterSends: signal(first.enterSends),
    undoMs: signal(first.undoMs),
    keepNothing: signal(first.keepNothing),
    wasOfferedPush: signal(first.wasOfferedPush),
  };
  const take = (values: Values): void => {
    signals.scheme.value = values.scheme;
    signals.textSize.value = values.textSize;
    signals.enterSends.value = values.enterSends;
    signals.undoMs.value = values.undoMs;
    signals.keepNothing.value = values.keepNothing;
    signals.wasOfferedPush.value = values.wasOfferedPush;
  };
  effect(() => {
    write(page, {
      scheme: signals.scheme.value,
      textSize: signals.textSize.value,
      enterSends: signals.enterSends.value,
      undoMs: signals.undoMs.value,
      keepNothing: signals.keepNothing.value,
      wasOfferedPush: signals.wasOfferedPush.value,
    });
  });
  page.addEventListener('storage', ({ key }) => {
    if (key === place || key === null) take(parsePreferences(read(page)));
  });
  return {
    ...signals,
    forget: () => take({ ...usual, keepNothing: signals.keepNothing.value }),
  };
}

/* Whatever is there: an older version, or something else, may have written it. */
export function parsePreferences(text: string | undefined): Values {
  let given: Readonly<Record<string, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) given = { ...parsed };
  } catch {
    // What cannot be read is as nothing.
  }
  const { undoMs } = given;
  return {
    scheme: oneOf(schemes, given['scheme']) ?? usual.scheme,
    textSize: oneOf(textSizes, given['textSize']) ?? usual.textSize,
    enterSends: oneOf(enterWays, given['enterSends']) ?? usual.enterSends,
    undoMs: typeof undoMs === 'number' ? Math.min(Math.max(0, undoMs), undoMsMax) : usual.undoMs,
    keepNothing: given['keepNothing'] === true,
    wasOfferedPush: given['wasOfferedPush'] === true,
  };
}

function oneOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
  return words.find((word) => word === given);
}

function read(page: PreferencesPage): string | undefined {
  try {
    return page.localStorage.getItem(place) ?? undefined;
  } catch {
    // The browser keeps nothing for us: then everything is as usual.
    return undefined;
  }
}

/* Only what is not as usual: a device that was signed out has nothing of ours. */
function write(page: PreferencesPage, values: Values): void {
  const changed = Object.entries(values).filter(
    ([name, value]) => usual[name as keyof Values] !== value,
  );
  try {
    if (changed.length === 0) page.localStorage.removeItem(place);
    else page.localStorage.setItem(place, JSON.stringify(Object.fromEntries(changed)));
  } catch {
    // It holds until the page is closed.
  }
}
