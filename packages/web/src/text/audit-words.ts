/*
 * What was done, in words, for people who read the audit log. The codes of actions are for programs.
 */
import type { auditActions } from '@clawdfather/protocol/api';

const actions: Readonly<Record<(typeof auditActions)[number], string>> = {
  'account.create': 'Account made',
  'account.identify': 'Account linked to a sign-in',
  'approval.decide': 'Command decided',
  'ask.answer': 'Agent answered',
  'auth.login': 'Signed in',
  'auth.logout': 'Signed out',
  'auth.refused': 'Sign-in refused',
  'connection.create': 'Host added',
  'connection.delete': 'Host removed',
  'connection.policy': 'Policy of a host changed',
  'connection.test': 'Host tested',
  'connection.trust': 'Key of a host trusted',
  'connection.update': 'Host changed',
  'device.rename': 'Device renamed',
  'device.revoke': 'Device signed out',
  'key.create': 'Key made',
  'key.revoke': 'Key revoked',
  'key.rotate': 'Key replaced',
  'login-code.claim': 'Login code typed',
  'login-code.confirm': 'Device let in',
  'login-code.create': 'Login code made',
  'login-code.refuse': 'Device turned away',
  'login-code.use': 'Login code used',
  'push.subscribe': 'Notifications turned on',
  'push.unsubscribe': 'Notifications turned off',
  'push.update': 'Notifications changed',
  'rule.revoke': 'Rule taken back',
  'run.cancel': 'Run ended',
  'run.denied': 'Command denied',
  'run.held': 'Command waits for a decision',
  'run.remove': 'Run removed',
  'run.signal': 'Signal sent to a run',
  'run.start': 'Run started',
  'run.unstarted': 'Command not started',
  'session.active': 'Session in use',
  'session.adopt': 'Session taken over by another gateway',
  'session.close': 'Session closed',
  'session.error': 'Session failed',
  'session.start': 'Session opened',
  'session.timeout': 'Session closed: nobody used it',
  'settings.update': 'Settings changed',
  'thread.archive': 'Thread archived',
  'thread.create': 'Thread begun',
  'thread.edit': 'Thread changed',
  'thread.choose': 'Mode or model chosen',
  'thread.unarchive': 'Thread taken out of the archive',
  'token.create': 'Token made',
  'token.revoke': 'Token revoked',
  'turn.cancel': 'Turn stopped',
  'turn.edit': 'Waiting message changed',
  'turn.move': 'Waiting turn moved',
  'turn.prompt': 'Message sent',
};

/* A newer gateway may have more: those are shown by their codes. */
export function formatAction(action: string): string {
  const words: Readonly<Record<string, string>> = actions;
  return words[action] ?? action;
}
