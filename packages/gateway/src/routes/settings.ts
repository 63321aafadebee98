/*
 * Settings over HTTP: seconds and booleans outside, what the store keeps inside.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { PushClasses, Settings, Store } from '@clawdfather/store';
import { auditOf, type Handlers } from '../http/handlers.ts';

const notificationDefaults: PushClasses = {
  approval: true,
  question: true,
  done: true,
  failed: true,
  host_lost: true,
};

export function createSettingsHandlers({
  store,
}: {
  readonly store: Store;
}): Handlers<Api['settings']> {
  return {
    get: async ({ caller }) => show(await store.forAccount(caller.accountId).settings.get()),
    update: async (call) => {
      const { idle_timeout_seconds: seconds, notifications } = call.body;
      const mine = store.forAccount(call.caller.accountId);
      const updated = await mine.transaction(async ({ settings }) => {
        const before = await settings.get();
        return settings.update({
          settings: {
            ...(seconds === undefined ? {} : { idleTimeoutMs: seconds * 1000 }),
            ...(notifications === undefined
              ? {}
              : { notifications: { ...before.notifications, ...notifications } }),
          },
          audit: auditOf(call, 'settings.update', { changed: Object.keys(call.body) }),
        });
      });
      return show(updated);
    },
  };
}

function show(settings: Settings) {
  return {
    idle_timeout_seconds: settings.idleTimeoutMs / 1000,
    notifications: notificationsOf(settings),
  };
}

/* What the account wants to be told of. */
export function notificationsOf({ notifications }: Settings) {
  return { ...notificationDefaults, ...notifications };
}
