import type { Context } from '../../kernel/work.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Authenticated, Identity } from '../../kernel/parts.ts'
import type { Problem } from '../../kernel/problem.ts'
import { invalidKey, invalidSession, presentedBy, type Presented, type SessionKind } from './credentials.ts'
import { noteSeen, readSession, type SessionRow } from './identity.reads.ts'
import { hashOf, Keys } from './keys.ts'
import { mailOwners } from './owners.ts'
import { onCredentialEnded } from './sessions/ended.ts'

type IdentityParts = Pick<Context, 'db' | 'clock' | 'log' | 'notices' | 'post'>

const nobody: Authenticated = { caller: { kind: 'anonymous' }, credential: null, cookie: false }
const refuse = (cause: Problem): Authenticated => ({ ...nobody, problem: cause })

/**
 * Judges requests by their headers. A key decides alone, even beside a session. A stale cookie is nobody in particular;
 * a stale Bearer token or a wrong key is refused, on public routes too. Of two cookies the one that the route is for goes first.
 */
export function identityOf(parts: IdentityParts): Identity {
  const keys = new Keys(parts)
  return {
    authenticate: async (headers, prefers = 'member') => judge(parts, keys, presentedBy(headers), prefers),
    onCredentialEnded: (listener) => onCredentialEnded(parts.notices, listener),
    mailOwners: (trx, organization, message) => mailOwners(trx, parts.post, organization, message),
  }
}

async function judge(parts: IdentityParts, keys: Keys, presented: Presented, prefers: SessionKind): Promise<Authenticated> {
  switch (presented.kind) {
    case 'none': return nobody
    case 'refused': return refuse(presented.problem)
    case 'key': {
      const caller = await keys.callerOf(presented.key)
      return caller ? { caller, credential: null, cookie: false } : refuse(invalidKey())
    }
    case 'bearer': {
      const caller = await callerOf(parts, presented.token)
      return caller ? { caller, credential: presented.token, cookie: false } : refuse(invalidSession())
    }
    case 'cookies': return byCookies(parts, presented.tokens, prefers)
  }
}

/** Each cookie takes sessions of its own kind only. */
async function byCookies(parts: IdentityParts, tokens: Partial<Record<SessionKind, string>>, prefers: SessionKind): Promise<Authenticated> {
  for (const kind of prefers === 'member' ? ['member', 'endUser'] as const : ['endUser', 'member'] as const) {
    const token = tokens[kind]
    const caller = token === undefined ? null : await callerOf(parts, token)
    if (token !== undefined && caller?.kind === kind) return { caller, credential: token, cookie: true }
  }
  return nobody
}

async function callerOf(parts: IdentityParts, token: string): Promise<Caller | null> {
  const row = await readSession(parts.db, hashOf(token))
  if (!row) return null
  if (row.seenLongAgo) {
    // Who may come in does not depend on it: a database that only reads still serves.
    await noteSeen(parts.db, row.id).catch((err: unknown) => parts.log.warn({ err }, 'the use of a session was not noted'))
  }
  return sessionCaller(row)
}

function sessionCaller(row: SessionRow): Caller | null {
  const { id: session, userId: user, organization, role, application, email, phoneNumber } = row
  if (row.kind === 'member') return { kind: 'member', session, user, organization, role }
  const owner = row.applicationOrganization
  if (application === null || owner === null) return null
  return { kind: 'endUser', session, user, application, organization: owner, email, phoneNumber }
}
