/*
 * Pushes to devices, made from the settings: the key, the services that are posted to, and the channel.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { Kms } from '@clawdfather/ssh';
import type { Store } from '@clawdfather/store';
import type { GatewayConfig } from '../gateway-config.ts';
import type { NoticeChannel } from './channel.ts';
import { createPush } from './channels/push/create-push.ts';
import { createPushKeys, type PushKeys } from './channels/push/push-key.ts';
import { createPushServices, type PushServices } from './channels/push/push-services.ts';
import { pushSubjectOf } from './channels/push/push-subject.ts';

export interface PushParts {
  readonly keys: PushKeys;
  readonly services: PushServices;
  readonly channel: NoticeChannel;
}

export interface OpenPushDeps {
  readonly config: Pick<GatewayConfig, 'notify' | 'publicUrl' | 'acceptsLostKeys'>;
  readonly store: Store;
  readonly kms: Kms;
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createPushParts(deps: OpenPushDeps): PushParts {
  const { contact, services: origins } = deps.config.notify?.push ?? {};
  const { acceptsLostKeys = false } = deps.config;
  const keys = createPushKeys({ ...deps, acceptsLostKeys });
  const services = createPushServices(origins);
  const subject = pushSubjectOf({ contact, publicUrl: deps.config.publicUrl });
  return { keys, services, channel: createPush({ ...deps, keys, services, subject }) };
}
