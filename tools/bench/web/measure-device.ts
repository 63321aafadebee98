/*
 * A second device under the throttle, by the code that the first one shows: from the tap that makes the code to the inbox of the second.
 */
import { slow } from './throttle.ts';
import type { World } from './world.ts';

export async function secondDevice(world: World): Promise<number> {
  await using first = await world.open();
  await using second = await world.open({ isKnown: false });
  await slow(first.session);
  await slow(second.session);
  await first.go('/devices');
  await first.page.getByText('this one').waitFor();
  const begun = performance.now();
  await first.page.getByRole('button', { name: 'Add a device' }).tap();
  const code = (await first.page.locator('.login-code').textContent()) ?? '';
  await second.go('/');
  await second.page.getByLabel('Login link or code').fill(code);
  await second.page.getByRole('button', { name: 'Sign in', exact: true }).tap();
  await first.page.getByRole('button', { name: 'Yes, let it in' }).tap();
  await second.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  return performance.now() - begun;
}
