/*
 * A gate is a place where an agent stands until a test lets it go on. It is made of two files in a directory, because the
 * agent is not a child of the test and may outlive every process that the test knows:
 *
 *   NAME.reached   a line with its process id from each agent that arrived
 *   NAME.open      exists once the gate is released, and stays: who arrives later passes at once
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { untilDirectory } from './file-event.ts';

export interface GateFiles {
  readonly reached: string;
  readonly open: string;
}

export function gateFiles(directory: string, name: string): GateFiles {
  if (!/^[\w-]{1,100}$/.test(name))
    throw new Error(`"${name}" cannot name a gate: use letters, digits, _ and -`);
  return { reached: join(directory, `${name}.reached`), open: join(directory, `${name}.open`) };
}

/** The agent's side. */
export async function passGate(
  directory: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const files = gateFiles(directory, name);
  appendFileSync(files.reached, `${process.pid}\n`);
  await untilDirectory(directory, () => existsSync(files.open), signal);
}
