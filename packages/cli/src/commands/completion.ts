/*
 * `clf completion`: the script that makes a shell complete our command lines.
 */
import { fileURLToPath } from 'node:url';
import { parseChoice } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { completionScript, shells } from '../completion/scripts.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';

/* Beside src and dist alike. */
const ownPath = fileURLToPath(new URL('../../bin/clawdfather', import.meta.url));

export async function execute({ args, io }: CommandContext): Promise<ExitStatus> {
  const shell = parseChoice('the shell', args.operands[0] ?? '', shells);
  await io.stdout.write(completionScript(shell, ownPath));
  return codeStatus(exitOk);
}
