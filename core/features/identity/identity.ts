import type { Context } from '../../kernel/work.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { AuthenticationResult, Identity } from '../../kernel/ports/identity.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import {
  createInvalidKeyProblem,
  createInvalidSessionProblem,
  parseRequestCredential,
  type RequestCredential,
  type SessionKind,
} from './keys/credentials.ts'
import { updateLastSeen, findSession, type SessionRow } from './identity.reads.ts'
import { KeyUses } from './keys/key-uses.ts'
import { recordAct } from './acts/acts.ts'
import { hashSecret, ApiKeyCache } from './keys/keys.ts'
import { mailOwners } from './organizations/owners.ts'
import { onCredentialEnded } from './sessions/ended-credentials.ts'

type IdentityContext = Pick<Context, 'db' | 'clock' | 'log' | 'notices' | 'messenger'>

const anonymous: AuthenticationResult = { caller: { kind: 'anonymous' }, credential: null, cameInCookie: false }
const createRefusal = (cause: ProblemError): AuthenticationResult => ({ ...anonymous, problem: cause })

/**
 * Creates the service that authenticates requests by their headers. A key alone decides, even if the request also
 * carries a session. A request with a stale cookie is anonymous; a request with a stale Bearer token or a wrong key is
 * refused, on public routes too. Of two cookies the kind that the route prefers is tried first.
 */
export function createIdentity(parts: IdentityContext): Identity {
  const keys = new ApiKeyCache(parts)
  const uses = new KeyUses(parts)
  return {
    authenticate: async (headers, prefers = 'member', getAddress) => {
      const authenticated = await authenticateCredential(parts, keys, parseRequestCredential(headers), prefers)
      if (authenticated.caller.kind === 'key' && getAddress) uses.note(authenticated.caller.id, getAddress)
      return authenticated
    },
    onCredentialEnded: (listener) => onCredentialEnded(parts.notices, listener),
    recordAct,
    mailOwners: (trx, organization, mail) => mailOwners(trx, parts.messenger, organization, mail),
  }
}

async function authenticateCredential(
  parts: IdentityContext,
  keys: ApiKeyCache,
  presentedCredential: RequestCredential,
  preferredKind: SessionKind,
): Promise<AuthenticationResult> {
  switch (presentedCredential.kind) {
    case 'none':
      return anonymous
    case 'refused':
      return createRefusal(presentedCredential.problem)
    case 'key': {
      const caller = await keys.findCaller(presentedCredential.key)
      return caller ? { caller, credential: null, cameInCookie: false } : createRefusal(createInvalidKeyProblem())
    }
    case 'bearer': {
      const caller = await findSessionCaller(parts, presentedCredential.token)
      return caller
        ? { caller, credential: presentedCredential.token, cameInCookie: false }
        : createRefusal(createInvalidSessionProblem())
    }
    case 'cookies':
      return authenticateCookies(parts, presentedCredential.tokens, preferredKind)
  }
}

/** Authenticates a request by its cookies. Each cookie is valid for sessions of its own kind only. */
async function authenticateCookies(
  parts: IdentityContext,
  tokens: Partial<Record<SessionKind, string>>,
  preferredKind: SessionKind,
): Promise<AuthenticationResult> {
  for (const kind of preferredKind === 'member' ? (['member', 'endUser'] as const) : (['endUser', 'member'] as const)) {
    const token = tokens[kind]
    const caller = token === undefined ? null : await findSessionCaller(parts, token)
    if (token !== undefined && caller?.kind === kind) return { caller, credential: token, cameInCookie: true }
  }
  return anonymous
}

async function findSessionCaller(parts: IdentityContext, token: string): Promise<Caller | null> {
  const row = await findSession(parts.db, hashSecret(token))
  if (!row) return null
  if (row.seenLongAgo) {
    // Access does not depend on this update, so a read-only database still serves requests.
    await updateLastSeen(parts.db, row.id).catch((err: unknown) =>
      parts.log.warn({ err }, 'the use of a session was not noted'),
    )
  }
  return toSessionCaller(row)
}

function toSessionCaller(row: SessionRow): Caller | null {
  const { id: session, userId: user, organization, role, application, email, phoneNumber } = row
  if (row.kind === 'member') return { kind: 'member', session, user, organization, role }
  const owner = row.applicationOrganization
  if (application === null || owner === null) return null
  return { kind: 'endUser', session, user, application, organization: owner, email, phoneNumber }
}
