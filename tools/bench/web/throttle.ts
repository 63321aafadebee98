/*
 * A mid-range phone on a slow mobile network, as Chromium can play it: the processor at a quarter of its speed, 150 ms until an answer begins,
 * 1.6 Mbit/s down and 0.75 up. These are Lighthouse's numbers for mobile.
 *
 * The network is slowed for the page. What a service worker asks for by itself is not.
 */
import type { Session } from '../../../packages/web/test/support/page-memory.ts';
import type { Phone } from '../../../packages/web/test/support/phone.ts';

export type Page = Phone['page'];
export type { Session };

const slowdown = 4;
const bytesPerSecond = (megabits: number): number => (megabits * 1_000_000) / 8;

export async function slowProcessor(session: Session, rate = slowdown): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

export async function slowNetwork(session: Session): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond(1.6),
    uploadThroughput: bytesPerSecond(0.75),
  });
}

/* Both. */
export async function slow(session: Session): Promise<void> {
  await slowProcessor(session);
  await slowNetwork(session);
}
