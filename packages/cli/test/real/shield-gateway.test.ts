/*
 * The shield at a gateway, as root and as an ordinary user: what a token starts over the API and over MCP, with every command allowed, finds neither
 * the owner's token nor a way to decide; what the owner starts on a device has no shield.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createTokenAgent } from '../support/token-agent.ts';

async function createSite(t: TestContext, isUser: boolean) {
  const site = createShieldSite(t, isUser, createGatewayRig);
  const { rig, home, project, own } = site;
  // The real one is written when the owner signs in.
  rmSync(join(home, '.config/clawdfather/gateways.json'));
  Object.assign(rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_GATEWAY_DIRECTORY: project,
  });
  const gateway = await rig.serve();
  const signedIn = await rig.clf('login');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout.trim();
  const script = join(project, 'decide.py');
  writeFileSync(script, decideScript);
  own(script);
  return { ...site, gateway, token, agent: createTokenAgent(gateway.url, token) };
}

/*
 * What an agent does that read all it can: every word that looks like a credential is tried, and none, and forged ones. Prints how
 * many there were, and each answer of the gateway.
 */
const decideScript = `
import os, re, sys, json, urllib.request as u, urllib.error
url, approval, own, places = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
found = set()
for top in places:
  for where, _, names in os.walk(top):
    for name in names:
      path = os.path.join(where, name)
      try: found |= set(re.findall(rb"clf_[A-Za-z0-9_-]{20,}", open(path, "rb").read(1 << 20) if os.path.isfile(path) else b""))
      except OSError: pass
found |= {word.encode() for word in re.findall("clf_[A-Za-z0-9_-]{20,}", repr(os.environ))}
found = {word.decode() for word in found} - {own}
print("found", len([word for word in found if "canary" not in word]))
def ask(method, path, body=None, **headers):
  data = None if body is None else json.dumps(body).encode()
  request = u.Request(url + path, data, {"content-type": "application/json", **headers}, method=method)
  try: return u.urlopen(request).status
  except urllib.error.HTTPError as e: return e.code
decide = "/api/v1/approvals/" + approval
for word in ["", own, "clf_" + "A" * 43, *found]:
  headers = {"authorization": "Bearer " + word} if word else {}
  print("decide", ask("POST", decide, {"decision": "allow-once"}, **headers))
  print("cookie", ask("POST", decide, {"decision": "allow-once"}, cookie="__Host-clf=" + word, origin=url))
for path in ["/api/v1/approvals", "/api/v1/runs", "/api/v1/auth/tokens", "/api/v1/auth/sessions", "/api/v1/auth/me"]:
  print("look", path, ask("GET", path))
print("token", ask("POST", "/api/v1/auth/tokens", {"label": "x", "scopes": ["approve"]}, authorization="Bearer " + own))
print("link", ask("POST", "/api/v1/auth/login-link", {"link": "A" * 43, "device": "x"}))
`;

for (const { name, isUser, skip } of shieldUsers) {
  test(`a token at a gateway of ${name} reads no secret and decides nothing, over the API and MCP`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const { rig, home, gateway, token, agent, outside } = await createSite(t, isUser);
    const { url } = gateway;
    const { body: health } = await agent.ask('/health');
    assert.equal(health['shield'], 'full');
    const secrets = join(home, '.config/clawdfather/gateways.json');
    assert.match(readFileSync(secrets, 'utf8'), /clf_[\w-]{20}/);
    const state = join(home, 'state');
    for (const door of agent.doors) {
      for (const line of [
        `cat ${secrets}`,
        `cat ${state}/master-keys/1.key | base64`,
        `cat ${state}/control.db* | grep -ac SQLite`,
        `grep -rs clf_ ${home}/.config ${state}; ls -A ${state}`,
        `tr '\\0' '\\n' < /proc/${gateway.pid}/environ; cat /proc/${gateway.pid}/root${secrets} /proc/${gateway.pid}/cwd/../.config/clawdfather/*`,
        `for fd in /proc/${gateway.pid}/fd/*; do head -c 99 "$fd"; done; dd if=/proc/${gateway.pid}/mem bs=1 count=1`,
        `kill -9 ${gateway.pid}`,
      ]) {
        const said = await door.exec(`exec 2>&1; ${line}`);
        assert.ok(['completed', 'failed'].includes(String(said['status'])), JSON.stringify(said));
        const lines = String(said['output']).split('\n').filter(Boolean);
        const refused = /No such file|Permission denied|not permitted|cannot open|^0$/;
        for (const one of lines) assert.match(one, refused, `${door.name}: ${line}`);
      }
      const held = await door.exec('touch never', 'always');
      assert.equal(held['status'], 'approval-pending', JSON.stringify(held));
      const id = String(held['approvalId']);
      const places = [home, '/tmp', '/run', '/dev/shm', '/var/tmp'].join(' ');
      const tried = await door.exec(`python3 decide.py ${url} ${id} ${token} ${places}`);
      const answers = String(tried['output']).trim().split('\n');
      assert.equal(answers[0], 'found 0', String(tried['output']));
      assert.ok(answers.length > 10, JSON.stringify(tried));
      for (const answer of answers.slice(1)) {
        assert.match(answer, / (?:401|403|404|429)$/, `${door.name}: ${answer}`);
      }
      const { body } = await agent.ask(`/api/v1/approvals/${id}`);
      assert.equal(body['state'], 'pending', JSON.stringify(body));
      const shown = await agent.ask(`/api/v1/approvals/${id}`, { decision: 'allow-once' });
      assert.equal(shown.status, 403);
    }
    const database = [
      'sh',
      '-c',
      `cat ${state}/control.db | grep -ac SQLite; ls ${state}/master-keys`,
    ];
    assert.match(outside(database).stdout, /^[1-9]\d*\n1\.key/, 'all of it is there outside');
    const own = await rig.clf('run', '-g', url, '--', 'cat', secrets);
    assert.match(own.stdout, /clf_/, 'a person reads it, on a device of theirs');
    const asked = await rig.clf('run', '-g', url, '--shield', '--', 'cat', secrets);
    assert.match(asked.stderr, /No such file/, 'unless they asked for a shield');
  });
}
