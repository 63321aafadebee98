/*
 * Help pages name every command and every flag, and fit a narrow terminal.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCommandHelp, formatOverview } from '../../src/args/help-text.ts';
import { allFlags, formatUsage } from '../../src/args/spec.ts';
import { commandGroups, commands } from '../../src/commands/table.ts';

const specs = commands.map(({ spec }) => spec);
const groups = commandGroups.map(({ title, commands: some }) => ({
  title,
  specs: some.map(({ spec }) => spec),
}));

test('the overview names every command', () => {
  const text = formatOverview(groups);
  for (const { name, summary } of specs) {
    assert.ok(text.includes(name) && text.includes(summary), name);
  }
});

test('each page names its flags and examples', () => {
  for (const spec of specs) {
    const text = formatCommandHelp(spec);
    for (const flag of allFlags(spec)) assert.ok(text.includes(`--${flag.name}`));
    for (const example of spec.examples) assert.ok(text.includes(example));
  }
});

test('no line is wider than 110 columns', () => {
  for (const text of [formatOverview(groups), ...specs.map(formatCommandHelp)]) {
    for (const line of text.split('\n')) assert.ok(line.length <= 110, line);
  }
});

test('what flags mean stands in one column, below a flag that is too wide for it', () => {
  for (const spec of specs) {
    const text = formatCommandHelp(spec);
    const at = allFlags(spec).map(({ summary }) => {
      const line = text.split('\n').find((some) => some.endsWith(`  ${summary}`)) ?? '';
      return line.length - summary.length;
    });
    assert.equal(new Set(at).size, 1, text);
  }
});

test('no command has two flags of one name or letter', () => {
  for (const spec of specs) {
    const flags = allFlags(spec);
    const names = flags.map((flag) => flag.name);
    const letters = flags.flatMap((flag) => flag.short ?? []);
    assert.equal(new Set(names).size, names.length, spec.name);
    assert.equal(new Set(letters).size, letters.length, spec.name);
  }
});

test('the usage follows from the operands', () => {
  const usages = new Set(specs.map(formatUsage));
  for (const usage of [
    'ps [flags]',
    'kill [flags] RUN …',
    'send-keys [flags] RUN [KEY …]',
    'login [flags] [URL]',
    'run [flags] [--] COMMAND [ARGUMENT …]',
  ]) {
    assert.ok(usages.has(usage), usage);
  }
});
