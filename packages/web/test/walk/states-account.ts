/*
 * States of decisions and of what belongs to the account, and what lies over every screen.
 */
import type { Page } from 'playwright-core';
import { resumeTimers, stopTimers } from '../support/long-timers.ts';
import { answerWith, press, refusal, sheet, sheetState, shows, type WalkState } from './states.ts';

const armed = '.decision-bar button[aria-disabled="false"]';
const approvalPath: WalkState['path'] = ({ approval }) => `/approvals/${approval}`;

const ofDecisions: readonly WalkState[] = [
  {
    name: 'denying with a reason',
    path: approvalPath,
    open: async ({ page }) => {
      await press(page, 'Deny with a reason');
      await page.getByLabel('Why not?').fill('Not on a Friday');
    },
  },
  {
    name: 'allowing always',
    path: approvalPath,
    open: async ({ page }) => {
      await press(page, 'Allow always…');
      await page.locator('.always .rules, .always p').first().waitFor();
    },
  },
  {
    name: 'a decision that can be taken back',
    path: approvalPath,
    open: ({ page }) => hold(page, 'Deny'),
    close: ({ page }) => takeBack(page),
  },
  {
    name: 'a decision that was taken back',
    path: approvalPath,
    open: async ({ page }) => {
      await hold(page, 'Deny');
      await takeBack(page);
    },
  },
  {
    name: 'a question',
    path: ({ question }) => `/asks/${question}`,
    open: ({ page }) => page.locator('.question-form input').waitFor(),
  },
  {
    name: 'a question without an answer',
    path: ({ question }) => `/asks/${question}`,
    open: async ({ page }) => {
      await tapUntil(page, 'Send answer', '.field-problem');
    },
  },
];

/* Until it is taken back, however long it is looked at. */
async function hold(page: Page, word: string): Promise<void> {
  await stopTimers(page);
  await tapUntil(page, word, '.held');
}

async function takeBack(page: Page): Promise<void> {
  await press(page, 'Undo');
  await shows(page, 'Taken back. Nothing was sent.');
  await resumeTimers(page);
}

/* Buttons that have just moved take no tap. */
async function tapUntil(page: Page, word: string, shown: string): Promise<void> {
  while ((await page.locator(shown).count()) === 0) {
    await page.locator(armed, { hasText: word }).click();
    await page.evaluate(async () => {
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    });
  }
}

const ofAccount: readonly WalkState[] = [
  sheetState('adding a device', '/devices', { press: ['Add a device'], shows: 'type the code' }),
  {
    name: 'a device that wants in',
    path: () => '/devices',
    within: sheet,
    open: async ({ page }) => {
      // A gateway takes a few claims in a minute.
      const login_code = {
        id: 'aaaaaaaaaaaaaaaa',
        state: 'claimed',
        claimant: { device: 'A tablet', ip: '192.0.2.7' },
        expires_at: '2030-01-01T00:00:00Z',
      };
      await answerWith(page, 'auth/codes', {
        status: 201,
        body: { login_code, code: '7K2M-94QX', link: page.url() },
      });
      await press(page, 'Add a device');
      await shows(page, 'Is it yours?');
    },
  },
  sheetState('renaming a device', '/devices', { press: [/^Rename /], shows: 'Save' }),
  sheetState('signing out the other devices', '/devices', {
    press: ['Sign out all others'],
    shows: 'need a new link',
  }),
  sheetState('making a token', '/tokens', { press: ['Make a token'], shows: 'What it may do' }),
  {
    name: 'a token that was made',
    path: () => '/tokens',
    within: sheet,
    open: async ({ page }) => {
      const body = { token: `clf_${'a'.repeat(43)}`, expires_at: '2027-11-01T08:00:00Z' };
      await answerWith(page, 'auth/tokens', { status: 201, body });
      await press(page, 'Make a token');
      await page.locator(sheet).getByLabel('Name', { exact: true }).fill('editor');
      await press(page, 'Make it');
      await shows(page, 'It is shown this once');
    },
  },
  sheetState('revoking a token', '/tokens', { press: ['Revoke ci'], shows: 'is refused from now' }),
  {
    name: 'what failed, with its trace',
    path: () => '/more',
    open: async (phone) => {
      await answerWith(phone.page, 'auth/tokens*', {
        status: 500,
        body: refusal('internal_error', 'the database is locked'),
      });
      await phone.go('/tokens');
      await phone.page.getByRole('alert').getByText('The database is locked.').waitFor();
      await phone.page.getByText('Details').click();
    },
  },
  {
    name: 'an entry of the audit log',
    path: () => '/audit',
    open: async ({ page }) => {
      await page.locator('.entry summary').first().click();
      await page.locator('.entry[open] .entry-facts').first().waitFor();
    },
  },
  {
    name: 'a turn that waits in the queue',
    path: () => '/queue',
    open: ({ page }) => page.locator('.waiting-turn').first().waitFor(),
  },
  sheetState('changing what waits', '/queue', { press: ['Edit'], shows: 'Kind of work' }),
  sheetState('taking out of the queue', '/queue', {
    press: ['Take back'],
    shows: 'It has not begun.',
  }),
  sheetState('forgetting what is kept', '/storage', {
    press: ['Forget on this device'],
    shows: 'What the gateway has stays there.',
  }),
];

const overAll: readonly WalkState[] = [
  {
    name: 'an address of nothing',
    path: () => '/nothing-here',
    open: ({ page }) => shows(page, 'There is nothing at this address'),
  },
  {
    name: 'finding',
    path: () => '/inbox',
    within: sheet,
    open: async ({ page }) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('ni');
      await page.getByRole('option', { name: /nightly/ }).waitFor();
    },
  },
  {
    name: 'finding nothing',
    path: () => '/inbox',
    within: sheet,
    open: async ({ page }) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('nothing of this name');
      await shows(page, 'Nothing is called that.');
    },
  },
  {
    name: 'the keys that the app knows',
    path: () => '/inbox',
    within: sheet,
    open: async ({ page }) => {
      await page.keyboard.press('?');
      await shows(page, 'Close what is open');
    },
  },
];

export const accountStates: readonly WalkState[] = [...ofDecisions, ...ofAccount, ...overAll];
