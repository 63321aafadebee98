/*
 * `clf help`, and `clf` alone: the overview of all commands, or one command's page.
 */
import { formatCommandHelp, formatFamilyHelp, formatOverview } from '../args/help-text.ts';
import { suggestNearest } from '../args/suggest.ts';
import type { CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { commandGroups, commands } from './table.ts';

const specGroups = commandGroups.map(({ title, commands: some }) => ({
  title,
  specs: some.map(({ spec }) => spec),
}));

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const specs = commands.map(({ spec }) => spec);
  const typed = context.args.operands.length === 0 ? undefined : context.args.operands.join(' ');
  if (context.isJson) {
    const list = specs.map(({ name, summary, usage }) => ({ name, summary, usage }));
    await context.io.stdout.write(jsonLine({ commands: list }));
    return codeStatus(exitOk);
  }
  if (typed === undefined) {
    await context.io.stdout.write(formatOverview(specGroups));
    return codeStatus(exitOk);
  }
  const spec = specs.find(({ name }) => name === typed);
  const family = specs.filter(({ name }) => name.startsWith(`${typed} `));
  if (family.length > 0) {
    await context.io.stdout.write(formatFamilyHelp(typed, family));
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
  await context.io.stdout.write(formatCommandHelp(spec));
  return codeStatus(exitOk);
}
