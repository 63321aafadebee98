/*
 * Every screen of the app in the states that a person meets, for whoever looks at all of them: the walk, the keyboard, the pictures.
 */
import type { Phone } from '../support/phone.ts';
import type { WalkContent } from './content.ts';

export interface WalkScreen {
  readonly name: string;
  /* As in the app's table of routes, so that none is forgotten. */
  readonly route: string;
  readonly path: (content: WalkContent) => string;
  /* Shown when it is there with its content. */
  readonly shows: RegExp;
}

const rows: readonly (readonly [name: string, path: string, shows: RegExp])[] = [
  ['inbox with decisions', '/inbox', /rm -r build/],
  ['an approval', '/approvals/{approval}', /npm publish/],
  ['all approvals', '/approvals', /npm publish/],
  ['a question', '/asks/{ask}', /asks to/],
  ['threads', '/threads', /Threads/],
  ['a thread that is done', '/threads/{done}', /one loop in place/],
  ['changes of a turn', '/threads/{done}/changes/{turn}', /Changes|changed/],
  ['a thread that asks', '/threads/{asking}', /asks to/],
  ['a thread that failed', '/threads/{failed}', /overloaded/],
  ['new thread', '/new', /New thread/],
  ['runs', '/runs', /nightly/],
  ['a run', '/runs/{run}', /nightly/],
  ['more', '/more', /More/],
  ['devices', '/devices', /this one/i],
  ['notifications', '/notifications', /On this device/],
  ['audit', '/audit', /thread|login|device/i],
  ['start a command', '/runs/new', /Start a command/],
  ['hosts', '/hosts', /builder/],
  ['add a host', '/hosts/new', /Add a host/],
  ['a host', '/hosts/{host}', /builder/],
  ['keys', '/keys', /laptop/],
  ['a key', '/keys/{key}', /laptop/],
  ['sessions', '/sessions', /Sessions/],
  ['agents', '/agents', /echo/],
  ['queue', '/queue', /Queue/],
  ['rules', '/rules', /Rules/i],
  ['tokens', '/tokens', /ci/],
  ['settings', '/settings', /Settings/],
  ['system', '/system', /version/i],
  ['storage', '/storage', /device/i],
];

export const walkScreens: readonly WalkScreen[] = rows.map(([name, pattern, shows]) => ({
  name,
  route: pattern.replace('{turn}', ':turn').replace(/\{\w+\}/, ':id'),
  path: (content) => pattern.replaceAll(/\{(\w+)\}/g, (_, key: keyof WalkContent) => content[key]),
  shows,
}));

/* By the app's own routes, as a person moves in it. */
export async function visit(phone: Phone, content: WalkContent, one: WalkScreen): Promise<void> {
  await phone.go(one.path(content));
  // At a desk the list stands beside what is open.
  const shown = phone.page.locator('main, .side').getByText(one.shows);
  await shown.filter({ visible: true }).first().waitFor();
  await phone.page.waitForFunction(isAtRest);
}

/*
 * In the page. Decisions take a moment until they can be made, and what fades in has colours of its own meanwhile. What has to be read to its end is: axe
 * would, too, by looking at it, and find colours of before and after.
 */
export function isAtRest(): boolean {
  for (const card of document.querySelectorAll('.decision')) {
    const isUnread = card.querySelector('.why-off')?.textContent.startsWith('Read') === true;
    if (isUnread) card.querySelector('.exact')?.scrollIntoView(false);
    if (isUnread) return false;
    // To the middle: at the edge the way to the end lies over it.
    card.querySelector('.decision-bar')?.scrollIntoView({ block: 'center' });
  }
  const bars = [...document.querySelectorAll('.decision-foot')];
  const isArming = bars.some(
    (bar) =>
      bar.querySelector('button[aria-disabled="true"]') !== null &&
      (bar.querySelector('.why-off')?.textContent ?? '') === '',
  );
  const isMoving = document
    .getAnimations()
    .some(
      ({ playState, effect }) =>
        playState === 'running' &&
        effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY,
    );
  return !isArming && !isMoving;
}
