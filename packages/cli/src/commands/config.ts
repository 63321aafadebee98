/*
 * `clf config`: the settings and where each comes from; the file's place; what is
 * wrong in it; its schema. It reads the file itself, since it must not fail because of it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suggestNearest } from '../args/suggest.ts';
import type { CallOf, CommandContext } from '../command.ts';
import { type Config, configPath, loadConfig, parseConfigAt } from '../config.ts';
import { formatByHand } from '../config/by-hand.ts';
import { configSchema } from '../config/json-schema.ts';
import type { Problem } from '../config/parse-file.ts';
import { formatOrigin, type Origin } from '../config/resolve.ts';
import { type SettingKey, settingKeys, settingOf, variableOf } from '../config/settings.ts';
import type { configSpec } from './own-specs.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { type Cell, formatTable } from '../render/table.ts';

export async function execute(context: CallOf<typeof configSpec>): Promise<ExitStatus> {
  const { action = 'show', keys } = context.operands;
  if (!isWithKeys(action) && keys.length > 0) {
    throw usageError(`config ${action} does not know what to do with "${keys[0] ?? ''}"`);
  }
  switch (action) {
    case 'show':
      return show(context, keys);
    case 'path':
      return showPath(context);
    case 'check':
      return check(context);
    case 'schema':
      await context.io.stdout.write(`${JSON.stringify(configSchema(), undefined, 2)}\n`);
      return codeStatus(exitOk);
    case 'get':
      throw usageError('there is no config get', `Write: clf config show ${keys.join(' ')}`.trim());
    case 'edit':
    case 'unset':
      throw usageError(
        `there is no config ${action}: the file is edited by hand`,
        `It is ${configPath(context.caller, context.callSettings).path}. ${editIt}`,
      );
    case 'set':
      throw await toldByHand(context, keys);
  }
}

const editIt = 'Edit it: $EDITOR "$(clf config path)" && clf config check';

function isWithKeys(action: string): boolean {
  return ['show', 'get', 'set', 'unset'].includes(action);
}

/* `set KEY VALUE` or `set KEY=VALUE`: what has to be written, and where. */
async function toldByHand(context: CommandContext, typed: readonly string[]): Promise<Error> {
  const [first = '', ...others] = typed.flatMap((word, at) =>
    at === 0 ? splitOnce(word) : [word],
  );
  const { path, isNamed } = configPath(context.caller, context.callSettings);
  const message = 'there is no config set: the file is edited by hand';
  if (first === '' || others.length === 0) return usageError(message, `It is ${path}. ${editIt}`);
  const key = findKey(first);
  const { kind } = settingOf(key);
  const value = kind.toJson(kind.fromText(key, others.join(' ')));
  // What a flag may be, relative, say, is not always what the file may have.
  kind.fromJson(key, value);
  const { entries } = await parseConfigAt(path, isNamed && existsSync(path));
  return usageError(
    message,
    formatByHand({ path, isThere: existsSync(path), entries }, key, value),
  );
}

function splitOnce(word: string): readonly string[] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

async function show(context: CommandContext, typed: readonly string[]): Promise<ExitStatus> {
  const { io, paint } = context;
  const keys = typed.length === 0 ? settingKeys : typed.map(findKey);
  const config = await loadConfig(context.caller, context.callSettings);
  if (context.isJson) {
    for (const key of keys) await io.stdout.write(jsonLine(settingJson(config, key)));
    return codeStatus(exitOk);
  }
  const rows = keys.map((key): Cell[] => {
    const origin = config.origins[key];
    const isUsual = origin.kind === 'default';
    return [
      { text: key, paint: isUsual ? paint.dim : paint.strong },
      { text: valueText(config, key) },
      { text: fromHome(formatOrigin(origin), context), ...(isUsual ? { paint: paint.dim } : {}) },
    ];
  });
  const headers = ['SETTING', 'VALUE', 'FROM'];
  await io.stdout.write(
    formatTable({ headers, paintHeader: paint.dim, columnsMax: undefined }, rows),
  );
  return codeStatus(exitOk);
}

/* Paths in one's own home are long, and everybody knows where it is. */
function fromHome(text: string, { caller }: CommandContext): string {
  const home = caller.env['HOME'] ?? '';
  return home.length > 1 && text.startsWith(`${home}/`) ? `~${text.slice(home.length)}` : text;
}

function findKey(typed: string): SettingKey {
  const key = settingKeys.find((one) => one === typed);
  if (key !== undefined) return key;
  const nearest = suggestNearest(typed, settingKeys);
  throw usageError(
    `there is no setting "${typed}"`,
    nearest === undefined ? 'All of them: clf config show' : `Did you mean ${nearest}?`,
  );
}

function valueText(config: Config, key: SettingKey): string {
  const json = shownJson(config, key);
  if (Array.isArray(json)) return json.length === 0 ? '-' : json.join(' ');
  return typeof json === 'string' ? json : JSON.stringify(json);
}

function shownJson({ values }: Config, key: SettingKey): Json {
  const { toShown, toJson } = settingOf(key).kind;
  return (toShown ?? toJson)(values[key]);
}

function settingJson(config: Config, key: SettingKey): Json {
  return {
    key,
    value: shownJson(config, key),
    origin: originJson(config.origins[key]),
    variable: variableOf(key),
  };
}

function originJson(origin: Origin): Json {
  return { ...origin };
}

async function showPath(context: CommandContext): Promise<ExitStatus> {
  const { path } = configPath(context.caller, context.callSettings);
  await context.io.stdout.write(
    context.isJson ? jsonLine({ path, exists: existsSync(path) }) : `${path}\n`,
  );
  return codeStatus(exitOk);
}

async function check(context: CommandContext): Promise<ExitStatus> {
  const { io, paint } = context;
  const { path, isNamed } = configPath(context.caller, context.callSettings);
  const { entries, problems } = await parseConfigAt(path, isNamed);
  const others = await outsideProblems(context, problems.length === 0);
  if (context.isJson) {
    await io.stdout.write(
      jsonLine({
        path,
        exists: existsSync(path),
        isValid: problems.length + others.length === 0,
        problems: [...problems.map(problemJson), ...others],
      }),
    );
  } else {
    for (const { line, column, message, hint } of problems) {
      const where = paint.strong(`${path}:${line}:${column}:`);
      await io.stdout.write(`${where} ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`);
    }
    for (const { message, hint } of others) {
      await io.stdout.write(`${message}\n${hint === null ? '' : `  ${hint}\n`}`);
    }
    if (problems.length + others.length === 0) {
      await io.stdout.write(`${goodText(path, entries.size)}\n`);
    }
  }
  return codeStatus(problems.length + others.length === 0 ? exitOk : exitChecksFailed);
}

function goodText(path: string, count: number): string {
  if (existsSync(path)) {
    return `${path} is well: ${count === 1 ? '1 setting' : `${count} settings`}`;
  }
  return `There is no ${path}, so the defaults hold. All settings: clf config show`;
}

function problemJson({ line, column, message, hint }: Problem): Json {
  return { line, column, message, hint: hint ?? null };
}

type OutsideProblem = {
  readonly line: null;
  readonly column: null;
  readonly message: string;
  readonly hint: string | null;
};

/* What is no mistake of the file: a variable's value, its name, a file that nobody reads. */
async function outsideProblems(
  context: CommandContext,
  isFileRight: boolean,
): Promise<OutsideProblem[]> {
  const found: OutsideProblem[] = [];
  const add = (message: string, hint: string | undefined): void => {
    found.push({ line: null, column: null, message, hint: hint ?? null });
  };
  try {
    // A file that is wrong would only be told again.
    if (isFileRight) await loadConfig(context.caller, context.callSettings);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    add(error.message, error.hint);
  }
  const known = [...settingKeys.map(variableOf), ...otherVariables];
  for (const name of Object.keys(context.caller.env)) {
    if (!name.startsWith('CLAWDFATHER_') || known.includes(name)) continue;
    const nearest = suggestNearest(name, known);
    add(`nothing reads the variable ${name}`, nearest && `Did you mean ${nearest}?`);
  }
  const { path, isNamed } = configPath(context.caller, context.callSettings);
  for (const name of ['config.json', 'config.toml', 'config.yaml']) {
    const beside = join(dirname(path), name);
    if (!isNamed && existsSync(beside)) add(`nothing reads ${beside}`, `The file is ${path}`);
  }
  return found;
}

/* Ours, but no settings: identities that runs are given, and where the file is. */
const otherVariables = [
  'CLAWDFATHER_CONFIG',
  'CLAWDFATHER_RUN_ID',
  'CLAWDFATHER_LEASE_ID',
  'CLAWDFATHER_GATEWAY_INSTANCE_ID',
  'CLAWDFATHER_OPEN_FILES',
  'CLAWDFATHER_SSH_PREFIX',
  'CLAWDFATHER_CONTEXT',
];
