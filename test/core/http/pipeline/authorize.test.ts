import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { authorizeCaller, authorizeOrigin } from '../../../../core/http/pipeline/authorize.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { declareOperation, type AccessDeclaration, type AccessRule } from '../../../../core/kernel/operation.ts'
import type { AuthenticationResult } from '../../../../core/kernel/ports/identity.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { object } from '../../../../core/kernel/schema.ts'
import { buyerCaller, keyCaller, memberCaller } from '../../../support/values/callers.ts'

const callers = {
  anonymous: { kind: 'anonymous' },
  key: { ...keyCaller, permissions: { dpp: ['create'] } },
  otherKey: { ...keyCaller, permissions: { dpp: ['read'], application: ['create'] } },
  owner: memberCaller,
  viewer: { ...memberCaller, role: 'viewer' },
  homeless: { ...memberCaller, organization: null, role: null },
  /** A member whose role has been taken away. */
  former: { ...memberCaller, role: null },
  buyer: buyerCaller,
} as const satisfies Record<string, Caller>
type CallerName = keyof typeof callers

const callerNames = Object.keys(callers) as CallerName[]

/** Returns what is thrown, or undefined. */
function catchProblem(check: () => void): ProblemError | undefined {
  try {
    return void check()
  } catch (error) {
    return error as ProblemError
  }
}

describe('Access to an operation', () => {
  it('is what its rule gives to each kind of caller', () => {
    for (const [rule, admitted] of [
      ['public', callerNames],
      ['endUser', ['buyer']],
      ['member', ['owner', 'viewer', 'homeless', 'former']],
      ['session', ['owner', 'viewer', 'homeless', 'former', 'buyer']],
      ['keyOrMember', ['key', 'otherKey', 'owner', 'viewer', 'homeless', 'former']],
      ['signedIn', ['key', 'otherKey', 'owner', 'viewer', 'buyer']],
      ['dpp:create', ['key', 'owner']],
      [
        ['loyalty:create', 'dpp:create'],
        ['key', 'owner'],
      ],
    ] as [AccessRule, CallerName[]][]) {
      const found = callerNames.filter((name) => !catchProblem(() => authorizeCaller(callers[name], rule)))
      expect(found, String(rule)).to.deep.equal(admitted)
    }
  })

  it('is refused with a code and a sentence that say what is missing', () => {
    const noOrganization = 'AUTH_MISSING_ORG_ID No organization is active in this session. Choose one with set-active.'
    for (const [name, rule, refusal] of [
      ['anonymous', 'member', 'AUTH_UNAUTHENTICATED This operation needs an API key or a session.'],
      ['key', 'endUser', 'AUTH_INSUFFICIENT_PERMISSIONS This operation is for the buyers of an application.'],
      ['key', 'member', 'AUTH_INSUFFICIENT_PERMISSIONS This operation is for signed-in members.'],
      [
        'key',
        'session',
        'AUTH_INSUFFICIENT_PERMISSIONS This operation is for people who are signed in; a key has no session.',
      ],
      ['buyer', 'keyOrMember', 'AUTH_INSUFFICIENT_PERMISSIONS This operation is for keys and signed-in members.'],
      ['homeless', 'signedIn', noOrganization],
      ['homeless', 'dpp:create', noOrganization],
      ['former', 'dpp:create', noOrganization],
      ['otherKey', 'dpp:create', 'AUTH_INSUFFICIENT_PERMISSIONS This key lacks the permission to create dpp.'],
      ['viewer', 'dpp:create', 'AUTH_INSUFFICIENT_PERMISSIONS Your role lacks the permission to create dpp.'],
      ['buyer', 'dpp:create', 'AUTH_INSUFFICIENT_PERMISSIONS This session lacks the permission to create dpp.'],
    ] as [CallerName, AccessRule, string][]) {
      const problem = catchProblem(() => authorizeCaller(callers[name], rule))
      expect(`${problem?.code} ${problem?.detail}`, `${name} ${rule}`).to.equal(refusal)
      const permission = refusal.endsWith('create dpp.') ? { permission: { resource: 'dpp', action: 'create' } } : {}
      expect(problem?.extra, `${name} ${rule}`).to.deep.equal(permission)
    }
  })
})

describe('Access to an operation: the page that sends a write', () => {
  const own = 'https://tessera.example'
  const requests = {
    own: { origin: own },
    foreign: { origin: 'https://other.example' },
    program: {},
  }

  const declare = (method: 'GET' | 'POST', access: Partial<AccessDeclaration>, page = false) =>
    declareOperation({
      id: 'do_v1',
      method,
      path: '/v1/do',
      access: { rule: 'public', ...access },
      returns: { 200: object({}) },
      ...(page && { transport: { page: true as const } }),
      document: { tag: 'Tests', summary: 'Do it' },
    } as never).withTransactionHandler(async () => ({})).declaration

  it('is one of our own for a form or a cookie, and no foreign one for what changes the session', () => {
    const everyone = ['own', 'foreign', 'program']
    for (const [declaration, cameInCookie, admitted] of [
      [declare('GET', {}), true, everyone],
      [declare('POST', {}), false, everyone],
      [declare('POST', {}), true, ['own']],
      [declare('POST', { allowsAnyOrigin: true }), true, everyone],
      [declare('POST', {}, true), false, ['own']],
      [declare('POST', { changesSession: true }), false, ['own', 'program']],
      [declare('POST', { changesSession: true }), true, ['own']],
    ] as const) {
      const authenticated = { cameInCookie } as AuthenticationResult
      const codes = Object.entries(requests).map(([name, headers]) => [
        name,
        catchProblem(() => authorizeOrigin(authenticated, declaration, headers, new Set([own])))?.code,
      ])
      const expected = everyone.map((name) => [
        name,
        (admitted as readonly string[]).includes(name) ? undefined : 'AUTH_ORIGIN_MISMATCH',
      ])
      expect(codes, JSON.stringify([declaration, cameInCookie])).to.deep.equal(expected)
    }
  })
})
