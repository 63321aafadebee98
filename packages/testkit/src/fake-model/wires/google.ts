/*
 * Google's generateContent: gemini. The model's name and whether it streams are in the path.
 */
import {
  type AnswerPart,
  type ConversationItem,
  type JsonObject,
  listOf,
  objectOf,
  sse,
  textOf,
  usage,
  type Wire,
} from './wire.ts';

export const googleGenerate: Wire = {
  name: 'google-generate',
  parse: (body, url) => ({
    model: /models\/([^:/]+)/.exec(url.pathname)?.[1] ?? '',
    isStreaming: url.pathname.endsWith(':streamGenerateContent'),
    items: listOf(body['contents']).flatMap(itemsOf),
    tools: listOf(body['tools'])
      .flatMap((tool) => listOf(tool['functionDeclarations']))
      .map((tool) => ({
        name: textOf(tool['name']),
        parameters: objectOf(tool['parametersJsonSchema'] ?? tool['parameters']),
      })),
  }),
  stream: ({ model }, id) => ({
    begin: () => '',
    part: (part) => sse(chunk(model, id, [part])),
    end: () => sse(finalChunk(model, id, [])),
  }),
  whole: ({ model }, id, parts) => finalChunk(model, id, parts),
  refusal: (status, message) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
};

function itemsOf(content: JsonObject): ConversationItem[] {
  if (content['role'] === 'model') return [{ kind: 'assistant' }];
  return listOf(content['parts']).map((part) => {
    const { functionResponse } = part;
    return functionResponse === undefined
      ? { kind: 'user', text: textOf(part['text']) }
      : { kind: 'tool-result', text: JSON.stringify(objectOf(functionResponse)['response'] ?? {}) };
  });
}

function chunk(model: string, id: string, parts: readonly AnswerPart[]): JsonObject {
  const content = { role: 'model', parts: parts.map(formatPart) };
  return { candidates: [{ index: 0, content }], modelVersion: model, responseId: id };
}

function finalChunk(model: string, id: string, parts: readonly AnswerPart[]): JsonObject {
  const content = { role: 'model', parts: parts.map(formatPart) };
  const { input, output } = usage;
  return {
    candidates: [{ index: 0, content, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: model,
    responseId: id,
  };
}

function formatPart(part: AnswerPart): JsonObject {
  if (part.kind === 'text') return { text: part.text };
  const { id, name, input } = part.call;
  return { functionCall: { id, name, args: input } };
}
