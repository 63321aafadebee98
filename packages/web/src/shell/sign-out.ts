/*
 * Signing out removes all that is kept on the device: at once where the gateway has all of it. What was written here and is nowhere else is
 * counted first, and asked about (parts/confirm-sign-out.tsx).
 */
import type { AppParts } from '../app-context.ts';
import { unsentIn } from '../storage/kept-here.ts';
import { lossWords } from '../storage/unsent.ts';

/* What would be lost, in words. Undefined: nothing, so it is done. */
export async function signOutUnlessLost({
  membership,
  storage,
}: Pick<AppParts, 'membership' | 'storage'>): Promise<string | undefined> {
  const loss = lossWords(await unsentIn(storage.tables));
  if (loss === undefined) await membership.signOut();
  return loss;
}
