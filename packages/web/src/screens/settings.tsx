/*
 * How the app is on this device, then what the account sets for all of its devices, then the versions of app and gateway.
 */
import type { Signal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { ChoiceField, SwitchField } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';
import { Row } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { enterWays, schemes, textSizes } from '../state/preferences.ts';

const AccountSettings = lazy(async () => (await import('./account-settings.tsx')).AccountSettings);

export function SettingsScreen() {
  return (
    <Screen title="Settings" back={{ to: '/more', name: 'More' }}>
      <OnThisDevice />
      <Suspense fallback={null}>
        <AccountSettings />
      </Suspense>
      <Versions />
    </Screen>
  );
}

const schemeWords = { system: 'As the system has it', light: 'Light', dark: 'Dark' } as const;
const sizeWords = { small: 'Small', usual: 'Usual', large: 'Large', largest: 'Largest' } as const;
const enterWords = {
  keyboard: 'Sends on a real keyboard only',
  always: 'Always sends',
  never: 'Always makes a new line',
} as const;
const undoChoices = [0, 1_000, 2_000, 3_000, 5_000] as const;

function OnThisDevice() {
  const { preferences, storage } = useApp();
  const { scheme, textSize, enterSends, undoMs, keepNothing } = preferences;
  const keep = (isOn: boolean): void => {
    keepNothing.value = isOn;
    // What was kept until now leaves the device; what waits to be sent goes on in this page.
    if (isOn) void storage.leaveDevice();
  };
  return (
    <section class="group">
      <h2>On this device</h2>
      <div class="card">
        <ChoiceField
          name="scheme"
          says="Colours"
          options={schemes.map((each) => [each, schemeWords[each]])}
          value={scheme.value}
          onPick={pickInto(scheme, schemes)}
        />
        <ChoiceField
          name="text-size"
          says="Text size"
          options={textSizes.map((each) => [each, sizeWords[each]])}
          value={textSize.value}
          onPick={pickInto(textSize, textSizes)}
        />
        <ChoiceField
          name="enter"
          says="The Enter key"
          options={enterWays.map((each) => [each, enterWords[each]])}
          value={enterSends.value}
          onPick={pickInto(enterSends, enterWays)}
        />
        <ChoiceField
          name="undo"
          says="Time to take a decision back"
          options={undoChoices.map((ms) => [String(ms), ms === 0 ? 'None' : `${ms / 1_000} s`])}
          value={String(undoMs.value)}
          onPick={(value) => (undoMs.value = Number(value))}
        />
        <SwitchField
          name="keep-nothing"
          says="Keep nothing here"
          hint="Threads, drafts and messages are in this page only, and gone when you close it"
          isOn={keepNothing.value}
          onTurn={keep}
        />
      </div>
      <ul class="rows">
        <Row
          to="/storage"
          before={<Icon name="device" />}
          what="Storage"
          facts="What is kept on this device"
          after={<Icon name="forward" />}
        />
      </ul>
    </section>
  );
}

function pickInto<Word extends string>(signal: Signal<Word>, words: readonly Word[]) {
  return (value: string): void => {
    const word = words.find((each) => each === value);
    if (word !== undefined) signal.value = word;
  };
}

function Versions() {
  const { client, connection, updates } = useApp();
  const { update } = connection.state.value;
  const [isLooking, setIsLooking] = useState(false);
  const look = async (): Promise<void> => {
    setIsLooking(true);
    await updates.lookNow();
    setIsLooking(false);
  };
  return (
    <section class="group">
      <h2>Versions</h2>
      <dl class="facts-table">
        <div>
          <dt>App</dt>
          <dd>{__APP_VERSION__}</dd>
        </div>
        <div>
          <dt>Gateway</dt>
          <dd>{client.gateway.last?.version ?? 'not known'}</dd>
        </div>
      </dl>
      {update.kind === 'none' ? (
        <button type="button" class="button" disabled={isLooking} onClick={() => void look()}>
          {isLooking ? 'Looking …' : 'Look for a new version'}
        </button>
      ) : (
        <button type="button" class="button main" onClick={() => void updates.apply()}>
          Reload with the new version
        </button>
      )}
    </section>
  );
}
