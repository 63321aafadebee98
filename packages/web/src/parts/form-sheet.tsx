/*
 * A sheet with a form: its fields, what was wrong with them, and one button. What was typed stays when it is refused.
 */
import type { ComponentChildren } from 'preact';
import { useAct } from '../data/use-act.ts';
import { ActNote } from './act-note.tsx';
import { Sheet } from './sheet.tsx';

export interface FormSheetProps {
  readonly title: string;
  /* What is said on the button that does it. */
  readonly does: string;
  readonly onDo: (form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function FormSheet({ title, does, onDo, onClose, children }: FormSheetProps) {
  const act = useAct();
  return (
    <Sheet title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void act.run(() => onDo(form));
        }}
      >
        {children}
        <ActNote act={act} />
        <button type="submit" class="button main" disabled={act.isOff}>
          {does}
        </button>
      </form>
    </Sheet>
  );
}
