/*
 * The systemd unit that keeps a gateway running.
 *
 * E2: stopping or restarting it must not touch a run. So `KillMode=process`: systemd signals the gateway alone and leaves shims,
 * spawnd and commands in the unit's cgroup as they are; the next gateway adopts them. For the same reason `OOMPolicy=continue`: a
 * command that the kernel's out-of-memory killer takes must not stop the unit. `TasksMax=infinity`: what runs is counted
 * with the unit, and is not ours to limit.
 *
 * Readiness: `Type=exec`, and `ExecStartPost` waits until the gateway answers, so that `systemctl restart` returns when it
 * can be used. `Type=notify` was rejected: Node has no datagram sockets for it, and letting a child process notify
 * (`NotifyAccess=all`) would let every command in the unit's cgroup do so.
 */
export type UnitScope = 'user' | 'system';

export interface UnitFacts {
  readonly scope: UnitScope;
  /* The command and everything before its first argument, as absolute paths. */
  readonly program: readonly string[];
  /* Of `serve`. */
  readonly flags: readonly string[];
  /* Of every call: where the state and the settings are, when that is not where they usually are. */
  readonly placeFlags: readonly string[];
  /* For the commands that are started; systemd's own is too short for most of them. */
  readonly searchPath: string;
}

export const unitName = 'clawdfather.service';

/* Once a minute at least it is tried again, for ever: a database may come back. */
const restartSeconds = 2;
/* A stop takes five seconds at most; then it is killed, which does no harm. */
const stopSecondsMax = 10;
const readySecondsMax = 60;

export function formatUnit(facts: UnitFacts): string {
  const { scope, program, flags, placeFlags, searchPath } = facts;
  const call = (...words: readonly string[]): string =>
    [...program, ...words, ...placeFlags].map(quote).join(' ');
  const wait = call('status', '--quiet', '--wait', `${readySecondsMax - stopSecondsMax}s`);
  return [
    '# Made by `clf service install`. Settings belong into config.jsonc; see: clf config show',
    '[Unit]',
    'Description=Clawdfather gateway',
    ...(scope === 'system' ? ['After=network-online.target', 'Wants=network-online.target'] : []),
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${call('serve', ...flags)}`,
    `ExecStartPost=${wait}`,
    '# An upgrade, a restart or a stop ends the gateway alone; runs go on and are adopted.',
    'KillMode=process',
    'OOMPolicy=continue',
    'TasksMax=infinity',
    'Restart=always',
    `RestartSec=${restartSeconds}`,
    `TimeoutStartSec=${readySecondsMax}`,
    `TimeoutStopSec=${stopSecondsMax}`,
    `Environment=${quote(`PATH=${searchPath}`)}`,
    '',
    '[Install]',
    `WantedBy=${scope === 'user' ? 'default.target' : 'multi-user.target'}`,
    '',
  ].join('\n');
}

/* As systemd.syntax(7) reads it: quotes keep blanks, % and $ are doubled. */
function quote(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/* What a unit that is there has to say for E2 to hold. */
export function unitProblems(text: string): string[] {
  const valueOf = (name: string): string | undefined =>
    text
      .split('\n')
      .findLast((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .trim();
  const wanted = { KillMode: 'process', OOMPolicy: 'continue' } as const;
  return Object.entries(wanted).flatMap(([name, value]) =>
    valueOf(name) === value ? [] : [`${name} is ${valueOf(name) ?? 'not set'}, not ${value}`],
  );
}
