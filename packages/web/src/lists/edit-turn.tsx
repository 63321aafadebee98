/*
 * What a turn that waits asks for, changed before it begins: its words, its class, and from when on it may begin.
 */
import { toLocalField } from '../approvals/date-time-field.ts';
import { useApp } from '../app-context.ts';
import { ChoiceField, TextField, typedIn } from '../parts/fields.tsx';
import { FormSheet } from '../parts/form-sheet.tsx';

export interface EditTurnProps {
  readonly turnId: string;
  readonly notBefore: string | null;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

const classes = ['short_task', 'long_task', 'complex_chain_task'] as const;
const classWords = [
  ['', 'As it is'],
  ['short_task', 'Short'],
  ['long_task', 'Long'],
  ['complex_chain_task', 'Many steps'],
] as const;

export function EditTurn({ turnId, notBefore, onDone, onClose }: EditTurnProps) {
  const { client } = useApp();
  const params = { id: turnId };
  const save = async (form: FormData): Promise<void> => {
    const text = typedIn(form, 'text');
    const loadClass = classes.find((each) => each === typedIn(form, 'class'));
    const from = typedIn(form, 'from');
    await client.queue.edit({
      params,
      body: {
        ...(text === undefined ? {} : { text }),
        ...(loadClass === undefined ? {} : { load_class: loadClass }),
        not_before: from === undefined ? null : new Date(from).toISOString(),
      },
    });
    await onDone();
    onClose();
  };
  return (
    <FormSheet title="Edit what waits" does="Save" onDo={save} onClose={onClose}>
      <TextField name="text" says="What to say instead" rows={5} hint="Empty: it stays as it is." />
      <ChoiceField name="class" says="Kind of work" options={classWords} value="" />
      <label class="field">
        <span>Not before (empty: as soon as there is room)</span>
        <input
          type="datetime-local"
          name="from"
          defaultValue={notBefore === null ? '' : toLocalField(notBefore).slice(0, 16)}
        />
      </label>
    </FormSheet>
  );
}
