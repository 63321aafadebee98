/*
 * Whether somebody has signed an agent in, told without starting it: a variable is set, or the file is there that its sign-in
 * writes. "No" is certain only for agents that keep it nowhere else, and "yes" may have expired, so both are called likely.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SignIn, SignInFile } from './agent-entry.ts';

export type SignedIn =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'no' };

/** Larger files are not searched; settings are a few kilobytes. */
const searchedBytesMax = 1 << 20;

/** The environment is that of the agent, not ours. */
export function findSignIn(signIn: SignIn, env: Readonly<Record<string, string>>): SignedIn {
  const name = signIn.variables.find((variable) => (env[variable] ?? '') !== '');
  if (name !== undefined) return { kind: 'variable', name };
  for (const file of signIn.files) {
    const path = placeOf(file, env);
    if (path !== undefined && isThere(path, file.contains)) return { kind: 'file', path };
  }
  return { kind: 'no' };
}

function placeOf({ path, movedBy }: SignInFile, env: Readonly<Record<string, string>>) {
  const moved = movedBy === undefined ? undefined : env[movedBy.variable];
  if (movedBy !== undefined && moved !== undefined && moved !== '') {
    return join(moved, path.slice(movedBy.from.length));
  }
  return env['HOME'] === undefined ? undefined : join(env['HOME'], path);
}

function isThere(path: string, contains: string | undefined): boolean {
  try {
    const { size } = statSync(path);
    if (contains === undefined) return size > 0;
    return size <= searchedBytesMax && readFileSync(path, 'utf8').includes(contains);
  } catch {
    // Missing, or not ours to read: then the agent cannot read it either.
    return false;
  }
}
