/*
 * Tokens: `clf_` and 32 random bytes. Only the SHA-256 of one is ever stored or compared; the token itself is shown once.
 */
import { hash } from 'node:crypto';
import type { Random } from '@clawdfather/kit';

const tokenBytes = 32;
const tokenPattern = /^clf_[A-Za-z0-9_-]{43}$/;

export function newToken(random: Random): string {
  return `clf_${Buffer.from(random.bytes(tokenBytes)).toString('base64url')}`;
}

/* A text that cannot be a token is refused without asking the database. */
export function isTokenText(text: string): boolean {
  return tokenPattern.test(text);
}

/* The key of an agent's run (agents/agent-keys.ts): as random, and never mistaken for a token. */
const agentKeyPattern = /^clf_agent_[A-Za-z0-9_-]{43}$/;

export function newAgentKey(random: Random): string {
  return `clf_agent_${Buffer.from(random.bytes(tokenBytes)).toString('base64url')}`;
}

export function isAgentKeyText(text: string): boolean {
  return agentKeyPattern.test(text);
}

export function hashSecret(text: string): string {
  return hash('sha256', text, 'hex');
}

/* The secret of a login link: as random as a token, with another prefix, so that it is not mistaken for one. */
export function newLinkSecret(random: Random): string {
  return Buffer.from(random.bytes(tokenBytes)).toString('base64url');
}
