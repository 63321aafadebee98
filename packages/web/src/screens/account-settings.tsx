/*
 * What the account sets for itself on the gateway: the same on all of its devices.
 */
import type { AnswerOf, Api, CallOf } from '@clawdfather/protocol/api';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { useResource } from '../data/use-resource.ts';
import { TestChannels } from '../lists/test-channels.tsx';
import { ChoiceField, SwitchField } from '../parts/fields.tsx';
import { ActNote } from '../parts/act-note.tsx';
import { ResourceView } from '../parts/resource-view.tsx';

type Settings = AnswerOf<Api['settings']['get']>;
type NoticeClass = keyof Settings['notifications'];

const noticeWords: readonly (readonly [name: NoticeClass, says: string, hint: string])[] = [
  ['approval', 'Commands that wait for you', 'An agent or a token wants to run something'],
  ['question', 'Questions of agents', 'It goes on when you have answered'],
  ['failed', 'What failed', 'A turn that ended other than you wanted'],
  ['done', 'What is done', 'A turn that has ended'],
  ['host_lost', 'Hosts that were lost', 'A connection ended by itself'],
];

const minuteSeconds = 60;
const idleChoices = [5, 15, 30, 60, 120, 240] as const;

export function AccountSettings() {
  const { client, membership } = useApp();
  const { value: standing } = membership.standing;
  const isOwner = standing.kind === 'in' && standing.account.kind === 'owner';
  const act = useAct();
  const settings = useResource('settings', () => client.settings.get());
  const change = (body: NonNullable<CallOf<Api['settings']['update']>['body']>): void =>
    void act.run(async () => {
      await client.settings.update({ body });
      await settings.refresh();
    });
  return (
    <ResourceView resource={settings}>
      {({ idle_timeout_seconds: idleSeconds, notifications }) => (
        <>
          <section class="group">
            <h2>Tell me about</h2>
            <div class="panel">
              {noticeWords.map(([name, says, hint]) => (
                <SwitchField
                  key={name}
                  name={name}
                  says={says}
                  hint={hint}
                  isOn={notifications[name]}
                  isDisabled={act.isOff}
                  onTurn={(isOn) => change({ notifications: { [name]: isOn } })}
                />
              ))}
            </div>
          </section>
          {isOwner && <TestChannels />}
          <section class="group">
            <h2>Sessions on hosts</h2>
            <ChoiceField
              name="idle"
              says="Close one that is idle after"
              options={idleOptions(idleSeconds)}
              value={String(idleSeconds)}
              onPick={(picked) => change({ idle_timeout_seconds: Number(picked) })}
            />
          </section>
          <ActNote act={act} />
        </>
      )}
    </ResourceView>
  );
}

/* With the one that is set, which need not be one of ours. */
function idleOptions(nowSeconds: number): readonly (readonly [string, string])[] {
  const seconds = new Set([...idleChoices.map((each) => each * minuteSeconds), nowSeconds]);
  return [...seconds]
    .sort((one, other) => one - other)
    .map((each) => [String(each), inWords(each)]);
}

function inWords(seconds: number): string {
  const minutes = Math.round(seconds / minuteSeconds);
  if (minutes < 120) return `${minutes} minutes`;
  return `${Number((minutes / 60).toFixed(1))} hours`;
}
