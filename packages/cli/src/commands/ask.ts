/*
 * `clf ask` and `clf say`: one turn of a conversation with an agent.
 */
import type { Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import { askAgent } from '../threads/ask-agent.ts';
import { readPrompt } from '../threads/read-prompt.ts';
import type { askSpec, saySpec } from './agent-specs.ts';

export const ask: Execute<typeof askSpec> = async (call) => {
  const { agent, dir: directory, host, thread, detach: isDetached } = call.flags;
  if (thread !== undefined && [agent, directory, host].some((value) => value !== undefined)) {
    throw usageError(
      '--agent, --dir and --host are not for --thread',
      'A thread keeps the agent and the place that it was begun with. Leave out --thread for a new one.',
    );
  }
  const prompt = await readPrompt(call.io, call.operands.words);
  const chosen = chosenBy(call.flags);
  return askAgent(call, { prompt, thread, agent, directory, host, chosen, isDetached });
};

export const say: Execute<typeof saySpec> = async (call) => {
  const { thread, words } = call.operands;
  const prompt = await readPrompt(call.io, words);
  const chosen = chosenBy(call.flags);
  return askAgent(call, { prompt, thread, chosen, isDetached: call.flags.detach });
};

/* By category: which id an agent has for it is known when it has begun. Null, for an empty word: the agent’s own choice again. */
function chosenBy({ mode, model }: { mode: string | undefined; model: string | undefined }) {
  return {
    ...(mode === undefined ? {} : { mode: mode === '' ? null : mode }),
    ...(model === undefined ? {} : { model: model === '' ? null : model }),
  };
}
