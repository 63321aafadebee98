/*
 * OpenAI's chat completions: opencode, qwen, copilot and most others.
 */
import {
  type AnswerPart,
  callsIn,
  type ConversationItem,
  joinedText,
  joinText,
  type JsonObject,
  listOf,
  objectOf,
  sse,
  textOf,
  type ToolCall,
  usage,
  type Wire,
} from './wire.ts';

export const openaiChat: Wire = {
  name: 'openai-chat',
  parse: (body) => ({
    model: textOf(body['model']),
    isStreaming: body['stream'] === true,
    items: listOf(body['messages']).flatMap(itemOf),
    tools: listOf(body['tools']).map((tool) => {
      const described = objectOf(tool['function']);
      return { name: textOf(described['name']), parameters: objectOf(described['parameters']) };
    }),
  }),
  stream: ({ model }, id) => {
    let calls = 0;
    const chunk = (delta: JsonObject, finish: string | null, more: JsonObject = {}): string =>
      sse({
        ...head(id, model, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      });
    return {
      begin: () => chunk({ role: 'assistant', content: '' }, null),
      part: (part) => {
        if (part.kind === 'text') return chunk({ content: part.text }, null);
        calls += 1;
        return chunk({ tool_calls: [{ index: calls - 1, ...formatCall(part.call) }] }, null);
      },
      end: () =>
        chunk({}, calls > 0 ? 'tool_calls' : 'stop', { usage: formatUsage() }) + sse('[DONE]'),
    };
  },
  whole: ({ model }, id, parts) => ({
    ...head(id, model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: formatMessage(parts),
        finish_reason: callsIn(parts).length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: formatUsage(),
  }),
  refusal: (status, message) => ({ error: { message, type: 'fake_model', code: status } }),
};

function itemOf(message: JsonObject): ConversationItem[] {
  const text = joinedText(message['content']);
  if (message['role'] === 'user') return [{ kind: 'user', text }];
  if (message['role'] === 'tool') return [{ kind: 'tool-result', text }];
  return message['role'] === 'assistant' ? [{ kind: 'assistant' }] : [];
}

function formatMessage(parts: readonly AnswerPart[]): JsonObject {
  const calls = callsIn(parts);
  const message = { role: 'assistant', content: joinText(parts) };
  return calls.length === 0 ? message : { ...message, tool_calls: calls.map(formatCall) };
}

function formatCall({ id, name, input }: ToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function formatUsage(): JsonObject {
  const { input, output } = usage;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function head(id: string, model: string, object: string): JsonObject {
  return { id, object, created: 1, model };
}
