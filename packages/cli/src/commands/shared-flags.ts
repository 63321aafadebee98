/*
 * Flags that several commands have, declared once. A command spreads them among its own.
 */
import { listFlag, settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { directory, envAssignment, text } from '../args/kinds.ts';

const gatewayKind = { short: 'g', placeholder: 'NAME|URL', completes: 'gateways' } as const;

/* Whose runs a command is about. */
export const placeFlags = {
  gateway: settingFlag('defaultGateway', {
    ...gatewayKind,
    summary: 'the runs of this gateway; local: of this machine',
  }),
};

const hostKind = text('NAME', 'hosts');

/* Of a command that starts something. */
export const startPlaceFlags = {
  ...placeFlags,
  host: valueFlag(hostKind, { summary: 'run it on this SSH host of a gateway; see clf host ls' }),
};

/* Of a command that lists runs, or names some. */
export const runPlaceFlags = {
  ...placeFlags,
  host: valueFlag(hostKind, { summary: 'only runs on this SSH host; local: on none' }),
};

/* Which gateway a command talks to that only a gateway can answer. */
export const gatewayFlags = {
  gateway: settingFlag('defaultGateway', {
    ...gatewayKind,
    summary: 'the gateway to ask; local: the one on this machine',
  }),
};

/* How and where a command is started. */
export const startFlags = {
  pty: switchFlag({ short: 't', summary: 'give the command a terminal' }),
  cwd: valueFlag(directory, {
    short: 'C',
    summary: 'working directory (default: this one; with --host one there)',
  }),
  env: listFlag(envAssignment, {
    short: 'e',
    summary: 'set a variable for the command; K alone passes on its value from here',
  }),
};
