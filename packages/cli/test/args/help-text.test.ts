/*
 * Help pages name every command and every flag, and fit a narrow terminal.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { formatCommandHelp, formatFamilyHelp, formatOverview } from '../../src/args/help-text.ts';
import { allFlags, formatUsage } from '../../src/args/spec.ts';
import { psSpec } from '../../src/commands/specs.ts';
import { commandGroups, commands } from '../../src/commands/table.ts';
import { endWords } from '../../src/render/exit-text.ts';
import { formatStall, tableHeaders } from '../../src/render/run-table.ts';

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
  for (const text of [formatOverview(groups), ...specs.map((spec) => formatCommandHelp(spec))]) {
    for (const line of text.split('\n')) assert.ok(line.length <= 110, line);
  }
});

test('pages break between words where the terminal ends, and lose none', () => {
  const pages = (columns?: number) => [
    formatOverview(groups, columns),
    formatFamilyHelp('token', specs.slice(0, 3), columns),
    ...specs.map((spec) => formatCommandHelp(spec, columns)),
  ];
  const wordsOf = (page: string) => page.split(/[\s\\]+/).filter(Boolean);
  const whole = pages().map(wordsOf);
  for (const columns of [100, 80, 60, 40, 20, 1]) {
    for (const [index, page] of pages(columns).entries()) {
      assert.deepEqual(wordsOf(page), whole[index], `${columns} columns`);
      for (const line of page.split('\n')) {
        // A word, a quoted one or a flag with its value, may be wider than a very narrow terminal.
        if (columns >= 60) assert.ok(line.length <= columns, `${columns}: ${line}`);
      }
    }
  }
});

test('an example that is broken is still one command for a shell', () => {
  const example = "clf run --timeout 10m -- sh -c 'echo one two three; echo four'";
  const spec = {
    ...specs[0],
    name: 'x',
    summary: 'x',
    flags: {},
    operands: {},
    examples: [example],
  };
  const page = formatCommandHelp(spec, 36);
  const [, shown = ''] = page.split('Examples:\n');
  assert.ok(shown.includes(' \\\n'), shown);
  const joined = spawnSync('sh', [
    '-c',
    `clf() { printf '%s|' "$@"; }\n${shown}`,
  ]).stdout.toString();
  assert.equal(joined, 'run|--timeout|10m|--|sh|-c|echo one two three; echo four|');
});

test('the page of ps explains every word that ps can show', () => {
  const page = formatCommandHelp(psSpec);
  const states = ['starting', 'running', 'stopped', 'exiting', 'held', 'ok', 'exit N', 'SIGNAME'];
  const all = [
    ...states,
    ...Object.values(endWords),
    ...(['disk-full', 'disk-failing', 'not-consumed'] as const).map(formatStall),
    '…, leftovers',
    ...tableHeaders,
  ];
  for (const word of all) {
    assert.ok(
      page.split('\n').some((line) => line.startsWith(`  ${word}  `)),
      `${word} in\n${page}`,
    );
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
