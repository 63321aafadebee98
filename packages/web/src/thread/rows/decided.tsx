/*
 * What was decided and by whom, in a line of a conversation: a device by its name.
 */
import { useContext } from 'preact/hooks';
import { type AppParts, useApp } from '../../app-context.ts';
import { createDeviceNames, type DeviceNames } from '../../approvals/use-who.ts';
import { wordOfAnswer } from '../../approvals/answer-words.ts';
import { formatForReader } from '../../text/reader-text.ts';
import { type Facts, isFacts, wordOf } from '../facts.ts';
import { ThreadContext, type ThreadParts } from '../thread-context.ts';

/*
 * For each thread that is open, by who decided in it: of many lines the first asks. Each of them anew, since a device that is not among
 * the names may have come after they were asked for.
 */
const asked = new WeakMap<ThreadParts, Map<string, DeviceNames>>();

export function Decided({ payload }: { readonly payload: Facts }) {
  const app = useApp();
  const thread = useContext(ThreadContext);
  const { state, actor } = payload;
  const word = wordOf(state) ?? '';
  const outcome = word === 'answered' ? answerText(payload) : (ends[word] ?? word);
  const by = wordOf(actor);
  return (
    <>
      {` ${formatForReader(outcome)}`}
      {by !== undefined && ` by ${formatForReader(namesFor(app, thread, by).who(by))}`}
    </>
  );
}

const ends: Readonly<Record<string, string>> = {
  withdrawn: 'taken back by the agent',
  void: 'no longer asked',
};

/* Of an event from before the kind was in it, the option's id is all that is known. */
function answerText({ answer, answerKind }: Facts): string {
  if (answerKind !== undefined) return wordOfAnswer(answerKind).word;
  if (!isFacts(answer)) return wordOfAnswer(answer).word;
  const id = wordOf(answer['optionId']);
  return id === undefined ? wordOfAnswer(answer['kind']).word : `answered: ${id}`;
}

function namesFor(app: AppParts, thread: ThreadParts, actor: string): DeviceNames {
  const ofThread = asked.get(thread) ?? new Map<string, DeviceNames>();
  asked.set(thread, ofThread);
  const known = ofThread.get(actor);
  if (known !== undefined) return known;
  const names = createDeviceNames(app);
  ofThread.set(actor, names);
  if (actor.startsWith('device:')) void names.refresh();
  return names;
}
