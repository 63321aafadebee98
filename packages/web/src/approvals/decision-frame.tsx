/*
 * A decision wherever it stands: in a conversation (`inline`), or as a whole screen of its own (`whole`). What is decided is above, the
 * buttons are at the bottom, what denies left and what allows right; they take a tap only when they are armed (next-arming.ts).
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ArmedBar, type BarButton } from './armed-bar.tsx';
import type { DecisionNote } from './next-decision.ts';
import { type ArmedButtons, useArming } from './use-arming.ts';
import type { DecisionMachine } from './use-decision.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useKeptHeight } from './use-kept-height.ts';
import type { Obstacle } from './use-may-decide.ts';

export type DecisionPlace = 'inline' | 'whole';

/* Stand at the beginning and at the end of what is decided. */
export interface ReadingMarks {
  readonly start: RefObject<HTMLElement>;
  readonly end: RefObject<HTMLElement>;
}

export interface DecisionFrameProps {
  readonly place: DecisionPlace;
  readonly name: string;
  /* The digest of what is decided. */
  readonly about: string;
  readonly layer: string;
  readonly left: BarButton | undefined;
  readonly right: BarButton | undefined;
  readonly machine: Pick<DecisionMachine<{ readonly doing: string }>, 'state' | 'takeBack'>;
  /* Why nothing can be decided now. */
  readonly off: Obstacle | undefined;
  /* It is over: said in place of the buttons. */
  readonly over: ComponentChildren;
  readonly children: (marks: ReadingMarks) => ComponentChildren;
}

export function DecisionFrame(props: DecisionFrameProps) {
  const { place, name, about, layer, over, machine, children } = props;
  const { clock } = useApp();
  const card = useRef<HTMLElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const held = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const start = useRef<HTMLElement>(null);
  const end = useRef<HTMLElement>(null);
  const armed = useArming(
    clock,
    { card, bar, start, end },
    {
      about,
      // After Undo the buttons come back, and begin anew.
      layer: `${layer} ${machine.state.kind}`,
    },
  );
  // The first: to give something the focus lays the page out, and a list that is shorter for a moment loses its place.
  useKeptHeight(foot, over === undefined && machine.state.kind !== 'open');
  useKeptFocus({ card, bar, held });
  return (
    <section class={`decision ${place}`} ref={card} aria-label={name}>
      <div class="decision-body">{children({ start, end })}</div>
      <div class="decision-foot" ref={foot}>
        {machine.state.kind === 'open' &&
          machine.state.note !== undefined &&
          over === undefined && <Note note={machine.state.note} />}
        {over ?? <Bar {...props} bar={bar} held={held} armed={armed} />}
      </div>
    </section>
  );
}

function Bar({
  bar,
  held,
  armed,
  left,
  right,
  machine,
  off,
}: DecisionFrameProps & {
  readonly bar: RefObject<HTMLDivElement>;
  readonly held: RefObject<HTMLDivElement>;
  readonly armed: ArmedButtons;
}) {
  const { state } = machine;
  if (state.kind === 'holding' || state.kind === 'sending' || state.kind === 'answered') {
    return (
      <div key="held" class="held" role="status" ref={held}>
        <span>{state.kind === 'answered' ? 'Done' : `${state.choice.doing}…`}</span>
        {state.kind === 'holding' && (
          <button
            type="button"
            class="button"
            onClick={() => machine.takeBack()}
            onKeyDown={(event) => {
              // The key that has decided is still held down.
              if (event.repeat) event.preventDefault();
            }}
          >
            Undo
          </button>
        )}
      </div>
    );
  }
  return <ArmedBar name="decision-bar" bar={bar} ways={[left, right]} armed={armed} off={off} />;
}

function Note({ note }: { readonly note: DecisionNote }) {
  if (note.kind === 'refused') return <ProblemView problem={note.problem} />;
  const words = {
    'taken-back': 'Taken back. Nothing was sent.',
    left: 'You left before it was sent. Nothing was decided.',
    'cut-off': 'The connection was lost. Nothing was decided.',
  };
  return (
    <p class="quiet" role="status">
      {words[note.kind]}
    </p>
  );
}
