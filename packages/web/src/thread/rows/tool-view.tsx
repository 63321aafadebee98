/*
 * A call of a tool: one line, which opens to what it was given and to the end of what it gave. Neighbours are one card.
 */
import type { ToolBlock } from '@clawdfather/protocol/history';
import { Link } from 'wouter-preact';
import { Icon } from '../../parts/icon.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { formatLength } from '../../text/time-words.ts';
import { wordOf } from '../facts.ts';
import { useOpened } from '../thread-context.ts';
import { LongText } from './long-text.tsx';
import { MoreButton } from './more-button.tsx';
import type { Edge } from './row.ts';
import { diffsOf, givenOf, outputOf, runsOf, signed, toolWords } from './tool-words.ts';
import { WholeButton } from './whole-button.tsx';

const states: Readonly<Record<string, string>> = {
  completed: 'done',
  failed: 'failed',
  in_progress: 'working',
  pending: 'waiting',
};

export interface ToolViewProps {
  readonly rowKey: string;
  readonly block: ToolBlock;
  readonly edge: Edge;
}

export function ToolView({ rowKey, block, edge }: ToolViewProps) {
  const [isOpen, toggle] = useOpened(rowKey);
  const status = wordOf(block.call['status']) ?? 'pending';
  const { verb, object } = toolWords(block.call);
  const isOver = status === 'completed' || status === 'failed';
  const tookMs = Date.parse(block.last_at) - Date.parse(block.at);
  return (
    <div class={`fold tool ${edge} ${status}`}>
      <button type="button" class="line" aria-expanded={isOpen} onClick={toggle}>
        <ToolMark status={status} />
        <span class="verb">{verb}</span>
        <span class="what">{object}</span>
        <span class="quiet">{isOver ? tookMs >= 100 && formatLength(tookMs) : states[status]}</span>
        <span class="only-read-aloud">{states[status] ?? status}</span>
      </button>
      <MoreButton block={block} about="this call of a tool" />
      {isOpen && <ToolInside rowKey={rowKey} block={block} />}
    </div>
  );
}

function ToolMark({ status }: { readonly status: string }) {
  if (status === 'completed') return <Icon name="check" />;
  return status === 'failed' ? <Icon name="close" /> : <span class="spinner" />;
}

function ToolInside({ rowKey, block }: Omit<ToolViewProps, 'edge'>) {
  const { call, cut } = block;
  const given = givenOf(call);
  const output = outputOf(call);
  return (
    <div class="inside">
      {given !== '' && <LongText rowKey={`${rowKey}-given`} text={given} from="beginning" isCode />}
      {diffsOf(call).map(({ path, oldText, newText }, index) => (
        <div key={index} class="told-diff">
          <p class="quiet">{formatForReader(path)}</p>
          {oldText !== '' && (
            <div class="removed">
              <LongText
                rowKey={`${rowKey}-old-${index}`}
                text={signed('-', oldText)}
                from="beginning"
                isCode
              />
            </div>
          )}
          <div class="added">
            <LongText
              rowKey={`${rowKey}-new-${index}`}
              text={signed('+', newText)}
              from="beginning"
              isCode
            />
          </div>
        </div>
      ))}
      {output !== '' && <LongText rowKey={`${rowKey}-output`} text={output} from="end" isCode />}
      {runsOf(call).map((id) => (
        <Link key={id} class="button plain small" href={`/runs/${id}`}>
          Open the run
        </Link>
      ))}
      <WholeButton cut={cut} />
    </div>
  );
}
