/*
 * A question of an agent, with the form that it asks to be filled in. Declining says no; dropping it says that nobody has answered.
 */
import { useState } from 'preact/hooks';
import { AskHead } from './ask-head.tsx';
import type { BarButton } from './armed-bar.tsx';
import { DecisionFrame } from './decision-frame.tsx';
import { ExactText } from './exact-text.tsx';
import { answerOfForm, firstValues, type FormValues, parseFormFields } from './form-fields.ts';
import type { AskedCardProps } from './permission-card.tsx';
import { QuestionForm } from './question-form.tsx';

export function QuestionCard({ ask, place, facts, machine, off, over }: AskedCardProps) {
  const schema = ask.params['requestedSchema'];
  const [fields] = useState(() => parseFormFields(schema));
  const [values, setValues] = useState<FormValues>(() => firstValues(schema));
  const [isDropping, setIsDropping] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const send = (): void => {
    const answer = answerOfForm(fields, values);
    if (answer.kind === 'problems') {
      setProblems(answer.problems);
      return;
    }
    setProblems({});
    machine.choose({ doing: 'Answering', body: { content: { ...answer.content } } });
  };
  const decline: BarButton = {
    word: 'Decline',
    leaning: 'denies',
    onTap: () => machine.choose({ doing: 'Declining', body: { action: 'decline' } }),
  };
  const drop: BarButton = {
    word: 'Drop it',
    leaning: 'denies',
    onTap: () => machine.choose({ doing: 'Dropping it', body: { action: 'cancel' } }),
  };
  const back: BarButton = { word: 'Back', onTap: () => setIsDropping(false) };
  return (
    <DecisionFrame
      place={place}
      name={`${ask.agent} has a question`}
      about={ask.digest}
      layer={isDropping ? 'dropping' : 'main'}
      left={isDropping ? drop : decline}
      right={
        isDropping ? back : { word: 'Send answer', leaning: 'allows', isMain: true, onTap: send }
      }
      machine={machine}
      off={off}
      over={over}
    >
      {({ start, end }) => (
        <>
          <AskHead ask={ask} says="asks" />
          <ExactText text={facts.exact} start={start} end={end} />
          {over === undefined && (
            <QuestionForm
              fields={fields}
              values={values}
              problems={problems}
              onValue={(name, value) => setValues((known) => ({ ...known, [name]: value }))}
            />
          )}
          {isDropping && (
            <p>The agent is told that its question was dropped, neither answered nor declined.</p>
          )}
          {over === undefined && !isDropping && (
            <div class="more-ways">
              <button type="button" class="button plain" onClick={() => setIsDropping(true)}>
                Drop the question…
              </button>
            </div>
          )}
        </>
      )}
    </DecisionFrame>
  );
}
