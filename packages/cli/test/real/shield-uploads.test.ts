/*
 * What a shielded command can do to the copies of files that go along with prompts, as root and as an ordinary user: read them. It can neither
 * change them nor put a link in the place of them or of anything above, however often it tries while prompts come.
 */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@clawdfather/sdk';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createTokenAgent } from '../support/token-agent.ts';

/* Swaps what it can for links to the login links, until it is told that the prompts are over. */
const swapScript = `
import os, sys
root, target, project = sys.argv[1:]
open(os.path.join(project, "begun"), "w").close()
won = 0
def swap(path):
  global won
  try:
    os.rename(path, path + ".aside")
    os.symlink(target, path)
    won += 1
  except OSError: pass
while not os.path.exists(os.path.join(project, "over")):
  for path in [root, os.path.dirname(root), *(os.path.join(where, name) for where, names, _ in os.walk(root) for name in names)]:
    swap(path)
print("won", won)
`;

for (const { name, isUser, skip } of shieldUsers) {
  test(`files for prompts at a gateway of ${name} are read in a shield, and not swapped`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const site = createShieldSite(t, isUser, createGatewayRig);
    const { rig, home, project, own } = site;
    // The real one is written when the owner signs in.
    rmSync(join(home, '.config/clawdfather/gateways.json'));
    const config = join(home, '.config/clawdfather/config.jsonc');
    const settings = { agents: { fake: { command: fakeAgentCommand() } } };
    writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
    writeFileSync(join(project, 'swap.py'), swapScript);
    for (const path of [config, join(project, 'swap.py')]) own(path);
    Object.assign(rig.env, {
      CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
      CLAWDFATHER_GATEWAY_DIRECTORY: project,
    });
    const gateway = await rig.serve();
    assert.equal((await rig.clf('login')).code, 0);
    const created = await rig.clf('token', 'create', '--scope', 'read,run', 'agent');
    const token = created.stdout.trim();
    const agent = createTokenAgent(gateway.url, token);
    const client = createClient({ baseUrl: gateway.url, token });
    const root = `${join(home, 'state')}-attachments`;
    const links = join(home, 'state/login-links');
    const { thread } = await client.threads.create({ body: { agent: 'fake' } });
    const body = new TextEncoder().encode('what the agent chose');
    const say = async (): Promise<string> => {
      const { upload } = await client.uploads.create({ body: { name: 'a', size: body.length } });
      const params = { id: upload.id };
      await client.uploads.append({ params, query: { offset: 0 }, body });
      await client.threads.prompt({
        params: { id: thread.id },
        body: { text: 'look', attachments: [upload.id] },
      });
      return upload.id;
    };
    const run = async (line: string) =>
      (await agent.doors[0]?.exec(`exec 2>&1; ${line}`)) ?? assert.fail();

    const first = await say();
    const [account = ''] = readdirSync(root);
    const copy = join(root, account, first, 'a');
    assert.equal((await run(`cat ${copy}`))['output'], 'what the agent chose');
    for (const line of [
      `echo evil > ${copy}`,
      `rm -rf ${copy}`,
      `mv ${copy} ${copy}-2`,
      `mv ${root} ${root}-2`,
      `mv ${join(root, account)} ${project}/theirs`,
      `ln -s ${links} ${root}/link`,
      `touch ${root}/new`,
      `umount ${root}; touch ${root}/new`,
      `unshare -Urm sh -c "umount ${root}; touch ${root}/new"`,
      `unshare -Urm sh -c "mount -o remount,rw,bind ${root}; touch ${root}/new"`,
    ]) {
      const said = await run(line);
      assert.notEqual(said['exitCode'], 0, `${line}: ${JSON.stringify(said)}`);
    }
    const swapping = run(`python3 swap.py ${root} ${links} ${project}`);
    const ids = [first];
    while (!existsSync(join(project, 'begun'))) ids.push(await say());
    for (let count = 0; count < 10; count += 1) ids.push(await say());
    writeFileSync(join(project, 'over'), '');
    assert.equal((await swapping)['output'], 'won 0\n');
    assert.deepEqual(readdirSync(root), [account]);
    assert.deepEqual(readdirSync(join(root, account)).toSorted(), ids.toSorted());
    for (const id of ids) {
      const home = join(root, account, id);
      assert.ok(lstatSync(home).isDirectory());
      assert.deepEqual(readdirSync(home), ['a']);
      assert.equal(readFileSync(join(home, 'a'), 'utf8'), 'what the agent chose');
    }
    assert.deepEqual(readdirSync(links), []);
  });
}
