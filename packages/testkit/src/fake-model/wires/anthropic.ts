/*
 * Anthropic's messages, which claude uses. An answer is a list of blocks, each opened, filled and closed by events.
 */
import {
  type AnswerPart,
  type ConversationItem,
  joinedText,
  type JsonObject,
  listOf,
  objectOf,
  sse,
  textOf,
  usage,
  type Wire,
} from './wire.ts';

export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  parse: (body) => ({
    model: textOf(body['model']),
    isStreaming: body['stream'] === true,
    items: listOf(body['messages']).flatMap(itemsOf),
    tools: listOf(body['tools']).map((tool) => ({
      name: textOf(tool['name']),
      parameters: objectOf(tool['input_schema']),
    })),
  }),
  stream: ({ model }, id) => {
    let blocks = 0;
    let isTextOpen = false;
    let hasCalls = false;
    const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type);
    const closeText = (): string => {
      if (!isTextOpen) return '';
      isTextOpen = false;
      blocks += 1;
      return event('content_block_stop', { index: blocks - 1 });
    };
    const open = (block: JsonObject): string =>
      event('content_block_start', { index: blocks, content_block: block });
    const addText = (text: string): string => {
      const opened = isTextOpen ? '' : open({ type: 'text', text: '' });
      isTextOpen = true;
      const delta = { type: 'text_delta', text };
      return opened + event('content_block_delta', { index: blocks, delta });
    };
    const addCall = ({ call }: AnswerPart & { readonly kind: 'call' }): string => {
      const closed = closeText();
      hasCalls = true;
      blocks += 1;
      const index = blocks - 1;
      const block = { type: 'tool_use', id: call.id, name: call.name, input: {} };
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
      return (
        closed +
        event('content_block_start', { index, content_block: block }) +
        event('content_block_delta', { index, delta }) +
        event('content_block_stop', { index })
      );
    };
    return {
      begin: () =>
        event('message_start', {
          message: { ...head(id, model), content: [], stop_reason: null, usage: formatUsage(1) },
        }),
      part: (part) => (part.kind === 'text' ? addText(part.text) : addCall(part)),
      end: () => {
        const closed = closeText();
        const delta = { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null };
        return (
          closed +
          event('message_delta', { delta, usage: { output_tokens: usage.output } }) +
          event('message_stop', {})
        );
      },
    };
  },
  whole: ({ model }, id, parts) => ({
    ...head(id, model),
    content: parts.map(formatBlock),
    stop_reason: parts.some(({ kind }) => kind === 'call') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: formatUsage(usage.output),
  }),
  refusal: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
};

/* A user's message carries the person's words and the results of tools. */
function itemsOf(message: JsonObject): ConversationItem[] {
  if (message['role'] === 'assistant') return [{ kind: 'assistant' }];
  if (message['role'] !== 'user') return [];
  const { content } = message;
  if (typeof content === 'string') return [{ kind: 'user', text: content }];
  return listOf(content).map((block) =>
    block['type'] === 'tool_result'
      ? { kind: 'tool-result', text: joinedText(block['content']) }
      : { kind: 'user', text: textOf(block['text']) },
  );
}

function formatBlock(part: AnswerPart): JsonObject {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { id, name, input } = part.call;
  return { type: 'tool_use', id, name, input };
}

function head(id: string, model: string): JsonObject {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function formatUsage(output: number): JsonObject {
  return { input_tokens: usage.input, output_tokens: output };
}
