/*
 * Going to and fro between two long conversations: what is left in memory that was not there before.
 */
import { leftAfter } from '../../../packages/web/test/support/page-memory.ts';
import type { World } from './world.ts';

export interface Switched {
  readonly leakedMegabytes: number;
  /* That are alive and were not before, with the same on the screen. */
  readonly leakedNodes: number;
}

export async function switchThreads(world: World, switches: number): Promise<Switched> {
  await using measured = await world.open();
  const { page, phone, session } = measured;
  await measured.go('/threads');
  const go = async (index: number): Promise<void> => {
    await phone.go(`/threads/${world.long[index % 2] ?? ''}`);
    const title = index % 2 === 0 ? 'A long conversation' : 'Another one';
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByText(world.lastWords, { exact: true }).first().waitFor();
  };
  const { bytes, nodes } = await leftAfter(session, switches, go);
  return { leakedMegabytes: bytes / 1_000_000, leakedNodes: nodes };
}
