/*
 * Whether notifications can reach phones: the address that people use, and how a push service reaches whoever runs the gateway. Apple refuses
 * every message whose contact names no place on the internet, and says so to nobody but us.
 */
import type { Config } from '../config.ts';
import type { Finding } from './finding.ts';

const check = 'push';

export function checkPush({ values }: Pick<Config, 'values'>): Finding {
  const contact = values['notify.push.contact'];
  const publicUrl = values['gateway.publicUrl'];
  if (publicUrl === undefined || !publicUrl.startsWith('https:')) {
    return {
      check,
      status: 'info',
      summary: 'no public https address: notifications reach only browsers on this machine',
      advice: 'Set gateway.publicUrl to the https address that your phone uses (docs/app.md).',
    };
  }
  const wrong = whatIsWrongWith(contact ?? publicUrl);
  if (wrong === undefined) {
    return { check, status: 'ok', summary: `push services are told ${contact ?? publicUrl}` };
  }
  const setting = contact === undefined ? 'gateway.publicUrl' : 'notify.push.contact';
  return {
    check,
    status: 'warn',
    summary: `${setting}: ${wrong}; Apple refuses notifications that name it`,
    advice: 'Set notify.push.contact to mailto:YOU@YOUR-DOMAIN or an https address of yours.',
  };
}

/* Names that lead nowhere on the internet (RFC 2606, 6761, 6762, 8375). */
const privateNames = [
  'localhost',
  'local',
  'test',
  'invalid',
  'example',
  'internal',
  'lan',
  'home',
  'arpa',
];

/* `undefined`: nothing. */
function whatIsWrongWith(subject: string): string | undefined {
  const mail = /^mailto:[^\s@]+@(.+)$/.exec(subject)?.[1];
  const host = (mail ?? new URL(subject).hostname).toLowerCase();
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  const isPublic =
    labels.length > 1 && /^[a-z][a-z0-9-]+$/.test(last) && !privateNames.includes(last);
  return isPublic ? undefined : `${host} is no name on the internet`;
}
