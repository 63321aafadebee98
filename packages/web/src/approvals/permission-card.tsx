/*
 * A permission: allow once and deny in the bar; whatever else the agent offers, such as allowing for ever, is one step further.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { makeVisible } from '@clawdfather/kit';
import type { AskChoice } from '../parts/ask-card.tsx';
import type { AskFacts } from './ask-facts.ts';
import { AskHead } from './ask-head.tsx';
import {
  type AskOption,
  leaningOf,
  saysTheSame,
  sortOptions,
  wordOfOption,
} from './ask-options.ts';
import type { BarButton } from './armed-bar.tsx';
import { DecisionFrame, type DecisionPlace, type ReadingMarks } from './decision-frame.tsx';
import { ExactText } from './exact-text.tsx';
import type { Ask } from '../text/thread-words.ts';
import type { DecisionMachine } from './use-decision.ts';
import type { Obstacle } from './use-may-decide.ts';

export interface AskedCardProps {
  readonly ask: Ask;
  readonly place: DecisionPlace;
  readonly facts: AskFacts;
  readonly machine: DecisionMachine<AskChoice>;
  readonly off: Obstacle | undefined;
  readonly over: ComponentChildren;
}

export function PermissionCard({ ask, place, facts, machine, off, over }: AskedCardProps) {
  const { allow, deny, others } = sortOptions(ask.options);
  const [isFurther, setIsFurther] = useState(false);
  const [chosen, setChosen] = useState<AskOption | undefined>(undefined);
  const take = (option: AskOption): BarButton => ({
    word: wordOfOption(option),
    called: calledOf(option),
    leaning: leaningOf(option),
    isMain: leaningOf(option) === 'allows',
    onTap: () => {
      const doing = leaningOf(option) === 'allows' ? 'Allowing' : 'Denying';
      machine.choose({ doing, body: { option_id: option.option_id } });
    },
  });
  const back: BarButton = {
    word: 'Back',
    onTap: () => {
      setIsFurther(false);
      setChosen(undefined);
    },
  };
  const [left, right] = isFurther
    ? further()
    : [deny === undefined ? cancel() : take(deny), allow && take(allow)];
  function further(): readonly [BarButton, BarButton | undefined] {
    if (chosen === undefined) return [back, undefined];
    return leaningOf(chosen) === 'denies' ? [take(chosen), back] : [back, take(chosen)];
  }
  /* An agent that offers no way to say no is told that its question was dropped. */
  function cancel(): BarButton {
    const onTap = (): void => machine.choose({ doing: 'Denying', body: { action: 'cancel' } });
    return { word: 'Deny', leaning: 'denies', onTap };
  }
  return (
    <DecisionFrame
      place={place}
      name={`${ask.agent} asks for a permission`}
      about={ask.digest}
      layer={isFurther ? `further ${chosen?.option_id ?? ''}` : 'main'}
      left={left}
      right={right}
      machine={machine}
      off={off}
      over={over}
    >
      {(marks) => (
        <>
          <AskHead ask={ask} says="asks to" />
          <Exact facts={facts} marks={marks} />
          {over === undefined && others.length > 0 && !isFurther && (
            <div class="more-ways">
              <button type="button" class="button plain" onClick={() => setIsFurther(true)}>
                Other answers…
              </button>
            </div>
          )}
          {isFurther && <Others others={others} chosen={chosen} onChosen={setChosen} />}
        </>
      )}
    </DecisionFrame>
  );
}

function Exact({
  facts: { exact, parts },
  marks: { start, end },
}: {
  readonly facts: AskFacts;
  readonly marks: ReadingMarks;
}) {
  return (
    <>
      <ExactText text={exact} start={start} end={parts.length === 0 ? end : undefined} />
      {parts.map(({ name, text }, index) => (
        <div key={index} class="given">
          <h3>{name}</h3>
          <ExactText text={text} end={index === parts.length - 1 ? end : undefined} />
        </div>
      ))}
    </>
  );
}

function Others({
  others,
  chosen,
  onChosen,
}: {
  readonly others: readonly AskOption[];
  readonly chosen: AskOption | undefined;
  readonly onChosen: (option: AskOption) => void;
}) {
  return (
    <fieldset class="others">
      <legend>Other answers. What “always” covers, the agent itself decides.</legend>
      {others.map((option) => (
        <label key={option.option_id} class="yes-no">
          <input
            type="radio"
            name="other-answer"
            checked={option === chosen}
            onChange={() => onChosen(option)}
          />
          <span>
            {wordOfOption(option)}
            <small>{calledOf(option)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function calledOf(option: AskOption): string | undefined {
  const called = makeVisible(option.name);
  return called === '' || saysTheSame(option) ? undefined : called;
}
