import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { getAuth, insertApiKey } from '../../../../core/features/identity/auth.ts'
import { createApiKey, parsePermissions, revokeApiKey } from '../../../../core/features/identity/keys/api-keys.ts'
import { hashSecret } from '../../../../core/features/identity/keys/keys.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { createFakeDatabase, listSent, type Reply } from '../../../support/values/fake-database.ts'

const organization = '01a1f94a-0000-7000-8000-00000000000a'
const owner = { id: 'm', organization_id: organization, user_id: 'u', role: 'owner' }
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function holdLibrary(settings: object, ...replies: Reply[]) {
  const fake = createFakeDatabase(...replies, [/"members"/, [owner]], [/"organizations"/, [{ id: organization }]])
  const all = { baseUrl: 'http://127.0.0.1:3333', sessionSecret: 'a secret', ...settings }
  const context = { db: fake.db, log, settings: all } as unknown as Context
  Reflect.deleteProperty(await (await getAuth(context)).$context, 'checkSchema')
  return { ...fake, fake, context }
}
const issuesOf = (call: () => unknown) =>
  Promise.resolve()
    .then(call)
    .then(
      () => ['none'],
      ({ code, errors }: ProblemError) => [code, ...(errors ?? []).map((issue) => `${issue.path} ${issue.code}`)],
    )

describe('New API key', () => {
  const inserted: Reply = [/^insert/, [{ id: 'k' }]]

  it('is a live one in production, and a test one anywhere else', async () => {
    for (const [production, beginning] of [
      [true, 'tsr_live_'],
      [false, 'tsr_test_'],
    ] as const) {
      const { context, fake, countRunning } = await holdLibrary({ production }, inserted)
      const { id, key, expiresAt } = await createApiKey(context, { organization, name: 'k', permissions: {} })
      expect([id, key.slice(0, 9), expiresAt, countRunning()]).to.deep.equal(['k', beginning, null, 0])
      expect(listSent(fake, /^insert/)[0]?.values).to.include(hashSecret(key))
      expect(listSent(fake, /^update/)).to.deep.equal([])
    }
  })

  it('has an end from its first row on, which is then made exact', async () => {
    const { context, fake, countRunning, hasty } = await holdLibrary({}, inserted)
    const expiresAt = new Date(Date.now() + 3_600_500)
    const secret = `tsr_test_${'k'.repeat(36)}last`
    const made = await createApiKey(context, { organization, name: 'k', permissions: {}, expiresAt, secret })
    expect([made.key, made.expiresAt, countRunning(), hasty]).to.deep.equal([secret, expiresAt.toISOString(), 0, []])
    const [insert] = listSent(fake, /^insert/)
    const ends = insert?.values.filter((value) => value instanceof Date || /^\d{4}-.*Z$/.test(String(value))) ?? []
    const last = Math.max(...ends.map((end) => new Date(end as string).getTime()))
    expect(last - expiresAt.getTime()).to.be.within(-10, 60_000)
    expect(insert?.values.map(String).join()).to.contain('"lastFour":"last"')
    const [update] = listSent(fake, /^update "api_keys"/)
    expect(update?.values.map((value) => new Date(value as string).getTime())).to.include(expiresAt.getTime())
  })

  it('has an end even if that has just come', async () => {
    const { context, fake } = await holdLibrary({}, inserted)
    const row = { organization, name: 'k', permissions: {}, secret: 'x', user: 'u' }
    await insertApiKey(context, { ...row, expiresAt: new Date(Date.now() - 5_000) })
    expect(listSent(fake, /^insert/)).to.have.length(1)
  })

  it('has a name of 1 to 100 characters in one line, and an end that lies ahead', async () => {
    const { context } = await holdLibrary({}, inserted)
    const create = (values: object) =>
      issuesOf(() => createApiKey(context, { organization, name: 'k', permissions: {}, ...values }))
    for (const name of ['n', 'n'.repeat(100)]) expect(await create({ name }), name).to.deep.equal(['none'])
    for (const name of ['', 'n'.repeat(101)])
      expect(await create({ name }), name).to.deep.equal(['VALIDATION_FAILED', 'name length'])
    expect(await create({ name: 'a\nb' })).to.deep.equal(['VALIDATION_FAILED', 'name format'])
    const past = { getTime: () => Date.now() } as Date
    expect(await create({ expiresAt: past })).to.deep.equal(['VALIDATION_FAILED', 'expiresAt past'])
  })

  it('is refused to an organization without an owner', async () => {
    const { context, fake } = await holdLibrary({}, [/"members"/, []])
    const create = () => createApiKey(context, { organization, name: 'k', permissions: {} })
    expect(await issuesOf(create)).to.deep.equal(['NOT_FOUND'])
    expect(listSent(fake, /"members"/)[0]?.values).to.include.members([organization, 'owner'])
    expect(await issuesOf(() => revokeApiKey(context, 'k'))).to.deep.equal(['NOT_FOUND'])
  })
})

describe('End of an API key', () => {
  it('is stored when it is answered, and the row stays', async () => {
    const row = { id: 'k', name: 'Shop', organization, key: 'hash', enabled: true, config_id: 'default' }
    const { context, fake, countRunning } = await holdLibrary({}, [/"api_keys"/, [row]])
    expect(await revokeApiKey(context, 'k')).to.include({ id: 'k', name: 'Shop', organization })
    expect(countRunning()).to.equal(0)
    expect(listSent(fake, /^update "api_keys"/)[0]?.values).to.include.members([false, 'k'])
    expect(fake.statements[0]?.text).to.contain('"id", "name", "organization"')
    expect(fake.statements[0]?.values).to.include('k')
  })
})

describe('Permission map from outside', () => {
  it('keeps the actions of each resource in their order, once', () => {
    expect(parsePermissions({ dpp: ['update', 'read', 'read'], application: [] })).to.deep.equal({
      dpp: ['read', 'update'],
      application: [],
    })
    expect(parsePermissions({})).to.deep.equal({})
  })

  it('names every part that is wrong by its path', async () => {
    for (const value of [null, 'dpp', ['dpp'], 1])
      expect(await issuesOf(() => parsePermissions(value))).to.deep.equal(['VALIDATION_FAILED', 'permissions type'])
    const wrong = { moon: ['read'], dpp: 'read', application: ['read', 'fly', 3], job: {} }
    expect(await issuesOf(() => parsePermissions(wrong, 'flags'))).to.deep.equal([
      'VALIDATION_FAILED',
      'flags.moon enum',
      'flags.dpp type',
      'flags.application[1] enum',
      'flags.application[2] enum',
      'flags.job enum',
    ])
  })
})
