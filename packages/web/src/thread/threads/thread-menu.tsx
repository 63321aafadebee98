/*
 * What can be done with a conversation as a whole: from the list, and from its head.
 */
import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { useAct } from '../../data/use-act.ts';
import { TextField, typedIn } from '../../parts/fields.tsx';
import { FormSheet } from '../../parts/form-sheet.tsx';
import { ActNote } from '../../parts/act-note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { type Thread, titleOfThread } from '../../text/thread-words.ts';
import { ChoicesSheet } from '../choices/choices-sheet.tsx';

const VerifySheet = lazy(async () => (await import('./verify-sheet.tsx')).VerifySheet);

export interface ThreadMenuProps {
  readonly thread: Thread;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function ThreadMenu({ thread, onChanged, onClose }: ThreadMenuProps) {
  const { client } = useApp();
  const atGateway = useAct();
  const [isNaming, setIsNaming] = useState(false);
  const [isChoosing, setIsChoosing] = useState(false);
  const [isVerifying, setIsVerifying] = useState(false);
  const params = { id: thread.id };
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    if (!(await atGateway.run(work))) return;
    onChanged();
    onClose();
  };
  const isPinned = typeof thread.pinned_at === 'string';
  if (isChoosing) return <ChoicesSheet thread={thread} onChanged={onChanged} onClose={onClose} />;
  if (isNaming) return <RenameSheet thread={thread} onChanged={onChanged} onClose={onClose} />;
  if (isVerifying) {
    return (
      <Suspense fallback={null}>
        <VerifySheet threadId={thread.id} onClose={onClose} />
      </Suspense>
    );
  }
  return (
    <Sheet title={titleOfThread(thread)} onClose={onClose}>
      <button
        type="button"
        class="button wide"
        disabled={atGateway.isOff}
        onClick={() =>
          void act(() => client.threads.edit({ params, body: { is_pinned: !isPinned } }))
        }
      >
        {isPinned ? 'Unpin' : 'Pin to the top'}
      </button>
      <button type="button" class="button wide" onClick={() => setIsNaming(true)}>
        Rename…
      </button>
      {thread.status !== 'archived' && (
        <button type="button" class="button wide" onClick={() => setIsChoosing(true)}>
          Mode and model…
        </button>
      )}
      {thread.seen_seq < thread.last_seq && (
        <button
          type="button"
          class="button wide"
          disabled={atGateway.isOff}
          onClick={() =>
            void act(() => client.seen.mark({ params, body: { seq: thread.last_seq } }))
          }
        >
          Mark as read
        </button>
      )}
      <button type="button" class="button wide" onClick={() => setIsVerifying(true)}>
        Compare with the journals…
      </button>
      <ActNote act={atGateway} />
      <PutAway thread={thread} isOff={atGateway.isOff} act={act} />
    </Sheet>
  );
}

function RenameSheet({ thread, onChanged, onClose }: ThreadMenuProps) {
  const { client } = useApp();
  return (
    <FormSheet
      title="Rename it"
      does="Save"
      onDo={async (form) => {
        const title = typedIn(form, 'title') ?? thread.title;
        await client.threads.edit({ params: { id: thread.id }, body: { title } });
        onChanged();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        name="title"
        says="Name"
        value={thread.title}
        isNeeded
        charactersMax={64}
        hint="What you call it, on all your devices."
      />
    </FormSheet>
  );
}

function PutAway({
  thread: { id, status },
  isOff,
  act,
}: {
  readonly thread: Thread;
  readonly isOff: boolean;
  readonly act: (work: () => Promise<unknown>) => Promise<void>;
}) {
  const { client } = useApp();
  const params = { id };
  if (status === 'archived') {
    return (
      <button
        type="button"
        class="button wide"
        disabled={isOff}
        onClick={() => void act(() => client.threads.unarchive({ params }))}
      >
        Unarchive
      </button>
    );
  }
  const canArchive = status === 'ready';
  return (
    <>
      <button
        type="button"
        class="button wide danger"
        disabled={!canArchive || isOff}
        onClick={() => void act(() => client.threads.archive({ params }))}
      >
        Archive
      </button>
      <p class="quiet">
        {canArchive
          ? 'Its agent ends. It can still be read, and be taken back.'
          : 'It can be archived when nothing in it runs or waits.'}
      </p>
    </>
  );
}
