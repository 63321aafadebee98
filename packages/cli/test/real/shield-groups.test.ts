/*
 * Control groups of root, and those that an ordinary user may write to, as systemd hands them over: a shielded command freezes and ends no
 * process by them, neither where they are mounted nor where it mounts them itself.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent } from '../support/shielded-agent.ts';

/* Our own group of version 2, where there is one. */
function ownGroup(): string | undefined {
  const mount = / (\S+) cgroup2 /.exec(` ${readFileSync('/proc/self/mounts', 'utf8')}`)?.[1];
  const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  return mount === undefined || path === undefined ? undefined : join(mount, path);
}

const above = ownGroup();

/* Of the user, with a process in it. */
async function openGroup(t: TestContext, own: (path: string) => void, argv: readonly string[]) {
  const groupName = `clf-shield-${process.pid}`;
  const group = join(above ?? '', groupName);
  mkdirSync(group);
  const [program = '', ...args] = argv;
  const victim = spawn(program, args, { stdio: 'ignore' });
  const ended = once(victim, 'exit');
  t.after(async () => {
    writeFileSync(join(group, 'cgroup.kill'), '1');
    await ended;
    rmdirSync(group);
  });
  for (const file of ['', 'cgroup.procs', 'cgroup.freeze', 'cgroup.kill']) own(join(group, file));
  writeFileSync(join(group, 'cgroup.procs'), `${victim.pid}`);
  return { groupName, group, victim };
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`a shielded command of ${name} ends and freezes nothing by control groups`, {
    skip: skip || (above === undefined && 'needs control groups of version 2'),
  }, async (t) => {
    const { run, wrap, own, outside } = await createShieldedAgent(t, isUser);
    const { groupName, group, victim } = await openGroup(t, own, [...wrap, 'sleep', '600']);
    const isFrozen = (): boolean => readFileSync(join(group, 'cgroup.freeze'), 'utf8') === '1\n';
    const anew = (file: string): string =>
      `unshare -UrmC sh -c "mount -t cgroup2 none /mnt && echo 1 > /mnt/${groupName}/${file}"`;
    for (const line of [
      `echo 1 > ${group}/cgroup.freeze`,
      `echo 1 > ${group}/cgroup.kill`,
      `echo $$ > ${group}/cgroup.procs`,
      `mkdir ${group}/new`,
      anew('cgroup.freeze'),
      anew('cgroup.kill'),
      `unshare -Urm sh -c "mount -o remount,rw,bind ${group}; echo 1 > ${group}/cgroup.kill"`,
    ]) {
      assert.match(await run(`(${line}); echo "code $?"`), /code [1-9]\d*\n$/, line);
      assert.ok(!isFrozen() && victim.exitCode === null && victim.signalCode === null, line);
    }
    const tried = outside(['sh', '-c', anew('cgroup.freeze')]);
    assert.ok(isFrozen(), `outside it can be done: ${tried.stderr}`);
  });
}
