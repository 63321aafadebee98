/*
 * What is kept of an upload beside its bytes: `ID.json` says what it is, `ID` has the bytes. Without the first there is no upload.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { syncDirectory } from '@clawdfather/kit/files';
import { z } from 'zod';

/* Long enough for a draft that is finished the next morning. */
export const keptMs = 24 * 60 * 60_000;

const factsSchema = z.object({
  name: z.string(),
  size: z.int(),
  contentType: z.string(),
  sha256: z.string().optional(),
  createdAtMs: z.number(),
  /* All of it was there, and its hash was the announced one. */
  isChecked: z.boolean().optional(),
  /* Announced with a token. */
  isOfToken: z.boolean().optional(),
  /* When a prompt had it last. */
  takenAtMs: z.number().optional(),
});

export type Kept = z.output<typeof factsSchema>;

/* Undefined: there are none, or nobody can read what is there, which is then no upload. */
export async function readFacts(path: string): Promise<Kept | undefined> {
  try {
    return factsSchema.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')));
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EISDIR')) return undefined;
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/* As a whole or not at all. */
export async function writeFacts(path: string, kept: Kept): Promise<void> {
  // Of a gateway that was killed just then.
  await rm(`${path}.json.new`, { force: true });
  const text = JSON.stringify(kept);
  await writeFile(`${path}.json.new`, text, { flag: 'wx', mode: 0o600, flush: true });
  await rename(`${path}.json.new`, `${path}.json`);
  await syncDirectory(dirname(path));
}

/* Of an upload that is there. */
export async function noteFacts(path: string, more: Partial<Kept>): Promise<void> {
  const kept = await readFacts(path);
  if (kept !== undefined) await writeFacts(path, { ...kept, ...more });
}

/* The facts first: without them there is no upload. */
export async function removeFiles(path: string): Promise<void> {
  for (const file of [`${path}.json`, `${path}.json.new`, path]) {
    await rm(file, { recursive: true, force: true });
  }
}
