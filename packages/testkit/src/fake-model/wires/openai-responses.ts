/*
 * OpenAI's responses: codex.
 *
 * A tool may be a function, or a custom tool whose input is plain text, or a namespace of functions.
 */
import {
  type AnswerPart,
  type ConversationItem,
  joinedText,
  type JsonObject,
  listOf,
  objectOf,
  type OfferedTool,
  sse,
  textOf,
  usage,
  type Wire,
} from './wire.ts';

export const openaiResponses: Wire = {
  name: 'openai-responses',
  parse: (body) => ({
    model: textOf(body['model']),
    isStreaming: body['stream'] === true,
    items:
      typeof body['input'] === 'string'
        ? [{ kind: 'user', text: body['input'] }]
        : listOf(body['input']).flatMap(itemOf),
    tools: listOf(body['tools']).flatMap(toolsOf),
  }),
  stream: ({ model }, id) => {
    const output: JsonObject[] = [];
    let text: { readonly id: string; whole: string } | undefined;
    const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type);
    const finishText = (): string => {
      if (text === undefined) return '';
      const item = messageItem(text.id, text.whole);
      const place = { item_id: text.id, output_index: output.length, content_index: 0 };
      const done =
        event('response.output_text.done', { ...place, text: text.whole }) +
        event('response.output_item.done', { output_index: output.length, item });
      output.push(item);
      text = undefined;
      return done;
    };
    const addText = (delta: string): string => {
      let opened = '';
      if (text === undefined) {
        text = { id: `${id}-${output.length}`, whole: '' };
        const item = { ...messageItem(text.id, ''), status: 'in_progress', content: [] };
        opened =
          event('response.output_item.added', { output_index: output.length, item }) +
          event('response.content_part.added', {
            item_id: text.id,
            output_index: output.length,
            content_index: 0,
            part: { type: 'output_text', text: '', annotations: [] },
          });
      }
      text.whole += delta;
      const place = { item_id: text.id, output_index: output.length, content_index: 0 };
      return opened + event('response.output_text.delta', { ...place, delta });
    };
    const addCall = (part: AnswerPart & { readonly kind: 'call' }): string => {
      const finished = finishText();
      const item = callItem(part);
      const index = { output_index: output.length };
      output.push(item);
      return (
        finished +
        event('response.output_item.added', { ...index, item }) +
        event('response.output_item.done', { ...index, item })
      );
    };
    return {
      begin: () => event('response.created', { response: head(id, model) }),
      part: (part) => (part.kind === 'text' ? addText(part.text) : addCall(part)),
      end: () => {
        const finished = finishText();
        return finished + event('response.completed', { response: head(id, model, output) });
      },
    };
  },
  whole: ({ model }, id, parts) => {
    const output = parts.map((part, index) =>
      part.kind === 'text' ? messageItem(`${id}-${index}`, part.text) : callItem(part),
    );
    return head(id, model, output);
  },
  refusal: (status, message) => ({ error: { message, type: 'fake_model', code: String(status) } }),
};

function itemOf(item: JsonObject): ConversationItem[] {
  if (item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output') {
    const { output } = item;
    return [{ kind: 'tool-result', text: joinedText(objectOf(output)['content'] ?? output) }];
  }
  if (item['role'] === 'user') return [{ kind: 'user', text: joinedText(item['content']) }];
  return item['role'] === 'assistant' ? [{ kind: 'assistant' }] : [];
}

function toolsOf(tool: JsonObject): OfferedTool[] {
  if (tool['type'] === 'namespace') return listOf(tool['tools']).flatMap(toolsOf);
  const name = textOf(tool['name']);
  return name === '' ? [] : [{ name, parameters: objectOf(tool['parameters']) }];
}

function messageItem(id: string, text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id, status: 'completed', role: 'assistant', content };
}

function callItem({ call }: AnswerPart & { readonly kind: 'call' }): JsonObject {
  const { id, name, input } = call;
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
  };
}

function head(id: string, model: string, output?: readonly JsonObject[]): JsonObject {
  const { input, output: out } = usage;
  return {
    id,
    object: 'response',
    created_at: 1,
    model,
    // Without an output it has only begun.
    status: output === undefined ? 'in_progress' : 'completed',
    output: output ?? [],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + out,
    },
  };
}
