/*
 * Opens what the system has for choosing files: on a phone also the camera. And, once there are any, the list of them.
 */
import { lazy, Suspense } from 'preact/compat';
import { useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import type { Attached } from './use-attachments.ts';

const AttachmentList = lazy(async () => (await import('./attachment-list.tsx')).AttachmentList);

export function AttachButton({ attached }: { readonly attached: Attached }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          attached.add([...(currentTarget.files ?? [])]);
          // The same file once more is a change, too.
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class="icon-button"
        aria-label="Attach"
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}

export function AttachedFiles({ attached }: { readonly attached: Attached }) {
  const { open, list, refusal } = attached;
  return (
    <>
      {refusal !== undefined && (
        <p class="attach-refusal" role="alert">
          {refusal}
        </p>
      )}
      {open !== undefined && list.length > 0 && (
        <Suspense fallback={null}>
          <AttachmentList attachments={open} />
        </Suspense>
      )}
    </>
  );
}
