/*
 * The directories that shielded commands have in the place of /tmp and the like. As /tmp, they are for one boot of the machine: what
 * earlier boots have left is removed when the first command of this one is planned.
 */
import { chown, mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ShieldUser } from './shield-facts.ts';

export interface PrivatePlaces {
  readonly ownTmp: string;
  readonly ownVarTmp: string;
  readonly ownRuntime: string;
}

export async function makePrivatePlaces(
  privateDir: string,
  user: ShieldUser,
): Promise<PrivatePlaces> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const own = join(privateDir, boot, `${user.uid}`);
  const [ownTmp, ownVarTmp, ownRuntime] = await Promise.all([
    makePrivate(join(own, 'tmp'), user),
    makePrivate(join(own, 'var-tmp'), user),
    makePrivate(join(own, 'runtime'), user),
  ]);
  // Nothing waits for it, and what cannot be removed now is tried again.
  void removeOthers(privateDir, boot).catch(() => undefined);
  return { ownTmp, ownVarTmp, ownRuntime };
}

/* A real path: nothing is mounted through links. */
async function makePrivate(path: string, { uid, gid }: ShieldUser): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0 && uid !== 0) {
    await chown(dirname(path), uid, gid);
    await chown(path, uid, gid);
  }
  return await realpath(path);
}

async function removeOthers(privateDir: string, boot: string): Promise<void> {
  const others = (await readdir(privateDir)).filter((name) => name !== boot);
  for (const name of others) await rm(join(privateDir, name), { recursive: true, force: true });
}
