/*
 * Twenty messages that are written while the gateway is not reached: how long it takes until it has all of them, from when the device
 * says that there is a network again.
 */
import { createSystemClock } from '@clawdfather/kit';
import { talk } from '../../../packages/web/test/support/conversations.ts';
import { slow } from './throttle.ts';
import type { World } from './world.ts';

const messages = 20;
const nowhere = 'http://127.0.0.1:1';
/* Between two looks at what has arrived. */
const lookMs = 10;

const clock = createSystemClock();

export async function deliverKept(
  world: World,
  speed: 'full speed' | 'throttled',
): Promise<number> {
  const { client, proxy } = world.gateway;
  const id = await talk(client, 'Before the network was gone.');
  await using measured = await world.open();
  const { page, session } = measured;
  await measured.go(`/threads/${id}`);
  await page.locator('.turn-end').waitFor();
  const box = page.getByLabel('Message');
  proxy.target(nowhere);
  proxy.reset();
  const kept = page.locator('.waiting-bar');
  for (let number = 1; number <= messages; number += 1) {
    const text = `Message ${number}.`;
    await box.fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    await kept.getByText(text, { exact: true }).waitFor();
  }
  if (speed === 'throttled') await slow(session);
  proxy.target(client.connection.baseUrl);
  const begunMs = performance.now();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  const arrived = async (): Promise<number> =>
    (await client.threads.get({ params: { id } })).turns.length - 1;
  while ((await arrived()) < messages) await clock.sleep(lookMs);
  return performance.now() - begunMs;
}
