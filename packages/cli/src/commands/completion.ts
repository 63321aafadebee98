/*
 * `clf completion`: the script that makes a shell complete our command lines.
 */
import { fileURLToPath } from 'node:url';
import type { CallOf } from '../command.ts';
import { completionScript } from '../completion/scripts.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import type { completionSpec } from './own-specs.ts';

/* Beside src and dist alike. */
const ownPath = fileURLToPath(new URL('../../bin/clawdfather', import.meta.url));

export async function execute({
  operands,
  io,
}: CallOf<typeof completionSpec>): Promise<ExitStatus> {
  await io.stdout.write(completionScript(operands.shell, ownPath));
  return codeStatus(exitOk);
}
