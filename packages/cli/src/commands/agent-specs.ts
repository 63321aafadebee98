/*
 * The commands about agents and the conversations with them. A gateway has both.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { directory, duration, text } from '../args/kinds.ts';
import { operand, operandList, optionalOperandList } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

const thread = text('THREAD', 'threads');
const words = { ...text('TEXT'), listPlaceholder: 'TEXT' };

const keys = [
  {
    title: 'Keys',
    words: {
      'Ctrl-C': 'asks the agent to stop, and waits until it has; once more leaves',
      'a number': 'answers what the agent asks, at a terminal',
    },
  },
];

const choiceFlags = {
  mode: valueFlag(text('MODE'), {
    summary: 'its mode, from the next turn on, empty for its own; see clf agents choices',
  }),
  model: valueFlag(text('MODEL'), { summary: 'the model that it asks, from the next turn on' }),
};

const detach = switchFlag({
  short: 'd',
  summary: 'send it, print the id of the thread, and do not wait for the answer',
});

export const askSpec = defineCommand({
  name: 'ask',
  summary: 'Ask an agent, and see its answer as it comes',
  operands: { words: optionalOperandList(words) },
  flags: {
    agent: valueFlag(text('NAME', 'agents'), { summary: 'which agent; see clf agents ls' }),
    dir: valueFlag(directory, {
      short: 'C',
      summary: 'the directory that it works in (default: this one; with --host one there)',
    }),
    host: valueFlag(text('NAME', 'hosts'), { summary: 'let it run on this SSH host' }),
    thread: valueFlag(thread, { summary: 'go on with this conversation, as clf say does' }),
    ...choiceFlags,
    detach,
    ...gatewayFlags,
  },
  glossary: keys,
  examples: [
    'clf ask "why does the build fail?"',
    'git diff | clf ask "review this" -',
    'clf ask -d --json "update the changelog"',
    'clf ask --agent claude --mode plan "how would you split this file?"',
  ],
});

export const saySpec = defineCommand({
  name: 'say',
  summary: 'Go on with a conversation, and see the answer as it comes',
  operands: { thread: operand(thread), words: optionalOperandList(words) },
  flags: { ...choiceFlags, detach, ...gatewayFlags },
  glossary: keys,
  examples: ['clf say 3k9q "now fix it"', 'clf say 3k9q - < notes.txt'],
});

export const threadsListSpec = defineCommand({
  name: 'threads ls',
  summary: 'List your conversations with agents, newest first',
  operands: {},
  flags: {
    all: switchFlag({ short: 'a', summary: 'list archived ones too' }),
    quiet: switchFlag({ short: 'q', summary: 'print only ids, one per line' }),
    ...gatewayFlags,
  },
  examples: ['clf threads', 'clf threads ls -a --json'],
});

export const threadsShowSpec = defineCommand({
  name: 'threads show',
  summary: 'Show a conversation from its beginning',
  operands: { thread: operand(thread) },
  flags: gatewayFlags,
  examples: ['clf threads show 3k9q', 'clf threads show --json 3k9q | jq -r .messages[].text'],
});

export const threadsVerifySpec = defineCommand({
  name: 'threads verify',
  summary: 'Compare a conversation with the journals of its agents; exit code 1 if it differs',
  operands: { thread: operand(thread) },
  flags: gatewayFlags,
  examples: ['clf threads verify 3k9q', 'clf threads verify --json 3k9q | jq .runs'],
});

export const threadsFollowSpec = defineCommand({
  name: 'threads follow',
  summary: 'Show the newest turn of a conversation, and stay until nothing runs or waits in it',
  operands: { thread: operand(thread) },
  flags: gatewayFlags,
  glossary: [
    {
      title: 'Keys',
      words: {
        'Ctrl-C': 'leaves; the turn goes on',
        'a number': 'answers what the agent asks, at a terminal',
      },
    },
  ],
  examples: ['clf threads follow 3k9q'],
});

export const threadsCancelSpec = defineCommand({
  name: 'threads cancel',
  isDestructive: true,
  summary: 'Ask the agent to stop, and cancel what waits; the conversation stays',
  operands: { threads: operandList(thread) },
  flags: gatewayFlags,
  examples: ['clf threads cancel 3k9q'],
});

export const threadsArchiveSpec = defineCommand({
  name: 'threads archive',
  isDestructive: true,
  summary: 'Put conversations away: their agents end, and nothing more can be said in them',
  operands: { threads: operandList(thread) },
  flags: gatewayFlags,
  examples: ['clf threads archive 3k9q'],
});

export const threadsUnarchiveSpec = defineCommand({
  name: 'threads unarchive',
  summary: 'Take conversations back that were put away; they go on with the next message',
  operands: { threads: operandList(thread) },
  flags: gatewayFlags,
  examples: ['clf threads unarchive 3k9q'],
});

export const threadsRenameSpec = defineCommand({
  name: 'threads rename',
  summary: 'Call a conversation something else, on all your devices',
  operands: { thread: operand(thread), title: operand(text('TITLE')) },
  flags: gatewayFlags,
  examples: ['clf threads rename 3k9q "The login page"'],
});

export const agentsListSpec = defineCommand({
  name: 'agents ls',
  summary: 'List the agents that can be asked',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf agents', 'clf agents ls --json'],
});

const agent = text('NAME', 'agents');

export const agentsChoicesSpec = defineCommand({
  name: 'agents choices',
  summary: 'List what an agent let you choose when it last began a session: modes, models',
  operands: { agent: operand(agent) },
  flags: {
    host: valueFlag(text('NAME', 'hosts'), { summary: 'of the agent on this SSH host' }),
    ...gatewayFlags,
  },
  examples: ['clf agents choices claude', 'clf agents choices claude --json | jq .values'],
});

export const agentsInstallSpec = defineCommand({
  name: 'agents install',
  summary: 'Install built-in agents on this machine, from npm, in pinned versions',
  operands: { agents: operandList(agent) },
  flags: {},
  examples: ['clf agents install opencode', 'clf agents install claude codex'],
});

export const agentsTestSpec = defineCommand({
  name: 'agents test',
  summary: 'Start an agent on this machine as a thread would, and tell step by step what works',
  operands: { agent: operand(text('NAME', 'agents')) },
  flags: {
    dir: valueFlag(directory, {
      short: 'C',
      summary: 'the directory that it works in (default: that of its settings, or this one)',
    }),
    prompt: valueFlag(text('TEXT'), { summary: 'also ask it this, for one turn' }),
    timeout: valueFlag(duration, { summary: 'how long one step may take (1m)' }),
  },
  examples: ['clf agents test claude', 'clf agents test opencode --prompt "say hello" --json'],
});

export const agentsLoginSpec = defineCommand({
  name: 'agents login',
  summary: 'Sign an agent in at this terminal, and tell whether it is signed in then',
  operands: { agent: operand(text('NAME', 'agents')) },
  flags: {
    detach: switchFlag({
      short: 'd',
      summary: 'start it, print the id of its run, and leave; clf attach comes to it',
    }),
  },
  examples: ['clf agents login claude', 'clf agents login -d codex && clf attach login-codex'],
});

export const agentsRemoveSpec = defineCommand({
  name: 'agents rm',
  isDestructive: true,
  summary: 'Remove installed agents from this machine, in every version',
  operands: { agents: operandList(agent) },
  flags: {},
  examples: ['clf agents rm opencode'],
});
