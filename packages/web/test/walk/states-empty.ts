/*
 * The screens of an account that has done nothing yet.
 */
import { press, shows, type WalkState } from './states.ts';

const rows: readonly (readonly [path: string, says: RegExp])[] = [
  ['/inbox', /Nothing needs you/],
  ['/threads', /Start your first thread/],
  ['/runs', /Nothing is running/],
  ['/hosts', /This machine only/],
  ['/keys', /No key yet/],
  ['/tokens', /No token yet/],
  ['/rules', /No rule/],
  ['/queue', /Nothing waits/],
  ['/sessions', /No session is open/],
  ['/approvals', /Nothing was asked yet/],
];

export const emptyStates: readonly WalkState<undefined>[] = [
  ...rows.map(([path, says]) => ({
    name: `nothing at ${path}`,
    path: () => path,
    open: ({ page }: Parameters<WalkState['open']>[0]) => shows(page, says),
  })),
  {
    name: 'no thread is archived',
    path: () => '/threads',
    open: async ({ page }) => {
      await press(page, 'Archived');
      await shows(page, 'Nothing is archived');
    },
  },
];
