/*
 * The built-in agents as data: pinned, with a program in what is installed, and with a way to sign in.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInAgents, findEntry, readPlatform } from '@clawdfather/agents';
import { fakeModelAgents, fakeModelSetting } from '@clawdfather/testkit';

const platforms = ['linux-x64', 'linux-x64-baseline', 'linux-arm64'] as const;

test('every agent has exact versions, and its programs come from the packages that are installed', () => {
  for (const entry of builtInAgents) {
    for (const platform of platforms) {
      const packages = entry.packages[platform];
      for (const { version } of packages) assert.match(version, /^\d+\.\d+\.\d+$/);
      const programs = [entry.program[platform], entry.signIn[platform].terminal.program];
      for (const { path } of programs) {
        assert.ok(
          packages.some(({ name }) => path.startsWith(`${name}/`)),
          `${entry.name} on ${platform}: ${path} is in none of its packages`,
        );
      }
    }
  }
});

test('names are what directories and settings can have', () => {
  const names = builtInAgents.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+$/);
});

test('an agent that was tried with the fake model was tried in the version that is pinned', () => {
  const place = { url: 'http://127.0.0.1:1', home: '/h' };
  for (const name of fakeModelAgents) {
    const { packages } = findEntry(name, builtInAgents);
    assert.equal(fakeModelSetting(name, place).version, packages['linux-x64'][0]?.version);
  }
  assert.equal(fakeModelAgents.length, builtInAgents.length);
});

test('this machine has a platform', () => {
  assert.ok(platforms.includes(readPlatform()));
});
