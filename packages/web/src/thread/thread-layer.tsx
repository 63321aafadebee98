/*
 * What lies over a thread when it is asked for: all of an event, what can be done with a block, and what holds the places.
 */
import type { RefObject } from 'preact';
import { lazy } from 'preact/compat';
import type { ComposerHand } from './composer/composer.tsx';
import { BlockMenu } from './rows/block-menu.tsx';
import { keyOf } from './rows/make-rows.ts';
import type { Layer } from './thread-context.ts';
import type { useThread } from './use-thread.ts';
import { WholeEvent } from './whole-event.tsx';

const HeldPlacesSheet = lazy(
  async () => (await import('../parts/held-places.tsx')).HeldPlacesSheet,
);

export interface ThreadLayerProps {
  readonly layer: Layer;
  readonly threadId: string;
  readonly thread: ReturnType<typeof useThread>;
  readonly composer: RefObject<ComposerHand>;
  readonly onClose: () => void;
}

export function ThreadLayer({ layer, threadId, thread, composer, onClose }: ThreadLayerProps) {
  if (layer.kind === 'held') return <HeldPlacesSheet kind={layer.held} onClose={onClose} />;
  if (layer.kind === 'whole') {
    return <WholeEvent key={layer.seq} threadId={threadId} seq={layer.seq} onClose={onClose} />;
  }
  const block = thread.conversation.blocks.value?.find((one) => keyOf(one) === layer.key);
  if (block === undefined) return null;
  const quote = (text: string): void => {
    composer.current?.focus();
    void composer.current?.add(text);
  };
  const isArchived = thread.known?.thread.status === 'archived';
  return <BlockMenu block={block} onQuote={isArchived ? undefined : quote} onClose={onClose} />;
}
