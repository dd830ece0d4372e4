import { createHash } from 'node:crypto'
import { expect } from 'chai'
import {
  createApiKey,
  createApiKeySecret,
  createIdentity,
  hashSecret,
} from '../../../../core/features/identity/index.ts'
import { waitUntil } from '../../../support/processes.ts'
import { disableApiKeySilently, storePermissions } from '../../../support/rows/identity/api-keys.ts'
import { buildKey, buildOrganization } from '../../../support/world.ts'
import { getOperator } from '../people.ts'

describe('Cache of API keys', () => {
  let organization: string
  before(async () => {
    ;({ organization } = await buildOrganization())
  })
  const find = async (key: string) => (await getOperator()).identity.authenticate({ 'x-api-key': key })
  const waitForNotice = async (hash: string, change: () => Promise<void>) => {
    const heard: string[] = []
    const unsubscribe = (await getOperator()).notices.subscribe('api_keys', (payload) => heard.push(payload))
    try {
      await change()
      await waitUntil('the notice is heard', () => heard.includes(hash))
    } finally {
      unsubscribe()
    }
  }
  const codeOf = async (key: string) => (await find(key)).problem?.code ?? 'none'

  it('reads a key once, by its hash, with the permissions that this version knows', async () => {
    const { db } = await getOperator()
    const { id, key } = await buildKey(organization, {})
    // The notice of this change would take the key from the cache if it came later.
    await waitForNotice(hashSecret(key), () =>
      storePermissions(db, id, '{"dpp":["update","read","fly"],"moon":["read"]}'),
    )
    const caller = { kind: 'key', application: null, id, organization, permissions: { dpp: ['read', 'update'] } }
    expect((await find(key)).caller).to.deep.equal(caller)
    await disableApiKeySilently(db, id)
    expect((await find(key)).caller, 'without another look').to.deep.equal(caller)
    expect(hashSecret(key)).to.equal(createHash('sha256').update(key).digest('base64url'))
  })

  it('keeps no guess, so that a new key works at once', async () => {
    const secret = createApiKeySecret('test')
    expect([await codeOf(secret), await codeOf(secret)]).to.deep.equal(['AUTH_INVALID_API_KEY', 'AUTH_INVALID_API_KEY'])
    await createApiKey(await getOperator(), { organization, name: 'k', permissions: {}, secret })
    expect(await codeOf(secret)).to.equal('none')
  })

  it('refuses a key from its last instant, also one that it keeps', async () => {
    const context = await getOperator()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const { key } = await buildKey(organization, {}, { expiresAt })
    let distanceMs = -1
    const clock = { now: () => new Date(expiresAt.getTime() + distanceMs) }
    const identity = createIdentity({ ...context, clock })
    for (const [ms, kind] of [
      [-1, 'key'],
      [0, 'anonymous'],
      [1, 'anonymous'],
    ] as const) {
      distanceMs = ms
      expect((await identity.authenticate({ 'x-api-key': key })).caller.kind, `${ms} ms`).to.equal(kind)
      const other = createIdentity({ ...context, clock })
      expect((await other.authenticate({ 'x-api-key': key })).caller.kind, `${ms} ms, read anew`).to.equal(kind)
    }
  })

  it('gives a key without a map no permission', async () => {
    const { id, key } = await buildKey(organization, { dpp: ['read'] })
    await storePermissions((await getOperator()).db, id, null)
    expect((await find(key)).caller).to.deep.equal({
      kind: 'key',
      application: null,
      id,
      organization,
      permissions: {},
    })
  })
})
