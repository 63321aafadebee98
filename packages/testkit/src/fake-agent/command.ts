/*
 * How a fake agent is started: the words of its command line, for whoever starts processes.
 */
import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Script } from './script.ts';

/* The source when tests run from it, what was built from it otherwise. */
const entry = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url));

export interface FakeAgentOptions {
  /** A file with a script (`writeScript`); without it the agent echoes. */
  readonly script?: string;
  readonly gates?: string;
  readonly trace?: string;
  /** Where the echoing agent keeps its sessions. */
  readonly sessions?: string;
  /** Where its tools leave a line each time that they are used. */
  readonly effects?: string;
}

export function fakeAgentCommand(options: FakeAgentOptions = {}): readonly [string, ...string[]] {
  const flags = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value as string],
  );
  return [process.execPath, entry, ...flags];
}

/** Returns the file's name. */
export function writeScript(file: string, script: Script): string {
  writeFileSync(file, JSON.stringify(script));
  return file;
}
