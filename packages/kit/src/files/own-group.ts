/*
 * Who we are, and whether a group is ours alone.
 */
import { readFileSync } from 'node:fs';

export function ownUid(): number {
  return process.geteuid?.() ?? 0;
}

/*
 * True for a group that is our primary one and has no other member. Users of a directory service are in no file and cannot be
 * seen here. Their groups are in no file either, and a group that is in no file does not count as ours.
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
