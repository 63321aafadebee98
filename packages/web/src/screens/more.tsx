/*
 * The way to everything that is not looked at every day.
 */
import { useApp } from '../app-context.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';

const ways: readonly { to: string; name: string; says: string; icon: IconName }[] = [
  { to: '/devices', name: 'Devices', says: 'Where you are signed in', icon: 'device' },
  { to: '/audit', name: 'Audit', says: 'Who did what, and when', icon: 'audit' },
];

export function MoreScreen() {
  const { membership } = useApp();
  const standing = membership.standing.value;
  return (
    <Screen title="More">
      <ul class="rows">
        {ways.map(({ to, name, says, icon }) => (
          <Row
            key={to}
            to={to}
            before={<Icon name={icon} />}
            what={name}
            facts={says}
            after={<Icon name="forward" />}
          />
        ))}
      </ul>
      <p class="quiet signed-in-as">
        Signed in as {standing.kind === 'in' ? standing.account.display_name : 'nobody'}
      </p>
      <button type="button" class="button" onClick={() => void membership.signOut()}>
        Sign out here
      </button>
    </Screen>
  );
}
