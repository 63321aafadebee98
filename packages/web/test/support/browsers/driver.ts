/*
 * What a walk through the app needs of a browser, in the same words for all three of them.
 *
 * Controls are found by what they are called, as a person finds them, and used with real clicks and keys.
 */
import { createSystemClock } from '@clawdfather/kit';

export interface Driver extends AsyncDisposable {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit';
  open(url: string): Promise<void>;
  /* When it is there and can be used; by the beginning of its name. */
  press(role: 'link' | 'button', name: string): Promise<void>;
  write(label: string, text: string): Promise<void>;
  /* Resolves when it is shown somewhere on the screen. */
  sees(text: string): Promise<void>;
  /* Of an expression in the page. */
  valueOf<Value>(expression: string): Promise<Value>;
  /* What broke the page's policy, or was thrown in it. */
  wrongs(): Promise<readonly string[]>;
}

const clock = createSystemClock();

/* On two shared cores a whole turn of an agent may take so long. */
const patienceMs = 60_000;
const betweenLooksMs = 50;

/* Looks until there is something. `shown`: what there is instead, for who has to find out why it did not come. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | undefined | null>,
  shown?: () => Promise<unknown>,
): Promise<Value> {
  const endsMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null) return found;
    if (clock.monotonicMs() > endsMs) {
      const instead = shown === undefined ? '' : `; shown is: ${String(await shown())}`;
      throw new Error(`${what} did not come${instead}`);
    }
    await clock.sleep(betweenLooksMs);
  }
}

/* The following run in the page, as text. */
export const findControl = `(role, name) => {
  const selector = role === 'link' ? 'a[href]' : 'button';
  const nameOf = (one) => (one.getAttribute('aria-label') ?? one.innerText ?? '').trim();
  const isUsable = (one) =>
    one.getClientRects().length > 0 && !one.disabled && one.getAttribute('aria-disabled') !== 'true';
  const all = [...document.querySelectorAll(selector)];
  return all.find((one) => nameOf(one).startsWith(name) && isUsable(one)) ?? null;
}`;

export const findField = `(name) => {
  const all = [...document.querySelectorAll('textarea, input')];
  const nameOf = (one) =>
    one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.placeholder ?? '';
  return all.find((one) => nameOf(one).trim().startsWith(name)) ?? null;
}`;

export const isShown = `(text) => document.body?.innerText.includes(text) ? true : null`;

export const shownText = `() => location.href + '\\n' + document.body?.innerText`;

/* As early as the browser lets us. What it notes is read with \`notedWrongs\`. */
export const noteWrongs = `() => {
  if (globalThis.notedWrongs !== undefined) return;
  globalThis.notedWrongs = [];
  addEventListener('securitypolicyviolation', (event) => {
    notedWrongs.push('policy: ' + event.effectiveDirective + ' forbids ' + event.blockedURI + ' ' + event.sample);
  });
  addEventListener('error', (event) => notedWrongs.push('exception: ' + event.message));
  addEventListener('unhandledrejection', (event) => notedWrongs.push('rejection: ' + event.reason));
}`;
