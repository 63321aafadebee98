/*
 * States of threads, of a new one, and of a new command.
 */
import { press, sheet, sheetState, shows, type WalkState } from './states.ts';

const ofThreads: readonly WalkState[] = [
  sheetState('menu of a thread', ({ done }) => `/threads/${done}`, {
    press: ['More about this thread'],
    shows: 'Pin to the top',
  }),
  sheetState('renaming a thread', ({ done }) => `/threads/${done}`, {
    press: ['More about this thread', 'Rename…'],
    shows: 'What you call it',
  }),
  sheetState('mode and model', ({ done }) => `/threads/${done}`, {
    press: ['More about this thread', 'Mode and model…'],
    shows: 'What you choose is set before',
  }),
  sheetState('compared with the journals', ({ done }) => `/threads/${done}`, {
    press: ['More about this thread', 'Compare with the journals…'],
    shows: 'events were looked at',
  }),
  sheetState('menu of a message', ({ done }) => `/threads/${done}`, {
    press: ['More about what the agent said'],
    shows: 'Copy as it came',
  }),
  {
    name: 'opened thought, tools and plan',
    path: ({ done }) => `/threads/${done}`,
    open: async ({ page }) => {
      const folded = page.locator('.conversation .line[aria-expanded="false"]');
      await folded.first().waitFor();
      for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
      await page.locator('.conversation .inside').first().waitFor();
    },
  },
  {
    name: 'a receipt with its details',
    path: ({ left }) => `/threads/${left}`,
    within: '.receipt',
    open: async ({ page }) => {
      await page.locator('.receipt summary').click();
      await shows(page, /events, .* kB/);
    },
  },
  {
    name: 'a receipt that was read',
    path: ({ left }) => `/threads/${left}`,
    within: '.receipt',
    open: async ({ page }) => {
      await press(page, 'Fold');
      await page.locator('.receipt.read').waitFor();
    },
  },
  {
    name: 'a thread that works',
    path: ({ working }) => `/threads/${working}`,
    open: ({ page }) => page.getByRole('button', { name: 'Stop the agent' }).waitFor(),
  },
  {
    name: 'a message that waits, being changed',
    path: ({ waiting }) => `/threads/${waiting}`,
    open: async ({ page }) => {
      await press(page, 'Edit');
      await page.getByLabel('What it says').waitFor();
    },
  },
  sheetState('what holds the places', ({ waiting }) => `/threads/${waiting}`, {
    press: ['What holds the places'],
    shows: 'npm test --workspaces',
  }),
  {
    name: 'a thread that is archived',
    path: ({ archived }) => `/threads/${archived}`,
    open: ({ page }) => shows(page, 'This thread is archived.'),
  },
  {
    name: 'archived threads',
    path: () => '/threads',
    open: async ({ page }) => {
      await press(page, 'Archived');
      await shows(page, 'put away');
    },
  },
  {
    name: 'a thread that is not there',
    path: () => '/threads/aaaaaaaaaaaaaaaa',
    open: ({ page }) => page.getByRole('alert').first().waitFor(),
  },
];

const pickers = ['Where', 'Agent', 'Directory', 'Mode'].map(
  (name): WalkState => ({
    name: `choosing for a new thread: ${name}`,
    path: () => '/new',
    within: sheet,
    open: async ({ page }) => {
      await page.locator('.picked', { has: page.getByText(name, { exact: true }) }).click();
      if (name === 'Directory') await page.locator(sheet).getByRole('textbox').fill('/');
      await page.locator(`${sheet} .picks li`).first().waitFor();
    },
  }),
);

const ofNew: readonly WalkState[] = [
  ...pickers,
  {
    name: 'files for a new thread',
    path: () => '/new',
    open: async ({ page }) => {
      const files = page.locator('input[type="file"]');
      await files.setInputFiles({
        name: 'notes.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('1'),
      });
      await shows(page, 'The file is there.');
    },
  },
  {
    name: 'limits of a command',
    path: () => '/runs/new',
    open: async ({ page }) => {
      for (const one of ['Limits', 'More']) {
        await page.locator('main summary').getByText(one, { exact: true }).click();
      }
      await page.getByLabel('Processor time, in seconds').waitFor();
    },
  },
  {
    name: 'no room for a command',
    path: () => '/runs/new',
    open: async ({ page }) => {
      await page.getByLabel('Command').fill('make test');
      await press(page, 'Start');
      await shows(page, 'Living commands');
      await page.locator('main .row').getByText('shell').waitFor();
    },
  },
];

export const threadStates: readonly WalkState[] = [...ofThreads, ...ofNew];
