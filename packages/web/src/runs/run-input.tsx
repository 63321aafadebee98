/*
 * Typing into a run. Text is written here and sent whole, with Enter as a part of it or alone; keys that a phone does not have stand in a row.
 *
 * What is typed while something is being sent follows it in order (typing-queue.ts). Nothing of it is kept for later: what cannot be sent now stays in the field. On pipes each piece has its place in the input, so a second
 * attempt after a lost answer is not read twice.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type Act, useAct } from '../data/use-act.ts';
import { ActNote } from '../parts/act-note.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Run } from '../text/run-words.ts';
import { createPipedInput, withoutLate } from './piped-input.ts';
import { createTypingQueue } from './typing-queue.ts';

/* What is said begins with what is shown, where that can be spoken: people who speak to their phone say what they see. */
const terminalKeys: readonly (readonly [key: string, shown: string, says: string])[] = [
  ['Enter', '⏎', 'Enter'],
  ['Escape', 'Esc', 'Esc'],
  ['C-c', '^C', 'Control C'],
  ['C-d', '^D', 'Control D'],
  ['Tab', 'Tab', 'Tab'],
  ['Up', '↑', 'Up'],
  ['Down', '↓', 'Down'],
  ['Left', '←', 'Left'],
  ['Right', '→', 'Right'],
  ['BTab', '⇧Tab', 'Shift Tab'],
  ['C-z', '^Z', 'Control Z'],
  ['C-r', '^R', 'Control R'],
  ['PgUp', 'PgUp', 'PgUp: page up'],
  ['PgDn', 'PgDn', 'PgDn: page down'],
  ['Home', 'Home', 'Home'],
  ['End', 'End', 'End'],
  ['BSpace', '⌫', 'Backspace'],
];

interface Typing {
  readonly act: Act;
  readonly told: string | undefined;
  /* What was given up and had arrived all the same. */
  readonly late: string | undefined;
  readonly text: (words: string, withEnter: boolean) => Promise<boolean>;
  readonly key: (name: string) => Promise<boolean>;
  readonly signal: (name: string) => Promise<boolean>;
  readonly endInput: () => Promise<boolean>;
}

export function RunInput({ run }: { readonly run: Run }) {
  const typing = useTyping(run);
  const isAway = typing.act.whyOff !== undefined;
  return (
    <div class="run-input">
      <ActNote act={typing.act} />
      {typing.told !== undefined && <p role="status">{typing.told}</p>}
      {/* Keys that are off take no focus, and what they say may be wider than the screen. */}
      <div class="key-row" role="toolbar" aria-label="Keys" tabIndex={isAway ? 0 : undefined}>
        {run.pty ? (
          terminalKeys.map(([key, shown, says]) => (
            <KeyButton
              key={key}
              says={says}
              shown={shown}
              isOff={isAway}
              onPress={() => typing.key(key)}
            />
          ))
        ) : (
          <>
            <KeyButton
              shown="⏎"
              says="Enter"
              isOff={isAway}
              onPress={() => typing.text('', true)}
            />
            <KeyButton
              shown="^C"
              says="^C: interrupt it"
              isOff={isAway}
              onPress={() => typing.signal('SIGINT')}
            />
            <KeyButton shown="End of input" isOff={isAway} onPress={() => typing.endInput()} />
          </>
        )}
      </div>
      <ComposeLine isOff={isAway} late={typing.late} onSend={typing.text} />
    </div>
  );
}

function KeyButton({
  shown,
  says,
  isOff,
  onPress,
}: {
  readonly shown: string;
  readonly says?: string;
  readonly isOff: boolean;
  readonly onPress: () => Promise<boolean>;
}) {
  return (
    <button
      type="button"
      class="key"
      aria-label={says ?? shown}
      disabled={isOff}
      // The keyboard stays open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => void onPress()}
    >
      {shown}
    </button>
  );
}

function ComposeLine({
  isOff,
  late,
  onSend,
}: {
  readonly isOff: boolean;
  readonly late: string | undefined;
  readonly onSend: Typing['text'];
}) {
  const [words, setWords] = useState('');
  const [withEnter, setWithEnter] = useState(true);
  const [isSending, setIsSending] = useState(false);
  const send = async (): Promise<void> => {
    if (words === '' || isSending) return;
    setIsSending(true);
    // Emptied at once: what is typed while it is sent follows it.
    setWords('');
    if (!(await onSend(words, withEnter))) {
      setWords((typed) => (typed === '' ? words : `${words}${withEnter ? '\n' : ''}${typed}`));
    }
    setIsSending(false);
  };
  useEffect(() => {
    if (late !== undefined) setWords((now) => withoutLate(now, late));
  }, [late]);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        value={words}
        rows={1}
        aria-label="Input for the program"
        placeholder="Type for the program"
        autocapitalize="off"
        autocorrect="off"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <button
        type="button"
        class="key"
        aria-pressed={withEnter}
        aria-label="Enter after the text"
        onClick={() => setWithEnter(!withEnter)}
      >
        {withEnter ? '+⏎' : 'no ⏎'}
      </button>
      <button
        type="submit"
        class="icon-button send"
        aria-label="Send"
        disabled={words === '' || isOff || isSending}
      >
        <Icon name="send" />
      </button>
    </form>
  );
}

const arrived = 'What you sent has arrived.';
const notRead = 'The program does not read. What you sent is kept for it.';

function useTyping(run: Run): Typing {
  const { client } = useApp();
  const act = useAct();
  const [told, setTold] = useState<string | undefined>(undefined);
  const params = { id: run.runId };
  const piped = useMemo(
    () => createPipedInput(client, run.runId, run.inputOffset),
    [client, run.runId],
  );
  const state = piped.state.value;
  const late = state.kind === 'sure' ? state.late : undefined;
  // Each time: what was read while a piece was being sent is looked at when there is no answer.
  useEffect(() => piped.told(run.inputOffset));
  useEffect(() => {
    if (late === undefined) return;
    act.forget();
    setTold(arrived);
  }, [late]);
  const give = async (data: string, isEof: boolean): Promise<void> => {
    setTold((await piped.give(data, isEof)) ? undefined : notRead);
  };
  const sendKeys = (keys: readonly string[]): Promise<unknown> =>
    client.runs.keys({ params, body: { keys: [...keys] } });
  const latest = useRef({ run: act.run, sendKeys });
  latest.current = { run: act.run, sendKeys };
  const queue = useMemo(
    () =>
      createTypingQueue({
        run: (send) => latest.current.run(send),
        sendKeys: (keys) => latest.current.sendKeys(keys),
      }),
    [run.runId],
  );
  const isAway = act.whyOff !== undefined;
  // What was tapped before the gateway was away is not meant for after it; nor for another run.
  useEffect(() => {
    if (isAway) queue.drop();
    return () => queue.drop();
  }, [queue, isAway]);
  return {
    act,
    told,
    late,
    text: (words, withEnter) =>
      queue.work(async () => {
        if (!run.pty) return give(withEnter ? `${words}\n` : words, false);
        setTold(undefined);
        await client.runs.keys({ params, body: { paste: words } });
        if (withEnter) await sendKeys(['Enter']);
      }),
    key: (name) => queue.key(name),
    signal: (name) => queue.work(() => client.runs.signal({ params, body: { signal: name } })),
    endInput: () => queue.work(() => give('', true)),
  };
}
