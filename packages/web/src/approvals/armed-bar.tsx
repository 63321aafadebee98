/*
 * Buttons that take a tap only when they are armed (next-arming.ts), and above them, why they do not.
 */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type { Leaning } from './next-arming.ts';
import type { ArmedButtons } from './use-arming.ts';
import type { Obstacle } from './use-may-decide.ts';

export interface BarButton {
  readonly word: string;
  /* What the agent itself calls it, where that is something else. */
  readonly called?: string | undefined;
  /* Absent: it decides nothing, so it always works. */
  readonly leaning?: Leaning;
  readonly isMain?: boolean;
  readonly onTap: () => void;
}

export interface ArmedBarProps {
  /* Its class: how they stand. */
  readonly name: 'decision-bar' | 'sheet-answers';
  readonly bar: RefObject<HTMLDivElement>;
  readonly ways: readonly (BarButton | undefined)[];
  readonly armed: ArmedButtons;
  /* Why nothing can be decided now. */
  readonly off: Obstacle | undefined;
}

export function ArmedBar({ name, bar, ways, armed, off }: ArmedBarProps) {
  /* A tap that came before the buttons were ready for it. */
  const [tooEarly, setTooEarly] = useState(false);
  const needsReading = !armed.isRead && ways.some((way) => way?.leaning === 'allows');
  const isOffTold = off !== undefined && (!off.isBrief || tooEarly);
  const why = isOffTold
    ? off.why
    : armed.isInView
      ? needsReading
        ? 'Read to the end to allow it.'
        : tooEarly
          ? 'It had just moved. Tap again.'
          : undefined
      : 'Scroll until both buttons show.';
  const onEarly = (): void => setTooEarly(true);
  return (
    <>
      <p class="why-off" role="status">
        {why}
      </p>
      <div key="bar" class={name} ref={bar}>
        {ways.map((way, at) =>
          way === undefined ? (
            <span key={at} />
          ) : (
            <Way key={at} way={way} armed={armed} isOff={off !== undefined} onEarly={onEarly} />
          ),
        )}
      </div>
    </>
  );
}

function Way({
  way: { word, called, leaning, isMain, onTap },
  armed,
  isOff,
  onEarly,
}: {
  readonly way: BarButton;
  readonly armed: ArmedButtons;
  readonly isOff: boolean;
  readonly onEarly: () => void;
}) {
  const isReady =
    leaning === undefined || (!isOff && armed.isArmed && (leaning === 'denies' || armed.isRead));
  return (
    <button
      type="button"
      class={isMain === true ? 'button main' : 'button'}
      // Not `disabled`: a button that becomes one loses the focus, and says nothing to those who listen.
      aria-disabled={!isReady}
      onClick={(event) => {
        const isTaken = leaning === undefined || armed.takes(event, leaning);
        if (isReady && isTaken) onTap();
        else onEarly();
      }}
    >
      <span>
        {word}
        {called !== undefined && <small>{called}</small>}
      </span>
    </button>
  );
}
