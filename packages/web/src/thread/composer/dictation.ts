/*
 * Speech to text by the browser, where it really works. In an installed app on iOS it is there and does nothing, so it is not offered;
 * elsewhere it is given up after a while without a sign of life.
 */
import type { Clock } from '@clawdfather/kit';

interface Recognition extends EventTarget {
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

type RecognitionClass = new () => Recognition;

interface SpeechPage {
  readonly SpeechRecognition?: RecognitionClass;
  readonly webkitSpeechRecognition?: RecognitionClass;
  readonly navigator: object;
}

export interface Dictation {
  /* What was said last still comes. */
  stop(): void;
  /* Nothing comes any more. */
  abort(): void;
}

export interface DictationDeps {
  readonly clock: Pick<Clock, 'timer'>;
  /* All that was understood so far; the end of it may still change. */
  readonly onText: (text: string) => void;
  /* `dead`: nothing came of it; do not offer it again. */
  readonly onEnd: (how: 'done' | 'dead') => void;
}

/* Longer without a sign of life means that there is none. */
const silentMs = 2_500;

export function canDictate(page: SpeechPage): boolean {
  const { standalone } = page.navigator as { readonly standalone?: boolean };
  return classOf(page) !== undefined && standalone !== true;
}

function classOf(page: SpeechPage): RecognitionClass | undefined {
  return page.SpeechRecognition ?? page.webkitSpeechRecognition;
}

export function openDictation(page: SpeechPage, deps: DictationDeps): Dictation | undefined {
  const Speech = classOf(page);
  if (Speech === undefined) return undefined;
  const speech = new Speech();
  let isAlive = false;
  let isOver = false;
  const end = (how: 'done' | 'dead'): void => {
    if (isOver) return;
    isOver = true;
    timer.cancel();
    deps.onEnd(how);
  };
  const timer = deps.clock.timer(silentMs, () => {
    if (isAlive) return;
    end('dead');
    speech.abort();
  });
  speech.continuous = true;
  speech.interimResults = true;
  const live = (): void => {
    isAlive = true;
  };
  for (const name of ['start', 'audiostart', 'speechstart']) speech.addEventListener(name, live);
  speech.addEventListener('result', (event) => {
    if (isOver) return;
    live();
    deps.onText(textOfResults(event));
  });
  speech.addEventListener('error', () => end(isAlive ? 'done' : 'dead'));
  speech.addEventListener('end', () => end('done'));
  speech.start();
  return {
    stop: () => speech.stop(),
    abort: () => {
      end('done');
      speech.abort();
    },
  };
}

type Results = ArrayLike<ArrayLike<{ readonly transcript: string }>>;

function textOfResults(event: Event): string {
  const { results } = event as Event & { readonly results: Results };
  return Array.from(results, (said) => said[0]?.transcript ?? '').join('');
}
