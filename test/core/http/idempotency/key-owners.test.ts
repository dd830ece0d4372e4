import { expect } from 'chai'
import {
  acceptsIdempotencyKey,
  hashRequest,
  maxKeySeconds,
  parseIdempotencyKey,
} from '../../../../core/http/idempotency/keys.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { OperationDeclaration } from '../../../../core/kernel/operation.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { buyerCaller, keyCaller, memberCaller } from '../../../support/values/callers.ts'

const declareRule = (rule: string) => ({ access: { rule } }) as OperationDeclaration
const forOrganization = declareRule('dpp:create')

describe('Idempotency-Key: whose it is', () => {
  it('is that of one API key, member or buyer, in one organization or application', () => {
    const owners = [keyCaller, memberCaller, buyerCaller].map((caller) =>
      parseIdempotencyKey({ 'idempotency-key': 'x' }, caller, forOrganization),
    )
    expect(owners).to.deep.equal([
      { key: 'x', scope: 'organization:o:key:k', share: 'organization:o', seconds: maxKeySeconds },
      { key: 'x', scope: 'organization:o:member:u', share: 'organization:o', seconds: maxKeySeconds },
      { key: 'x', scope: 'user:a:u', share: 'buyers:o', seconds: maxKeySeconds },
    ])
  })

  it('is of no account for callers who cannot be told apart, and for a member without an organization', () => {
    for (const caller of [{ kind: 'anonymous' }, { ...memberCaller, organization: null, role: null }] as Caller[])
      expect(parseIdempotencyKey({ 'idempotency-key': 'x' }, caller, forOrganization), caller.kind).to.equal(null)
    expect(parseIdempotencyKey({}, keyCaller, forOrganization)).to.equal(null)
  })

  it('is the person where members act for themselves, whatever organization they act for', () => {
    const own = { key: 'x', scope: 'person:u', share: 'person:u', seconds: maxKeySeconds }
    for (const rule of ['member', 'session'])
      for (const caller of [memberCaller, { ...memberCaller, organization: null, role: null }] as Caller[])
        expect(parseIdempotencyKey({ 'idempotency-key': 'x' }, caller, declareRule(rule)), rule).to.deep.equal(own)
    expect(parseIdempotencyKey({ 'idempotency-key': 'x' }, buyerCaller, declareRule('session'))?.scope).to.equal(
      'user:a:u',
    )
  })

  it('is taken for changes, except those of a session, sign-ins and forms', () => {
    const declare = (method: string, access: object = {}, transport: object = {}) =>
      ({ method, access, transport }) as unknown as OperationDeclaration
    for (const [declaration, isTaken] of [
      [declare('POST'), true],
      [declare('PATCH'), true],
      [declare('DELETE'), true],
      [declare('GET'), false],
      [declare('POST', { allowsAnyOrigin: true }), false],
      [declare('POST', { changesSession: true }), false],
      [declare('POST', {}, { page: true }), false],
    ] as const)
      expect(acceptsIdempotencyKey(declaration), JSON.stringify(declaration)).to.equal(isTaken)
  })

  it('has 1 to 255 printable characters, and a window of 1 second to 30 days', () => {
    const parse = (text: string | string[], window?: string | string[]) => {
      try {
        const headers = { 'idempotency-key': text, 'idempotency-window': window }
        return parseIdempotencyKey(headers, keyCaller, forOrganization)?.seconds
      } catch (error) {
        const { code, errors } = error as ProblemError
        return `${code} ${errors?.[0]?.path}`
      }
    }
    for (const text of [' ', '~', 'x'.repeat(255)]) expect(parse(text), text).to.equal(maxKeySeconds)
    for (const text of ['', 'x'.repeat(256), 'é', 'a\tb', '\x7f', ['a', 'b']])
      expect(parse(text), String(text)).to.equal('INVALID_REQUEST Idempotency-Key')
    for (const window of ['1', '2592000']) expect(parse('x', window), window).to.equal(Number(window))
    for (const window of ['', '0', '01', '2592001', '1.5', '-1', ['1', '1']])
      expect(parse('x', window), String(window)).to.equal('INVALID_REQUEST Idempotency-Window')
  })

  it('is of one request: its target and its body', () => {
    const hashes = [
      hashRequest('POST /a?', Buffer.from('b')),
      hashRequest('POST /a?b', Buffer.from('b')),
      hashRequest('POST /a?', Buffer.from('c')),
      hashRequest('POST /a?\n', Buffer.from('b')),
      hashRequest('POST /a?b', Buffer.alloc(0)),
    ].map((hash) => hash.toString('hex'))
    expect(new Set(hashes).size).to.equal(hashes.length)
    expect(hashRequest('POST /a?', Buffer.from('b')).toString('hex')).to.equal(hashes[0])
  })
})
