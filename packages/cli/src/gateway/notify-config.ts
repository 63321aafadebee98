/*
 * Where notices are sent, from the settings. Files with secrets are read here, once.
 */
import type { Config } from '../config.ts';
import { usageError } from '../errors.ts';
import type { GatewayConfig } from '../serve.ts';
import { readSecretFile } from './read-secret.ts';

type Notify = NonNullable<GatewayConfig['notify']>;

export function notifyFrom(config: Pick<Config, 'values'>): Notify {
  return {
    webhook: webhookFrom(config),
    ntfy: ntfyFrom(config),
    push: {
      contact: config.values['notify.push.contact'],
      services: config.values['notify.push.services'],
    },
    showsTitles: config.values['notify.titles'] === 'shown',
  };
}

function webhookFrom({ values }: Pick<Config, 'values'>): Notify['webhook'] {
  const url = values['notify.webhook.url'];
  const path = values['notify.webhook.secretFile'];
  if (url === undefined && path === undefined) return undefined;
  // Without a signature the receiver could not tell our notices from anybody's.
  if (url === undefined || path === undefined) {
    throw usageError('notify.webhook needs both: url and secretFile');
  }
  return { url, secret: readSecretFile({ path, setting: 'notify.webhook.secretFile' }) };
}

function ntfyFrom({ values }: Pick<Config, 'values'>): Notify['ntfy'] {
  const url = values['notify.ntfy.url'];
  const topic = values['notify.ntfy.topic'];
  const path = values['notify.ntfy.tokenFile'];
  if (url === undefined && topic === undefined && path === undefined) return undefined;
  if (url === undefined || topic === undefined) {
    throw usageError('notify.ntfy needs both: url and topic');
  }
  const setting = 'notify.ntfy.tokenFile';
  return {
    url,
    topic,
    ...(path === undefined ? {} : { token: readSecretFile({ path, setting }) }),
    clickUrl: values['gateway.publicUrl'],
  };
}
