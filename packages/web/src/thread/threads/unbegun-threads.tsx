/*
 * Conversations that were written here and that the gateway does not have: what waits goes by itself, what was refused or is too old is decided
 * by a person. Nothing of it is lost.
 */
import { useLocation } from 'wouter-preact';
import { type AppParts, useApp } from '../../app-context.ts';
import type { Unbegun } from '../../outbox/outbox-rows.ts';
import { bringFiles } from '../attach/use-attachments.ts';
import { filesOf, takeBackToNew } from '../new/new-draft.ts';
import { deferralOf, deferredWords } from '../composer/outbox-words.ts';

export function UnbegunThreads() {
  const { outbox } = useApp();
  const unbegun = outbox.unbegun.value;
  if (unbegun.length === 0) return null;
  return (
    <section class="group">
      <h2>Not begun yet</h2>
      {unbegun.map((one) => (
        <UnbegunThread key={one.key} one={one} />
      ))}
    </section>
  );
}

function UnbegunThread({ one }: { readonly one: Unbegun }) {
  const app = useApp();
  const { outbox } = app;
  const [, navigate] = useLocation();
  const { key, text, state } = one;
  const isStuck = state.kind === 'refused' || state.kind === 'expired';
  const edit = async (): Promise<void> => {
    await takeBack(app, one);
    // Only then: what is nowhere is lost.
    await outbox.drop(key);
    navigate('/new');
  };
  return (
    <div class={isStuck ? 'panel stopped' : 'panel'}>
      <p class="unbegun-text">{text}</p>
      <p class="quiet" role="status">
        {wordsOf(state)}
      </p>
      <div class="buttons">
        {state.kind !== 'sent' && state.kind !== 'unknown' && (
          <>
            <button type="button" class="button" onClick={() => void outbox.drop(key)}>
              Delete
            </button>
            <button type="button" class="button" onClick={() => void edit()}>
              Edit
            </button>
          </>
        )}
        {isStuck && (
          <button type="button" class="button main" onClick={() => void outbox.beginAgain(key)}>
            Send again
          </button>
        )}
      </div>
    </div>
  );
}

/* With all that it was to begin with. */
async function takeBack(app: AppParts, { thread, text, notes }: Unbegun): Promise<void> {
  const { connectionId: host = '', agent = '', directory = '', chosen } = thread;
  for (const note of notes) await bringFiles(app, filesOf, note);
  await takeBackToNew(app.storage, { text, place: { host, agent, directory }, chosen });
}

function wordsOf(state: Unbegun['state']): string {
  const deferral = deferralOf(state);
  if (deferral !== undefined) return deferredWords(deferral);
  if (state.kind === 'refused') return `The gateway did not take it: ${state.message}`;
  if (state.kind === 'expired')
    return 'It was written more than two days ago, so it was not sent unasked.';
  if (state.kind === 'written')
    return 'Kept on this device. It begins as soon as the gateway answers.';
  return 'Being sent. Whether it has arrived is found out by itself.';
}
