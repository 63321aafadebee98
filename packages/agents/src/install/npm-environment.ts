/*
 * What npm gets of our environment: what a login has, the way to the network, and where its registry is. Tokens for other things
 * stay here. Settings of an `npm run` around us, such as its prefix, must not reach it either.
 */
import { dirname } from 'node:path';
import { loginEnvironment } from '@clawdfather/kit';

const networkNames = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'npm_config_registry',
  'npm_config_cafile',
  'npm_config_cache',
  'npm_config_userconfig',
];

export function npmEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  node: string,
): Record<string, string> {
  const env = loginEnvironment(source);
  for (const name of networkNames) {
    const value = source[name];
    if (value !== undefined) env[name] = value;
  }
  // Packages may ask for `node`, and have to get ours.
  return { ...env, PATH: `${dirname(node)}:${env['PATH'] ?? '/usr/bin:/bin'}` };
}
