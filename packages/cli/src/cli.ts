/*
 * One call of the command line: which command, its arguments, its outcome.
 *
 * Everything that goes wrong ends here, as one message on stderr that says what,
 * why and what to do, or as one JSON object when JSON was asked for.
 */
import { formatCommandHelp, formatFamilyHelp } from './args/help-text.ts';
import { isHelpWanted } from './args/parse.ts';
import { readWords } from './args/read-words.ts';
import { isActionOf } from './args/spec.ts';
import type { CliDeps, Command, PreparedCall } from './command.ts';
import { type Config, loadConfig, loadConfigOrUsual, usualConfig } from './config.ts';
import { commands } from './commands/table.ts';
import {
  codeStatus,
  type ExitStatus,
  exitOk,
  exitOwnError,
  signalExitCode,
  spawnFailureCode,
} from './exit-status.ts';
import { refuseInShield } from './in-shield.ts';
import { isReaderGone } from './io/io.ts';
import { explainDiskError } from './render/disk-error.ts';
import { formatErrorJson, formatErrorText } from './render/error-text.ts';
import { formatFileFault } from './render/file-fault.ts';
import { createPaint, isColoured } from './render/paint.ts';
import { jsonLine } from './render/run-json.ts';
import { findCommand, isFamily, unknownCommand, whichCommand } from './which-command.ts';

export async function runCli(deps: CliDeps): Promise<ExitStatus> {
  const meant = whichCommand(deps.caller.argv);
  const { name: typed, rest } = meant;
  const command = findCommand(typed);
  const words = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  try {
    if (command === undefined && isFamily(typed) && words.some(isHelpFlag)) {
      return await showFamily(deps, typed);
    }
    if (command === undefined) throw unknownCommand(meant);
    return await execute(deps, command, rest);
  } catch (error) {
    // The pager that read us has quit; there is nobody to tell.
    if (isReaderGone(error)) return codeStatus(signalExitCode('SIGPIPE') ?? exitOwnError);
    await report(deps, explainDiskError(error), words);
    return codeStatus(spawnFailureCode(error));
  }
}

async function execute(
  deps: CliDeps,
  command: Command,
  argv: readonly string[],
): Promise<ExitStatus> {
  const words = readWords(command.spec, argv);
  const { io } = deps;
  if (isHelpWanted(words)) {
    await io.stdout.write(formatCommandHelp(command.spec, io.columns()));
    return codeStatus(exitOk);
  }
  const call = command.prepare(words);
  const { callSettings, isJson } = call;
  const config = await configFor(deps, call);
  if (call.configFile !== 'unread') {
    refuseInShield({ name: command.spec.name, operands: words.operands }, config);
  }
  return call.execute({
    ...deps,
    config,
    callSettings,
    isJson,
    paint: createPaint(isColoured(config, io.stdout) && !isJson),
  });
}

async function configFor(
  { caller, io }: CliDeps,
  { configFile, callSettings }: PreparedCall,
): Promise<Config> {
  if (configFile === 'unread') return usualConfig(caller, callSettings);
  if (configFile === 'required') return loadConfig(caller, callSettings);
  const config = await loadConfigOrUsual(caller, callSettings);
  // A closed stderr is no reason to do nothing.
  if (config.fileFault !== undefined)
    await io.stderr.write(formatFileFault(config)).catch(() => {});
  return config;
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h';
}

async function showFamily({ io }: CliDeps, family: string): Promise<ExitStatus> {
  const specs = commands.map(({ spec }) => spec).filter(({ name }) => isActionOf(name, family));
  await io.stdout.write(formatFamilyHelp(family, specs, io.columns()));
  return codeStatus(exitOk);
}

/* The flags may be what is wrong, so they are only looked at as words. */
async function report(deps: CliDeps, error: unknown, words: readonly string[]): Promise<void> {
  const { stderr } = deps.io;
  const { env } = deps.caller;
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const paint = createPaint(stderr.isTerminal && !isPlain && !words.includes('--no-color'));
  const text = words.includes('--json')
    ? jsonLine(formatErrorJson(error))
    : formatErrorText(error, paint);
  // A closed stderr leaves the exit code, which says enough.
  await stderr.write(text).catch(() => {});
}
