/*
 * Going to and fro between two long conversations: what is left in memory that was not there before.
 */
import { countHeap, countNodes } from './counters.ts';
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
  // Code is compiled and both are kept before it counts.
  for (let index = 0; index < 4; index += 1) await go(index);
  const before = await countHeap(session);
  const nodesBefore = await countNodes(session);
  for (let index = 0; index < switches; index += 1) await go(index);
  const after = await countHeap(session);
  return {
    leakedMegabytes: (after - before) / 1_000_000,
    leakedNodes: (await countNodes(session)) - nodesBefore,
  };
}
