/*
 * Whether a conversation is stored as its agents said it: the gateway compares it with what it has of their output.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { useAct } from '../../data/use-act.ts';
import { ActNote } from '../../parts/act-note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { type VerifyLine, verifyLines } from './verify-words.ts';

export function VerifySheet({
  threadId,
  onClose,
}: {
  readonly threadId: string;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const act = useAct();
  const [lines, setLines] = useState<readonly VerifyLine[] | undefined>(undefined);
  const look = async (): Promise<void> => {
    await act.run(async () => {
      setLines(verifyLines(await client.history.verify({ params: { id: threadId } })));
    });
  };
  useEffect(() => void look(), [threadId]);
  return (
    <Sheet title="Compared with the journals" onClose={onClose}>
      {act.isBusy && (
        <p class="working" role="status">
          <span class="spinner" />
          What the agents wrote is read again
        </p>
      )}
      <ul class="verified">
        {lines?.map(({ text, mood }, index) => (
          <li key={index} class={mood}>
            {text}
          </li>
        ))}
      </ul>
      <ActNote act={act} onRetry={() => void look()} />
    </Sheet>
  );
}
