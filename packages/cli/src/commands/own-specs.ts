/*
 * The commands about clf itself: settings, checks, completion, version and help.
 */
import { switchFlag } from '../args/flag.ts';
import { choice, text, type TextKind } from '../args/kinds.ts';
import { operand, operandList, optionalOperand, optionalOperandList } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';

const configActions = ['show', 'path', 'check', 'schema'] as const;
/* What other programs have here. It is not offered, and whoever types it is told what to do instead. */
const foreignActions = ['set', 'unset', 'get', 'edit'] as const;

type ConfigAction = (typeof configActions)[number] | (typeof foreignActions)[number];

const configAction: TextKind<ConfigAction> = {
  ...choice(configActions),
  fromText: (label, typed) =>
    foreignActions.find((one) => one === typed) ?? choice(configActions).fromText(label, typed),
};

export const configSpec = defineCommand({
  name: 'config',
  summary: 'Show each setting and where it comes from, or check the config file',
  usage: '[flags] show [KEY …] | path | check | schema',
  operands: {
    action: optionalOperand(configAction, 'the action'),
    keys: optionalOperandList(text('KEY', 'settings')),
  },
  flags: {},
  examples: [
    'clf config show',
    'clf config show run.grace',
    '$EDITOR "$(clf config path)" && clf config check',
    'clf config schema > config.schema.json',
  ],
});

export const doctorSpec = defineCommand({
  name: 'doctor',
  summary: 'Check this installation, its state directory and its runs',
  operands: {},
  flags: {
    rebuild: switchFlag({ summary: 'build the registry again from the run directories' }),
  },
  examples: ['clf doctor', 'clf doctor --json'],
});

export const drillSpec = defineCommand({
  name: 'drill',
  summary: 'Kill a gateway of its own in the middle of its work, and prove that nothing was lost',
  usage: '[flags] --turn',
  operands: {},
  flags: {
    turn: switchFlag({ summary: 'while an agent, also its own, answers' }),
  },
  examples: ['clf drill --turn', 'clf drill --turn --json'],
});

/* What a drill starts; not for people. */
export const drillAgentSpec = defineCommand({
  name: '__drill-agent',
  summary: 'Speak as the agent of a drill',
  operands: { socket: operand(text('SOCKET')), seed: operand(text('SEED')) },
  flags: {},
  examples: [],
});

export const drillSweepSpec = defineCommand({
  name: '__drill-sweep',
  summary: 'Remove what a drill has left, when it ends',
  operands: { directory: operand(text('DIRECTORY')) },
  flags: {},
  examples: [],
});

export const completionSpec = defineCommand({
  name: 'completion',
  summary: 'Print the completion script for a shell',
  operands: { shell: operand(choice(['bash', 'zsh', 'fish']), 'the shell') },
  flags: {},
  examples: [
    "echo 'source <(clf completion bash)' >> ~/.bashrc",
    "echo 'source <(clf completion zsh)' >> ~/.zshrc",
    'clf completion fish > ~/.config/fish/completions/clf.fish',
  ],
});

/* What those scripts call; not for people. */
export const completeSpec = defineCommand({
  name: '__complete',
  summary: 'Print completions of a command line',
  usage: '-- WORD …',
  operands: { words: operandList(text('WORD')) },
  flags: {},
  examples: [],
});

export const versionSpec = defineCommand({
  name: 'version',
  aliases: ['--version', '-V', '-v'],
  summary: 'Print the version',
  operands: {},
  flags: {},
  examples: [],
});

export const helpSpec = defineCommand({
  name: 'help',
  aliases: ['--help', '-h'],
  summary: 'Show help for a command',
  operands: {
    command: optionalOperand(text('COMMAND', 'commands')),
    action: optionalOperand(text('ACTION')),
  },
  flags: {},
  examples: ['clf help run', 'clf help token create'],
});
