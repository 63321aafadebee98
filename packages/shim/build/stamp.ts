/*
 * Whether a program is up to date: a hash over everything it is made from lies
 * beside it. Times are not looked at, since a checkout changes them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

export function hashInputs(paths: readonly string[], words: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    hash.update(`${basename(path)}\0`);
    hash.update(readFileSync(path));
  }
  for (const word of words) hash.update(`${word}\0`);
  return hash.digest('hex');
}

export function isUpToDate(outputPath: string, inputsHash: string): boolean {
  const path = stampPath(outputPath);
  if (!existsSync(outputPath) || !existsSync(path)) return false;
  return readFileSync(path, 'utf8') === inputsHash;
}

export function writeStamp(outputPath: string, inputsHash: string): void {
  writeFileSync(stampPath(outputPath), inputsHash);
}

function stampPath(outputPath: string): string {
  return `${outputPath}.stamp`;
}
