/*
 * What agents may do on a host without being asked about. Letting them do everything is confirmed.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useAct } from '../data/use-act.ts';
import { Confirm } from '../parts/confirm.tsx';
import { SwitchField } from '../parts/fields.tsx';
import { ActNote } from '../parts/act-note.tsx';
import type { Host } from './host-words.ts';

export function HostPolicy({ host, onChanged }: { host: Host; onChanged: () => Promise<void> }) {
  const { client } = useApp();
  const act = useAct();
  const [isAsked, setIsAsked] = useState(false);
  const set = async (policy: Host['policy']): Promise<void> => {
    await client.connections.setPolicy({ params: { id: host.id }, body: { policy } });
    await onChanged();
  };
  return (
    <section class="panel">
      <SwitchField
        name="asks"
        says="Ask me before agents run something here"
        hint={
          host.policy === 'ask'
            ? 'Commands of agents wait for your decision.'
            : 'Agents run whatever they want on this host.'
        }
        isOn={host.policy === 'ask'}
        isDisabled={act.isOff}
        onTurn={(isOn) => {
          if (isOn) void act.run(() => set('ask'));
          else setIsAsked(true);
        }}
      />
      <ActNote act={act} />
      {isAsked && (
        <Confirm
          title={`Let agents do everything on ${host.label}?`}
          does="Let them"
          keeps="Keep asking me"
          onDo={() => set('full')}
          onClose={() => setIsAsked(false)}
        >
          <p>
            You are not asked about anything that agents run there. They can also copy files and
            reach what the host reaches.
          </p>
        </Confirm>
      )}
    </section>
  );
}
