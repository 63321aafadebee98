/*
 * Which mount a path lies on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountOf } from '../../src/registry/mounts.ts';

const mountinfo = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:26 / /srv rw,nosuid - ext4 /dev/sdb1 rw,errors=remount-ro',
  '31 30 0:27 / /srv/a\\040b rw - tmpfs none rw,size=1m',
  '32 22 0:28 / /data rw - xfs /dev/sdc1 rw',
  '33 32 0:28 / /data ro,relatime - xfs /dev/sdc1 rw',
  '34 22 0:29 / /gone rw - ext4 /dev/sdd1 ro',
].join('\n');

test('the deepest one above it, and of two at one place the upper', () => {
  const at = (path: string): string => {
    const { point, source, isReadOnly } = mountOf(mountinfo, path) ?? {};
    return `${source} ${point} ${isReadOnly === true ? 'ro' : 'rw'}`;
  };
  assert.equal(at('/var/lib'), '/dev/sda1 / rw');
  assert.equal(at('/srv/x/state'), '/dev/sdb1 /srv rw');
  assert.equal(at('/srvx'), '/dev/sda1 / rw');
  assert.equal(at('/srv/a b/state'), 'none /srv/a b rw');
  assert.equal(at('/data/state'), '/dev/sdc1 /data ro');
  assert.equal(at('/gone'), '/dev/sdd1 /gone ro');
  assert.equal(mountOf('', '/x'), undefined);
});
