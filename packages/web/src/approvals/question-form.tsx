/*
 * The fields of a question, with native inputs.
 */
import type { FormField, FormValue, FormValues } from './form-fields.ts';

export interface QuestionFormProps {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly problems: Readonly<Record<string, string>>;
  readonly onValue: (name: string, value: FormValue) => void;
}

export function QuestionForm({ fields, values, problems, onValue }: QuestionFormProps) {
  return (
    <form class="question-form" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => (
        <div key={field.name} class="field">
          <FieldInput
            field={field}
            value={values[field.name]}
            problem={problems[field.name]}
            onValue={(value) => onValue(field.name, value)}
          />
          {field.description !== undefined && <p class="quiet">{field.description}</p>}
          {problems[field.name] !== undefined && (
            <p class="field-problem" id={`problem-${field.name}`} role="alert">
              {problems[field.name]}
            </p>
          )}
        </div>
      ))}
    </form>
  );
}

interface FieldInputProps {
  readonly field: FormField;
  readonly value: FormValue;
  readonly problem: string | undefined;
  readonly onValue: (value: FormValue) => void;
}

function FieldInput({ field, value, problem, onValue }: FieldInputProps) {
  const title = field.isRequired ? field.title : `${field.title} (optional)`;
  const told = {
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `problem-${field.name}`,
    'aria-required': field.isRequired,
  };
  switch (field.kind) {
    case 'yes-no':
      return (
        <label class="yes-no">
          <input
            type="checkbox"
            checked={value === true}
            onChange={({ currentTarget }) => onValue(currentTarget.checked)}
          />
          <span>{field.title}</span>
        </label>
      );
    case 'choice':
    case 'choices':
      return <Choices field={field} title={title} value={value} onValue={onValue} />;
    case 'unknown':
      return <span>{title}: the app does not know this kind of field.</span>;
    default:
      return (
        <label class="field">
          <span>{title}</span>
          <input
            {...told}
            type={field.kind === 'number' ? 'text' : inputTypeOf(field.format)}
            inputMode={
              field.kind === 'number' ? (field.isWhole ? 'numeric' : 'decimal') : undefined
            }
            value={typeof value === 'string' ? value : ''}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
        </label>
      );
  }
}

function Choices({
  field,
  title,
  value,
  onValue,
}: Omit<FieldInputProps, 'problem'> & { readonly title: string }) {
  if (field.kind !== 'choice' && field.kind !== 'choices') return null;
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const isOne = field.kind === 'choice';
  return (
    <fieldset>
      <legend>{title}</legend>
      {field.choices.map(({ value: offered, name }) => (
        <label key={offered} class="yes-no">
          <input
            type={isOne ? 'radio' : 'checkbox'}
            name={field.name}
            checked={isOne ? value === offered : chosen.includes(offered)}
            onChange={() => {
              if (isOne) onValue(offered);
              else if (chosen.includes(offered)) onValue(chosen.filter((one) => one !== offered));
              else onValue([...chosen, offered]);
            }}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

/* What a keyboard is chosen by. The text itself is not changed, except that a moment gets its zone (date-time-field.ts). */
function inputTypeOf(format: string | undefined): string {
  if (format === 'email') return 'email';
  if (format === 'uri') return 'url';
  if (format === 'date') return 'date';
  return format === 'date-time' ? 'datetime-local' : 'text';
}
