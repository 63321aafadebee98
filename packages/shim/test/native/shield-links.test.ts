/*
 * Places of a shield that are links, and places where another file is put while a namespace is kept.
 */
import assert from 'node:assert/strict';
import { chownSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShieldStep } from '../../src/index.ts';
import { nativeTest } from './rig.ts';
import { needs, prepare, refuses, shieldUsers, uid } from './shield-rig.ts';

nativeTest(
  'a link is hidden or pinned itself, and leads where it did',
  async (rig) => {
    const { sh, home } = await prepare(rig, 'ordinary');
    for (const [name, target] of [
      ['to-file', 'tree/mine'],
      ['to-directory', 'tree'],
      ['hidden', 'tree'],
    ] as const) {
      symlinkSync(target, join(home, name));
    }
    const steps: readonly ShieldStep[] = [
      { kind: 'pin', path: join(home, 'to-file') },
      { kind: 'read-only', path: join(home, 'to-directory') },
      { kind: 'hide', path: join(home, 'hidden') },
    ];
    const withSteps = (line: string): Promise<string> =>
      sh(line, { shield: { steps, hasDomain: true } });
    assert.equal(await withSteps('cat to-file to-directory/mine'), 'mine\nmine\n');
    await refuses(withSteps, [
      'ln -sfn rc to-file',
      'rm to-file',
      'mv to-directory x',
      'ln -sfn run to-directory',
      'cat hidden',
      'cat hidden/mine',
      'rm hidden',
    ]);
  },
  needs,
);

for (const user of shieldUsers) {
  nativeTest(
    `a file that is replaced outside is read-only for ${user} again with another mark`,
    async (rig) => {
      const { sh, home, steps } = await prepare(rig, user);
      const withMark = (mark: string) => (line: string) =>
        sh(line, { shield: { steps, hasDomain: true, mark } });
      await refuses(withMark('m1'), ['echo x >> rc', 'cat secret/key']);
      const draft = join(home, 'rc.new');
      writeFileSync(draft, 'new\n');
      if (user === 'ordinary') chownSync(draft, uid, uid);
      renameSync(draft, join(home, 'rc'));
      // The kernel has taken the mount away with the file that it was on.
      assert.equal(await withMark('m1')('echo x >> rc && cat rc'), 'new\nx\n');
      await refuses(withMark('m2'), ['echo y >> rc', 'cat secret/key']);
      assert.equal(await withMark('m2')('cat rc'), 'new\nx\n');
    },
    needs,
  );
}
