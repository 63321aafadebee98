/*
 * Who we are, and whether a group is ours alone.
 */
import { readFileSync } from 'node:fs';

export function ownUid(): number {
  return process.geteuid?.() ?? 0;
}

/*
 * A group that is our primary one, and nobody else's. Users that are in no file, such as those of a directory service, cannot
 * be seen from here; but neither is their group, and a group that is in no file is not ours.
 */
export function isGroupOurs(gid: number): boolean {
  if (gid !== process.getegid?.()) return false;
  const [users, groups] = [readTable('/etc/passwd'), readTable('/etc/group')];
  const us = users.filter((fields) => Number(fields[2]) === ownUid()).map(([name]) => name);
  const group = groups.find((fields) => Number(fields[2]) === gid);
  const primary = users.filter((fields) => Number(fields[3]) === gid).map(([name]) => name);
  const members = (group?.[3] ?? '').split(',').filter((name) => name !== '');
  return group !== undefined && [...primary, ...members].every((name) => us.includes(name));
}

function readTable(path: string): string[][] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line.includes(':')).map((line) => line.split(':'));
  } catch {
    // Without it no group is known to be ours.
    return [];
  }
}
