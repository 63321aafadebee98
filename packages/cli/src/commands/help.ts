/*
 * `clf help`, and `clf` alone: the overview of all commands, or one command's page.
 */
import { formatCommandHelp, formatFamilyHelp, formatOverview } from '../args/help-text.ts';
import { usageOf } from '../args/spec.ts';
import { suggestNearest } from '../args/suggest.ts';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { commandGroups, commands } from './table.ts';
import type { helpSpec } from './own-specs.ts';

const specGroups = commandGroups.map(({ title, commands: some }) => ({
  title,
  specs: some.map(({ spec }) => spec),
}));

export async function execute(context: CallOf<typeof helpSpec>): Promise<ExitStatus> {
  const specs = commands.map(({ spec }) => spec);
  const { command, action } = context.operands;
  const typed = action === undefined ? command : `${command ?? ''} ${action}`;
  if (context.isJson) {
    const list = specs.map((spec) => ({
      name: spec.name,
      summary: spec.summary,
      usage: usageOf(spec),
    }));
    await context.io.stdout.write(jsonLine({ commands: list }));
    return codeStatus(exitOk);
  }
  if (typed === undefined) {
    await context.io.stdout.write(formatOverview(specGroups, context.io.columns()));
    return codeStatus(exitOk);
  }
  const spec = specs.find(({ name, aliases = [] }) => name === typed || aliases.includes(typed));
  const family = specs.filter(({ name }) => name.startsWith(`${typed} `));
  if (family.length > 0) {
    await context.io.stdout.write(formatFamilyHelp(typed, family, context.io.columns()));
    return codeStatus(exitOk);
  }
  if (spec === undefined) {
    const nearest = suggestNearest(
      typed,
      specs.map(({ name }) => name),
    );
    throw usageError(
      `there is no command "${typed}"`,
      nearest === undefined ? 'See: clf help.' : `Did you mean clf help ${nearest}?`,
    );
  }
  await context.io.stdout.write(formatCommandHelp(spec, context.io.columns()));
  return codeStatus(exitOk);
}
