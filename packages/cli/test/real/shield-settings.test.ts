/*
 * What a person sets about the shield, as a command inside finds it: more that is hidden, doors that are open, and trees that alone can be
 * written to; as root and as an ordinary user.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { connectLine, listenAt } from '../support/canary-socket.ts';
import { canary, shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent } from '../support/shielded-agent.ts';

for (const { name, isUser, skip } of shieldUsers) {
  test(`what ${name} hides is not there, and what may be written to is all that can be`, {
    skip,
  }, async (t) => {
    const { run, home, project, outside } = await createShieldedAgent(t, isUser, (site) => {
      const at = (path: string): string => join(site.home, path);
      for (const path of ['cloud', 'out', 'far']) {
        mkdirSync(at(path));
        site.own(at(path));
      }
      for (const path of ['cloud/key', 'token', 'far/key']) {
        writeFileSync(at(path), canary);
        site.own(at(path));
      }
      symlinkSync('far', at('link'));
      const hidden = [at('cloud'), at('token'), at('link/key')];
      Object.assign(site.rig.env, {
        CLAWDFATHER_SHIELD_HIDE: hidden.join(':'),
        CLAWDFATHER_SHIELD_WRITE: at('out'),
      });
    });
    for (const path of ['cloud/key', 'token', 'far/key', 'link/key'].map(
      (one) => `${home}/${one}`,
    )) {
      assert.doesNotMatch(await run(`cat ${path}; ln ${path} l; cat l`), /clf_canary/, path);
      assert.equal(outside(['cat', path]).stdout, canary, path);
    }
    assert.doesNotMatch(await run(`mv ~/cloud ~/out/c; cat ~/out/c/key`), /clf_canary/);
    for (const path of [join(home, 'out/made'), join(project, 'made')]) {
      assert.equal(await run(`echo x > ${path} && cat ${path}`), 'x\n', path);
      assert.equal(readFileSync(path, 'utf8'), 'x\n');
    }
    assert.equal(await run('echo x > /tmp/made && cat /tmp/made'), 'x\n', 'private places');
    for (const path of ['made', 'far/made', '.cache/made']) {
      assert.match(await run(`mkdir -p ~/.cache; echo x > ~/${path}`), /Read-only|cannot create/);
      assert.ok(!existsSync(join(home, path)), path);
    }
  });

  test(`the doors that ${name} opens are open, and no others; it is said`, { skip }, async (t) => {
    const doors = { docker: ['.docker/run/docker.sock'], other: ['.screen/socket'] };
    const { run, rig, agent, home, runtimeDir } = await createShieldedAgent(
      t,
      isUser,
      async (site) => {
        for (const path of [...doors.docker, ...doors.other].map((one) => join(site.home, one))) {
          mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
          await listenAt(t, path);
        }
        for (const path of ['docker.sock', 'bus']) await listenAt(t, join(site.runtimeDir, path));
        site.rig.env['CLAWDFATHER_SHIELD_OPEN'] = 'docker,ssh';
      },
    );
    for (const path of [join(home, '.docker/run/docker.sock'), join(runtimeDir, 'docker.sock')]) {
      assert.match(await run(connectLine(path)), /clf_canary/, path);
    }
    for (const path of [join(home, '.screen/socket'), join(runtimeDir, 'bus')]) {
      assert.doesNotMatch(await run(connectLine(path)), /clf_canary/, path);
    }
    assert.match(await run('cat ~/.ssh/id'), /clf_canary/, 'keys can be used');
    await run('echo evil >> ~/.ssh/authorized_keys; echo evil >> ~/.ssh/id; mv ~/.ssh ~/moved');
    assert.doesNotMatch(readFileSync(join(home, '.ssh/id'), 'utf8'), /evil/);
    assert.ok(!existsSync(join(home, '.ssh/authorized_keys')), 'and none be let in');
    assert.doesNotMatch(await run('cat ~/.config/clawdfather/gateways.json'), /clf_canary/);

    const { data } = await agent.call('exec', { command: 'true' });
    assert.equal(data['status'], 'completed', 'nobody is asked for it');
    // What the site has in the place of a sign-in is none.
    rmSync(join(home, '.config/clawdfather/gateways.json'));
    assert.match((await rig.clf('show', String(data['runId']))).stdout, /shield +opened/);
    const said = (await rig.clf('doctor')).stdout.replaceAll(/\s+/g, ' ');
    assert.match(said, /full, but docker is open [^;]*equals full access[^;]*; ssh is open/);
  });
}
