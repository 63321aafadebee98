/*
 * States of runs, hosts and keys.
 */
import { answerWith, press, refusal, sheet, sheetState, shows, type WalkState } from './states.ts';

const fingerprint = (letter: string): string => `SHA256:${letter.repeat(43)}`;

const ofRuns: readonly WalkState[] = [
  sheetState('stopping a run', ({ run }) => `/runs/${run}`, {
    press: ['Stop'],
    shows: 'Kill it at once',
  }),
  {
    name: 'about a run',
    path: ({ run }) => `/runs/${run}`,
    open: async ({ page }) => {
      await press(page, 'About');
      await shows(page, 'Journal');
    },
  },
  sheetState('a signal for a run', ({ run }) => `/runs/${run}`, {
    press: ['About', 'Send a signal'],
    shows: 'Send it',
  }),
  {
    name: 'searching in a run',
    path: ({ run }) => `/runs/${run}`,
    open: async ({ page }) => {
      await page.getByLabel('Search in the output').fill('one');
      await shows(page, '1 line of what is loaded');
    },
  },
  {
    name: 'a run with a terminal',
    path: ({ terminalRun }) => `/runs/${terminalRun}`,
    open: ({ page }) => shows(page, 'ready'),
  },
  sheetState('removing a run', ({ endedRun }) => `/runs/${endedRun}`, {
    press: ['About', 'Remove from the lists'],
    shows: 'Its output goes with it',
  }),
];

/* What would reach the host is answered here: how it was reached makes no difference to how it is shown. */
const testOf = (answer: Parameters<typeof answerWith>[2], says: string): WalkState['open'] => {
  return async ({ page }) => {
    await answerWith(page, 'connections/*/test', answer);
    await press(page, /Test the connection|Look at both keys/);
    await shows(page, says);
  };
};

const hostPath: WalkState['path'] = ({ host }) => `/hosts/${host}`;
const changedKey = testOf(
  {
    status: 409,
    body: refusal('host_key_changed', 'the host shows another key', {
      old_fingerprint: fingerprint('a'),
      new_fingerprint: fingerprint('b'),
    }),
  },
  'shows another key',
);
const nothingFound = { latency_ms: null, host_key_fingerprint: null };

const ofHosts: readonly WalkState[] = [
  {
    name: 'the first key of a host',
    path: hostPath,
    open: testOf(
      {
        status: 200,
        body: {
          ...nothingFound,
          result: 'host_key_unknown',
          message: 'the key is not known yet',
          cause: 'host-key-unknown',
          host_key_fingerprint: fingerprint('a'),
        },
      },
      'Is this the key of your host?',
    ),
  },
  {
    name: 'where a test stopped',
    path: hostPath,
    open: testOf(
      {
        status: 200,
        body: {
          ...nothingFound,
          result: 'failed',
          message: 'the key is not accepted',
          cause: 'key-not-installed',
        },
      },
      'The key lets us in',
    ),
  },
  { name: 'a changed key of a host', path: hostPath, open: changedKey },
  {
    name: 'trusting a changed key',
    path: hostPath,
    within: sheet,
    open: async (phone, content) => {
      await changedKey(phone, content);
      await press(phone.page, 'Trust the new key');
      await shows(phone.page, 'Do this only if you know');
    },
  },
  sheetState('changing a host', hostPath, {
    press: ['Change it'],
    shows: 'has to be tested and trusted anew',
  }),
  sheetState('removing a host', hostPath, { press: ['Remove it'], shows: 'are forgotten here' }),
  {
    name: 'letting agents do everything on a host',
    path: hostPath,
    within: sheet,
    open: async ({ page }) => {
      await page.getByLabel('Ask me before agents run something here').click();
      await shows(page, 'You are not asked');
    },
  },
  sheetState('making a key', '/keys', { press: ['Make a key'], shows: 'Make it' }),
  sheetState('replacing a key', ({ key }) => `/keys/${key}`, {
    press: ['Replace it'],
    shows: 'A new key is made.',
  }),
  sheetState('revoking a key', ({ key }) => `/keys/${key}`, {
    press: ['Revoke it'],
    shows: 'can no longer be reached',
  }),
];

export const thingStates: readonly WalkState[] = [...ofRuns, ...ofHosts];
