/*
 * One block of a conversation. What is not known is shown as it came, never dropped.
 */
import type { Block, EventBlock, ToolBlock } from '@clawdfather/protocol/history';
import { memo } from 'preact/compat';
import { Icon } from '../parts/icon.tsx';
import { Markdown } from '../text/markdown.tsx';
import { formatLength } from '../text/time-words.ts';
import { textOf, titleOf, wordOf } from './facts.ts';

export const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'user':
      return <div class="said">{block.content.map(textOf).join('\n')}</div>;
    case 'text':
      return block.role === 'thought' ? (
        <details class="thought">
          <summary>Thinking</summary>
          <Markdown text={block.text} />
        </details>
      ) : (
        <Markdown text={block.text} />
      );
    case 'tool':
      return <ToolView block={block} />;
    case 'plan':
      return <PlanView entries={block.plan['entries']} />;
    case 'content':
      return <pre class="raw">{JSON.stringify(block.content, undefined, 2)}</pre>;
    case 'event':
      return <EventView block={block} />;
  }
});

const toolStates: Readonly<Record<string, string>> = {
  completed: 'done',
  failed: 'failed',
  in_progress: 'working',
  pending: 'waiting',
};

function ToolView({ block }: { readonly block: ToolBlock }) {
  const { call } = block;
  const status = wordOf(call['status']) ?? 'pending';
  const tookMs = Date.parse(block.last_at) - Date.parse(block.at);
  const isOver = status === 'completed' || status === 'failed';
  return (
    <details class={`tool ${status}`}>
      <summary>
        {status === 'completed' ? (
          <Icon name="check" />
        ) : status === 'failed' ? (
          <Icon name="close" />
        ) : (
          <span class="spinner" />
        )}
        <span class="what">{titleOf(call)}</span>
        <span class="quiet">{isOver ? formatLength(tookMs) : (toolStates[status] ?? status)}</span>
        <span class="only-read-aloud">{toolStates[status] ?? status}</span>
      </summary>
      <pre>{textOf(call['content'] ?? call['rawOutput'] ?? call['rawInput'] ?? call)}</pre>
    </details>
  );
}

function PlanView({ entries }: { readonly entries: unknown }) {
  if (!Array.isArray(entries)) return null;
  return (
    <ul class="plan" aria-label="Plan">
      {entries.map((entry: { content?: unknown; status?: unknown }, index) => (
        <li key={index} class={wordOf(entry.status)}>
          <Icon name={entry.status === 'completed' ? 'check' : 'forward'} />
          <span>
            {textOf(entry.content)}
            <span class="only-read-aloud"> ({textOf(entry.status)})</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/* Of these, people want to know; the others are facts for programs. */
function EventView({ block: { type, payload } }: { readonly block: EventBlock }) {
  if (type === 'status') {
    const message =
      payload['message'] ?? (payload['result'] as { message?: unknown } | undefined)?.message;
    return typeof message === 'string' ? <p class="said-by-us">{message}</p> : null;
  }
  if (type === 'usage' || type === 'approval' || type === 'question') return null;
  return (
    <details class="raw">
      <summary>{type}</summary>
      <pre>{JSON.stringify(payload, undefined, 2)}</pre>
    </details>
  );
}
