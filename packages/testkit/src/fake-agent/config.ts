/*
 * Reads the command line and the environment of a fake agent, once.
 *
 *   node main.ts [--script FILE | --script-json JSON] [--gates DIRECTORY] [--trace FILE] [--sessions DIRECTORY]
 *                [--effects FILE]
 *
 * Without a script it is the echoing agent. The script may also stand in FAKE_AGENT_SCRIPT, as JSON.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseScript, type Script } from './script.ts';

export interface Config {
  readonly script: Script | undefined;
  readonly gates: string | undefined;
  readonly trace: string | undefined;
  readonly sessions: string | undefined;
  readonly effects: string | undefined;
}

/** The exit code of an agent that cannot make sense of its command line or its script. */
export const usageCode = 64;

export function readConfig(args: readonly string[], env: NodeJS.ProcessEnv): Config {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      script: text,
      'script-json': text,
      gates: text,
      trace: text,
      sessions: text,
      effects: text,
    },
    strict: true,
  });
  const script = readScript(values.script, values['script-json'], env['FAKE_AGENT_SCRIPT']);
  return {
    script,
    gates: values.gates ?? script?.gates,
    trace: values.trace ?? script?.trace,
    sessions: values.sessions,
    effects: values.effects,
  };
}

function readScript(file?: string, json?: string, variable?: string): Script | undefined {
  if (file !== undefined) return parseScript(readFileSync(file, 'utf8'), file);
  if (json !== undefined) return parseScript(json, '--script-json');
  return variable === undefined ? undefined : parseScript(variable, 'FAKE_AGENT_SCRIPT');
}
