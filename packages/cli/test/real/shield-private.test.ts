/*
 * What is decided about a shielded command is decided about the files that it finds: in its private /tmp, not in the owner's.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { lines, told } from '../support/asking-agent.ts';
import { type CliRig, createCliRig, launcherPath } from '../support/cli-process.ts';
import { createMcpRig } from '../support/mcp-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent } from '../support/shielded-agent.ts';

/* The owner's directory in the real /tmp, which everybody can read. */
function ownersDirectory(t: TestContext): string {
  const path = mkdtempSync('/tmp/clf-owner-');
  chmodSync(path, 0o755);
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Site {
  readonly rig: CliRig;
  readonly wrap: readonly string[];
}

/* A person at a terminal of their own: a process that does not descend from this one, the agent's parent. */
function decide({ rig, wrap }: Site, ...args: readonly string[]) {
  const words = [process.execPath, launcherPath, ...args, '-g', 'local'].map((word) => `'${word}'`);
  const script = ['script', '-qec', words.join(' '), '/dev/null'];
  const [first = '', ...rest] = [...wrap, 'setsid', '--fork', ...script];
  return told(rig, [first, ...rest]);
}

async function listed({ rig }: Site) {
  const { stdout } = await rig.clf('approvals', '-a', '--json', '-g', 'local');
  return lines(stdout).map((one) => cliShapes.approval.parse(one));
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`A6: a script in the private /tmp of ${name} is what an approval is bound to`, {
    skip,
  }, async (t) => {
    const site = await createShieldedAgent(t, isUser);
    const { run, agent, project } = site;
    const directory = ownersDirectory(t);
    const script = join(directory, 's.sh');
    writeFileSync(script, 'echo owner\n', { mode: 0o755 });
    // Each leads to the private one inside, and to the owner's outside.
    symlinkSync(script, join(project, 'link'));
    symlinkSync(directory, join(project, 'directory'));
    const words = [script, 'link', 'directory/s.sh', `${directory}/absolute`];
    for (const [round, word] of words.entries()) {
      await run(
        `mkdir -p ${directory} && echo 'echo first' > ${script} && ln -sf ${script} ${directory}/absolute`,
      );
      const asked = await agent.call('exec', { argv: ['sh', word], ask: 'always' });
      assert.equal(asked.data['status'], 'approval-pending', JSON.stringify(asked.data));
      const id = String(asked.data['approvalId']);
      const before = (await listed(site)).find((one) => one.id === id);
      const bound = before?.bound?.files.find(({ path }) => !path.endsWith('/sh'));
      assert.equal(bound?.sha256, sha256Of('echo first\n'), word);
      assert.ok(bound?.at?.startsWith(join(site.rig.stateDir, 'shield/')), bound?.at);
      assert.match(
        (await site.rig.clf('approvals', '-g', 'local')).stdout,
        /its \S+ is \S+\/shield\//,
      );
      // What the owner does with another file is no difference.
      writeFileSync(script, `echo owner ${round}\n`);
      await run(`echo 'echo second' > ${script}`);
      const allowed = await decide(site, 'allow', id);
      assert.match(allowed.text, /nothing was started: \S+ has changed[^]*approval-changed/, word);
      const old = (await listed(site)).find((one) => one.id === id);
      assert.equal(old?.state, 'changed');
      const next = (await listed(site)).find((one) => one.id === old?.askedAgainAs);
      writeFileSync(script, `echo owner again ${round}\n`);
      const again = await decide(site, 'allow', next?.id ?? '');
      assert.match(again.text, /^started /);
      await site.rig.clf('wait', next?.runId ?? '', '-g', 'local');
      const { stdout } = await site.rig.clf('logs', next?.runId ?? '', '-g', 'local');
      assert.equal(stdout, 'second\n', word);
    }
  });

  test(`a program and a directory in the private /tmp of ${name} work, and those of the owner are not there`, {
    skip,
  }, async (t) => {
    const site = await createShieldedAgent(t, isUser);
    const { run, agent } = site;
    const directory = ownersDirectory(t);
    mkdirSync(join(directory, 'of-owner'));
    writeFileSync(join(directory, 'of-owner/prog'), '#!/bin/sh\n', { mode: 0o755 });
    const work = join(directory, 'work');
    await run(
      `mkdir -p ${work} && printf '#!/bin/sh\\npwd\\n' > ${work}/prog && chmod +x ${work}/prog && ln -s ${work} ${directory}/way`,
    );
    for (const [argv, workdir] of [
      [[join(work, 'prog')], work],
      [['./prog'], join(directory, 'way')],
      [['way/prog'], directory],
    ] as const) {
      const ended = await agent.call('exec', { argv, workdir, yieldMs: 60_000 });
      const expected = workdir === directory ? directory : work;
      assert.equal(ended.data['output'], `${expected}\n`, JSON.stringify(ended.data));
    }
    const asked = await agent.call('exec', { argv: ['./prog'], workdir: work, ask: 'always' });
    assert.equal(asked.data['status'], 'approval-pending', JSON.stringify(asked.data));
    const allowed = await decide(site, 'allow', String(asked.data['approvalId']));
    assert.match(allowed.text, /^started /);
    const runId = String(asked.data['runId']);
    assert.equal((await site.rig.clf('wait', runId, '-g', 'local')).code, 0);
    assert.equal((await site.rig.clf('logs', runId, '-g', 'local')).stdout, `${work}\n`);

    const second = await agent.call('exec', { argv: ['./prog'], workdir: work, ask: 'always' });
    await run(`mv ${work} ${work}-old && mkdir ${work} && cp ${work}-old/prog ${work}/prog`);
    const moved = await decide(site, 'allow', String(second.data['approvalId']));
    assert.match(moved.text, /has become another directory/);

    const none = await agent.call('exec', {
      argv: ['pwd'],
      workdir: join(directory, 'of-owner'),
    });
    assert.match(JSON.stringify(none), /it does not exist/);
    const gone = await agent.call('exec', {
      argv: [join(directory, 'of-owner/prog')],
      ask: 'always',
    });
    assert.match(JSON.stringify(gone), /there is no program/);
  });

  test(`a rule about a program of the owner in /tmp lets none of the private /tmp of ${name} run`, {
    skip,
  }, async (t) => {
    const directory = ownersDirectory(t);
    const program = join(directory, 'prog');
    writeFileSync(program, '#!/bin/sh\necho owner\n', { mode: 0o755 });
    const site = createShieldSite(t, isUser, createCliRig);
    const settings = join(site.home, '.config/clawdfather/config.json');
    writeFileSync(settings, JSON.stringify({ policy: { allow: [program] } }));
    site.own(settings);
    const mcp = createMcpRig(t, site.rig);
    const { project: cwd, wrap } = site;
    const agent = await mcp.connect({ flags: [], cwd, wrap });
    const first = await agent.call('exec', { argv: [program] });
    assert.match(JSON.stringify(first), /there is no program/, 'the owner’s is not there');
    const open = await mcp.connect({ flags: ['--security', 'full', '--ask', 'off'], cwd, wrap });
    await open.call('exec', {
      command: `mkdir -p ${directory}; printf '#!/bin/sh\\necho agent\\n' > ${program}; chmod +x ${program}`,
      yieldMs: 60_000,
    });
    const held = await agent.call('exec', { argv: [program] });
    assert.equal(held.data['status'], 'approval-pending', JSON.stringify(held.data));
    assert.match(String(held.data['why']), /in a private directory of shielded commands/);
    const refused = await decide(site, 'allow', '--always', String(held.data['approvalId']));
    assert.match(refused.text, /no rule could cover this: .*private directory/);
  });
}
