/*
 * What a key means where it was pressed. Pure, but for the listening.
 *
 * Letters mean something only where nothing is typed. `g` is the beginning of two: g i leads to the inbox.
 */
import { useEffect, useRef } from 'preact/hooks';

export type Shortcut =
  | { readonly kind: 'find' }
  | { readonly kind: 'help' }
  | { readonly kind: 'go'; readonly to: string }
  /* To the next or previous row of the list. */
  | { readonly kind: 'row'; readonly step: 1 | -1 };

export interface KeyPress {
  readonly key: string;
  readonly isCommand: boolean;
  readonly hasOther: boolean;
  readonly isTyping: boolean;
  /* The key before it, if it was `g` just now. */
  readonly isAfterG: boolean;
}

const goes: Readonly<Record<string, string>> = {
  i: '/inbox',
  t: '/threads',
  r: '/runs',
  h: '/hosts',
  m: '/more',
  s: '/settings',
};

export const shortcutWords: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K or ⌘ K', 'Find anything'],
  ['g i', 'Inbox'],
  ['g t', 'Threads'],
  ['g r', 'Runs'],
  ['g h', 'Hosts'],
  ['g m', 'More'],
  ['g s', 'Settings'],
  ['n', 'New thread'],
  ['j, k', 'Next and previous row; Enter opens it'],
  ['Esc', 'Close what is open'],
  ['?', 'These keys'],
];

export function shortcutOf(press: KeyPress): Shortcut | undefined {
  const { key, isCommand, hasOther, isTyping, isAfterG } = press;
  if (isCommand && !hasOther && key.toLowerCase() === 'k') return { kind: 'find' };
  if (isTyping || isCommand || hasOther) return undefined;
  const to = isAfterG ? goes[key] : undefined;
  if (to !== undefined) return { kind: 'go', to };
  switch (key) {
    case '?':
      return { kind: 'help' };
    case 'n':
      return { kind: 'go', to: '/new' };
    case 'j':
      return { kind: 'row', step: 1 };
    case 'k':
      return { kind: 'row', step: -1 };
    default:
      return undefined;
  }
}

export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    let isAfterG = false;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, isComposing, target } = event;
      if (isComposing || event.defaultPrevented) return;
      const isTyping = target instanceof HTMLElement && isField(target);
      const press = { key, isCommand: ctrlKey || metaKey, hasOther: altKey, isTyping, isAfterG };
      isAfterG = key === 'g' && !isTyping;
      const shortcut = shortcutOf(press);
      if (shortcut === undefined) return;
      // A dialog has the keyboard for itself.
      if (shortcut.kind !== 'find' && document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current(shortcut);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
}

/* The row that has the focus, or the one that is open, is where it begins. */
export function stepToRow(root: ParentNode, step: 1 | -1): void {
  const rows = [...root.querySelectorAll<HTMLElement>('a.row')].filter(
    (row) => row.offsetParent !== null,
  );
  const at = rows.findIndex((row) => row === document.activeElement);
  const from = at >= 0 ? at : rows.findIndex((row) => row.ariaCurrent === 'page');
  rows[Math.min(rows.length - 1, Math.max(0, from + step))]?.focus();
}
