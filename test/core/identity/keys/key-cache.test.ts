import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { ApiKeyCache, createApiKeySecret, hashSecret } from '../../../../core/features/identity/keys/keys.ts'
import type { Notices } from '../../../../core/kernel/ports/notices.ts'
import { createFakeDatabase, type FakeDatabase } from '../../../support/values/fake-database.ts'

const now = new Date('2030-01-01T00:00:00.000Z')

interface Held extends FakeDatabase {
  cache: ApiKeyCache
  /** Tells the cache of a change. */
  tell(hash: string): void
}

/** A cache on a database with one key, whose notices the test sends. */
function hold(row: object | null = {}): Held {
  const columns = { id: 'k', organization: 'o', permissions: '{"dpp":["update","read","fly"],"moon":["read"]}' }
  const fake = createFakeDatabase([/api_keys/, row === null ? [] : [{ ...columns, expiresAt: null, ...row }]])
  const listeners: ((payload: string) => void)[] = []
  const notices = {
    subscribe: (channel: string, listener: (payload: string) => void) => {
      if (channel === 'api_keys') listeners.push(listener)
      return () => undefined
    },
  } as unknown as Notices
  const cache = new ApiKeyCache({ db: fake.db, clock: { now: () => now }, notices })
  return { ...fake, cache, tell: (hash) => listeners.forEach((listener) => listener(hash)) }
}

const caller = { kind: 'key', id: 'k', organization: 'o', permissions: { dpp: ['read', 'update'] } }

describe('Cache of API keys', () => {
  it('reads a key once, by its hash, with the permissions that this version knows', async () => {
    const { cache, statements } = hold()
    expect(await cache.findCaller('secret')).to.deep.equal(caller)
    expect(await cache.findCaller('secret')).to.deep.equal(caller)
    expect(statements.map(({ values }) => values)).to.deep.equal([[hashSecret('secret')]])
    expect(hashSecret('secret')).to.equal('K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols')
  })

  it('forgets the key of a notice, and every key when notices were lost', async () => {
    const { cache, statements, tell } = hold()
    const countReads = async () => {
      const before = statements.length
      for (const key of ['one', 'two']) await cache.findCaller(key)
      return statements.length - before
    }
    expect(await countReads()).to.equal(2)
    tell(hashSecret('one'))
    expect(await countReads()).to.equal(1)
    tell('')
    expect(await countReads()).to.equal(2)
    expect(await countReads()).to.equal(0)
  })

  it('keeps no key that changed while it was read', async () => {
    const { cache, statements, tell } = hold()
    const reading = cache.findCaller('secret')
    tell(hashSecret('another'))
    expect(await reading).to.deep.equal(caller)
    await cache.findCaller('secret')
    await cache.findCaller('secret')
    expect(statements.length).to.equal(2)
  })

  it('keeps no guess, so that a new key works at once', async () => {
    const { cache, statements } = hold(null)
    expect([await cache.findCaller('guess'), await cache.findCaller('guess')]).to.deep.equal([null, null])
    expect(statements.length).to.equal(2)
  })

  it('refuses a key from its last instant, also one that it keeps', async () => {
    const at = (ms: number) => hold({ expiresAt: new Date(now.getTime() + ms) })
    expect(await at(1).cache.findCaller('secret')).to.deep.equal(caller)
    expect(await at(0).cache.findCaller('secret')).to.equal(null)
    const { cache } = at(-1)
    expect([await cache.findCaller('secret'), await cache.findCaller('secret')]).to.deep.equal([null, null])
  })

  it('gives a key without a map no permission', async () => {
    expect((await hold({ permissions: null }).cache.findCaller('secret'))?.permissions).to.deep.equal({})
  })
})

describe('Secret of a new API key', () => {
  it('says what it is for, and uses every letter in both cases and every digit', () => {
    expect(createApiKeySecret('live')).to.match(/^tsr_live_[A-Za-z0-9]{40}$/)
    const secrets = Array.from({ length: 200 }, () => createApiKeySecret('test'))
    expect(new Set(secrets).size).to.equal(200)
    const characters = new Set(secrets.map((secret) => secret.replace('tsr_test_', '')).join(''))
    expect(characters.size).to.equal(62)
  })
})
