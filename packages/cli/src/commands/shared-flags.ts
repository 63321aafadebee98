/*
 * Flags that several commands have, declared once. A command spreads them among its own.
 */
import { listFlag, settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { directory, envAssignment } from '../args/kinds.ts';

/* Which gateway a command talks to. */
export const hostFlags = {
  host: settingFlag('host', {
    placeholder: 'NAME|URL',
    completes: ['local'],
    summary: 'the gateway to ask (default: the one on this machine)',
  }),
};

/* How and where a command is started. */
export const startFlags = {
  pty: switchFlag({ short: 't', summary: 'give the command a terminal' }),
  cwd: valueFlag(directory, { short: 'C', summary: 'working directory (default: this one)' }),
  env: listFlag(envAssignment, {
    short: 'e',
    summary: 'set a variable for the command; K alone passes on its value from here',
  }),
};
