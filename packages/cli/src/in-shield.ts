/*
 * What `clf` says inside of a shield, where its own files are not there: without this, it would speak of a full disk. Two commands work
 * in a run that was started with tools: they ask the server outside. A gateway that is named is reached as from another machine, by
 * an agent that has a token of its own and a place to keep it.
 */
import { shieldVariable } from '@clawdfather/protocol';
import type { Config } from './config.ts';
import { CliError } from './errors.ts';
import { toolSocketFrom } from './mcp/become-relay.ts';
import { localName } from './sign-in/local-name.ts';

const servedCommands: readonly string[] = ['mcp', 'exec'];

export interface CalledCommand {
  readonly name: string;
  readonly operands: readonly string[];
}

/* Throws `in-shield`. */
export function refuseInShield(
  { name, operands }: CalledCommand,
  { env, values }: Pick<Config, 'env' | 'values'>,
): void {
  if ((env[shieldVariable] ?? '') === '') return;
  const { defaultGateway = localName } = values;
  if (defaultGateway !== localName || (name === 'login' && operands.length > 0)) return;
  const hasTools = toolSocketFrom(env) !== undefined;
  if (hasTools && servedCommands.includes(name)) return;
  const hint = hasTools
    ? 'In here work: clf mcp, which an agent starts, and clf exec. A person looks and decides outside.'
    : 'For an agent that is to have our tools: clf run --tools -- AGENT. A person looks and decides outside.';
  throw new CliError(
    'in-shield',
    `this runs in a shield, in which clf ${name} has nothing to work on`,
    {
      hint,
    },
  );
}
