/*
 * Shielded commands: what is hidden, kept and pinned, as root and as an ordinary user; that nothing of it can be taken back from
 * inside; and that everything else about a run is as it is without a shield.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, until } from './rig.ts';
import { descriptorsOf } from './run.ts';
import { needs, prepare, refuses, shieldUsers } from './shield-rig.ts';

for (const user of shieldUsers) {
  nativeTest(
    `a shielded command of ${user} finds what is kept and not what is hidden`,
    async (rig) => {
      const { sh, home, run } = await prepare(rig, user);
      assert.equal(
        await sh('ls; ls -A secret; ls run; cat run/link/note run/elsewhere/note'),
        [
          'other',
          'rc',
          'run',
          'secret',
          'tree',
          'elsewhere',
          'kept',
          'link',
          'kept',
          'other',
          '',
        ].join('\n'),
      ); // prettier-ignore
      assert.equal(await sh('cat tree/mine; echo new > tree/new; cat tree/new'), 'mine\nnew\n');
      await refuses(sh, [
        'cat secret/key',
        `cat /proc/self/root'${home}'/secret/key`,
        'cat run/socket',
        'touch secret/new',
        'touch run/new',
        'umount secret',
        'mv secret gone',
        'mv run gone',
        'rmdir secret',
        'rm -rf secret',
        `mv '${home}' '${home}-2'`,
        'echo x >> rc',
        'rm -f rc',
        'mv rc rc2',
        'mv tree/mine rc',
        'chmod 666 rc',
        'ln secret/key tree/stolen',
        'ln rc tree/rc && echo x >> tree/rc',
      ]);
      assert.equal(await sh('cat rc'), 'rc\n');
      const outside = await run(['/bin/sh', '-c', 'cat secret/key run/socket'], {
        shield: undefined,
        cwd: home,
      });
      await outside.ended();
      assert.equal((await outside.output()).toString(), 'canary\ncanary\n', 'all is there outside');
    },
    needs,
  );

  nativeTest(
    `what hides it cannot be taken away from inside by ${user}, in no namespace of its own either`,
    async (rig) => {
      const { sh, home } = await prepare(rig, user);
      const secret = `'${home}/secret'`;
      for (const line of [
        `unshare -Urm sh -c "umount ${secret}; cat ${secret}/key"`,
        `unshare -Urm sh -c "umount -l ${secret}; cat ${secret}/key"`,
        `unshare -Urm sh -c "mount --bind ${secret} /mnt; cat /mnt/key"`,
        `unshare -Urm sh -c "mount --bind '${home}' /mnt; cat /mnt/secret/key"`,
        `unshare -Urm sh -c "mount --rbind '${home}' /mnt; umount -l /mnt/secret; cat /mnt/secret/key"`,
        `unshare -Urm sh -c "mount -o remount,rw ${secret}; touch ${secret}/x && echo canary"`,
        `unshare -Urm sh -c "mount -o remount,rw,bind '${home}/rc'; echo canary >> '${home}/rc' && cat '${home}/rc'"`,
        `unshare -Urmpf --mount-proc sh -c "cat /proc/1/root${secret}/key"`,
        `nsenter -t 1 -m cat ${secret}/key`,
        `cat /proc/1/root${secret}/key`,
        `chroot /proc/1/root cat ${secret}/key`,
      ]) {
        assert.doesNotMatch(await sh(`${line}; true`), /canary/, line);
      }
      assert.equal(
        await sh('unshare -Urm sh -c "mount -t tmpfs none /mnt && echo mounted"'),
        'mounted\n',
        'its own mounts it can make: that is how programs confine their children',
      );
    },
    needs,
  );

  nativeTest(
    `a shielded command of ${user} does not reach into processes outside`,
    async (rig) => {
      const { run, sh } = await prepare(rig, user);
      const other = await run(['sleep', '600'], { shield: undefined });
      const { pid, shimPid } = await other.started();
      const shielded = await (await run(['sleep', '600'])).started();
      for (const target of [pid, shimPid, shielded.pid, process.pid]) {
        for (const what of ['environ', 'mem', 'root/etc/hostname', 'cwd/mine', 'fd/0', 'maps']) {
          const said = await sh(`cat "/proc/${target}/${what}"; echo "code $?"`);
          assert.match(said, /^cat: .*\ncode 1\n$/, `${target} ${what}: ${said}`);
        }
        assert.match(await sh(`kill -9 ${target}; echo "code $?"`), /not permitted\s+code 1\n$/);
      }
      for (const one of [pid, shimPid, shielded.pid]) assert.ok(isAlive(one));
      assert.equal(await sh('sleep 600 & kill $! && echo ended'), 'ended\n', 'its own it does');
    },
    needs,
  );

  nativeTest(
    `abstract sockets outside are out of reach of ${user}, ports are not`,
    async (rig) => {
      const { sh } = await prepare(rig, user);
      const name = `clf-shield-${process.pid}`;
      const server = createServer((socket) => socket.end('canary\n'));
      await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
      const tcp = createServer((socket) => socket.end('hello\n'));
      await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
      rig.defer(() => void server.close());
      rig.defer(() => void tcp.close());
      const address = tcp.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const script = `import socket,sys
for family, where in ((socket.AF_UNIX, "\\0${name}"), (socket.AF_INET, ("127.0.0.1", ${port}))):
  s = socket.socket(family)
  try:
    s.connect(where); print(s.recv(99).decode().strip())
  except OSError as e: print(type(e).__name__)`;
      assert.equal(await sh(`python3 -c '${script}'`), 'PermissionError\nhello\n');
    },
    { ...needs, programs: ['python3'] },
  );

  nativeTest(
    `a shielded command of ${user} on a terminal has its own, and sees no other`,
    async (rig) => {
      const { run } = await prepare(rig, user);
      const pty = { cols: 80, rows: 24 };
      const other = await run(['sleep', '600'], { pty, shield: undefined });
      await other.started();
      const line =
        'echo a > /dev/tty; echo b > "$(tty)"; tty; ls /dev/pts; stty size; script -qc "echo in script" /dev/null';
      const started = await run(['/bin/sh', '-c', line], { pty });
      await started.ended();
      assert.equal(
        (await started.output()).toString(),
        ['a', 'b', '/dev/pts/0', '0  ptmx', '24 80', 'in script', ''].join('\r\n'),
      );
    },
    { ...needs, programs: ['script'] },
  );

  nativeTest(
    `a shielded command of ${user} is held and ended as any other, and pids are the machine's`,
    async (rig) => {
      const { run, link } = await prepare(rig, user);
      const started = await run([
        '/bin/sh',
        '-c',
        'setsid sleep 601 & sleep 602 & echo $$ $!; wait',
      ]);
      const { pid } = await started.started();
      const [own, child] = (await started.untilOutput((bytes) => bytes.includes('\n')))
        .toString()
        .trim()
        .split(' ')
        .map(Number);
      assert.equal(own, pid);
      assert.ok(child !== undefined && isAlive(child));
      const control = await rig.control(started);
      const { epoch } = control.hello;
      const ask = { type: 'terminate', epoch, reason: 'manual-cancel', graceMs: 0 } as const;
      await control.request({ ...ask, actor: 'test' });
      assert.equal((await started.ended()).exit.reason, 'manual-cancel');
      await untilGone(child);
      // T8: the tree of a killed shim goes with it.
      const killed = await run(['/bin/sh', '-c', 'sleep 603 & echo $!; wait']);
      const { shimPid } = await killed.started();
      const orphan = Number((await killed.untilOutput((bytes) => bytes.includes('\n'))).toString());
      process.kill(shimPid, 'SIGKILL');
      await untilGone(orphan);
      assert.ok(!link.isLost);
    },
    needs,
  );

  nativeTest(
    `a shielded command of ${user} has no descriptor but its own three`,
    async (rig) => {
      const { run } = await prepare(rig, user);
      for (const change of [{}, { pty: { cols: 80, rows: 24 } }]) {
        const started = await run(['sleep', '600'], change);
        const { pid } = await started.started();
        // Its loader has files open for a moment.
        await until('it has three', () => [...descriptorsOf(pid).keys()].join() === '0,1,2');
      }
    },
    needs,
  );
}
