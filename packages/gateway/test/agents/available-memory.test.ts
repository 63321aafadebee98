/*
 * The memory that is left: of the machine, or of the narrowest control group around us.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableMemory } from '../../src/agents/available-memory.ts';

function reading(files: Readonly<Record<string, string>>) {
  return availableMemory(async (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`there is no ${path}`);
    return text;
  });
}

const machine = { '/proc/meminfo': 'MemTotal:  9000 kB\nMemAvailable:   4000 kB\nBuffers: 1 kB\n' };
const own = { ...machine, '/proc/self/cgroup': '0::/system.slice/clf.service\n' };
const group = '/sys/fs/cgroup/system.slice/clf.service';

test('without a limit it is what the kernel says is available', async () => {
  assert.equal(await reading(machine), 4_000 * 1_024);
  assert.equal(await reading({ ...own, [`${group}/memory.max`]: 'max\n' }), 4_000 * 1_024);
});

test('a control group with less left counts, and its droppable cache is left', async () => {
  const files = {
    ...own,
    [`${group}/memory.max`]: '1000000\n',
    [`${group}/memory.current`]: '900000\n',
    [`${group}/memory.stat`]: 'anon 1\ninactive_file 50000\nactive_file 7\n',
  };
  assert.equal(await reading(files), 150_000);
});

test('so does one further up', async () => {
  const files = {
    ...own,
    [`${group}/memory.max`]: 'max\n',
    '/sys/fs/cgroup/system.slice/memory.max': '1000\n',
    '/sys/fs/cgroup/system.slice/memory.current': '2000\n',
  };
  assert.equal(await reading(files), 0, 'never less than nothing');
});

test('where nothing can be read nothing is known', async () => {
  assert.equal(await reading({}), undefined);
  assert.ok(((await availableMemory()) ?? 0) > 0, 'this machine can be read');
});
