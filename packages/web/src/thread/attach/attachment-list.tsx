/*
 * The files that go along with a message: how far each is, and what can be done about it.
 */
import { Icon } from '../../parts/icon.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { formatSize } from '../rows/long-text.tsx';
import type { Attachment, Attachments } from './attachments.ts';
import { whyNotYet } from './file-rules.ts';

export function AttachmentList({ attachments }: { readonly attachments: Attachments }) {
  const list = attachments.list.value;
  return (
    <div class="attachments">
      <ul aria-label="Files to send">
        {list.map((one) => (
          <AttachmentRow key={one.key} one={one} attachments={attachments} />
        ))}
      </ul>
      <p class="quiet" role="status">
        {whyNotYet(list) ?? (list.length === 1 ? 'The file is there.' : 'All files are there.')}
      </p>
    </div>
  );
}

function AttachmentRow({
  one,
  attachments,
}: {
  readonly one: Attachment;
  readonly attachments: Attachments;
}) {
  const { key, size, state, file, isLarge } = one;
  const name = formatForReader(one.name);
  const sent = 'offset' in state ? Math.min(1, state.offset / size) : 0;
  const isOpen = state.kind !== 'whole' && state.kind !== 'failed';
  return (
    <li class={state.kind === 'failed' ? 'bad' : undefined}>
      <div class="what">
        <p class="name">{name}</p>
        <p class="quiet">{state.kind === 'failed' ? state.reason : factsOf(one, sent)}</p>
        {isOpen && <progress value={sent} max={1} aria-label={`How much of ${name} is there`} />}
      </div>
      {isLarge && (
        <button
          type="button"
          class="button plain"
          aria-label={`Make smaller: ${name}`}
          onClick={() => void attachments.shrink(key)}
        >
          Make smaller
        </button>
      )}
      {state.kind === 'failed' && file !== undefined && (
        <button
          type="button"
          class="button plain"
          aria-label={`Retry: ${name}`}
          onClick={() => attachments.retry(key)}
        >
          Retry
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={`Remove ${name}`}
        onClick={() => attachments.remove(key)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function factsOf({ size, state, isHeldUp }: Attachment, sent: number): string {
  const of = formatSize(size);
  if (state.kind === 'whole') return of;
  return `${of} · ${isHeldUp ? 'waits for the gateway' : `${Math.floor(sent * 100)} %`}`;
}
