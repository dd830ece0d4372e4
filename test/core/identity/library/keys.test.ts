import { expect } from 'chai'
import { createApiKey, hashSecret, revokeApiKey, type NewApiKey } from '../../../../core/features/identity/index.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { readStoredUser } from '../../../support/rows/identity/users.ts'
import { insertEndedKey, readKeyExpiry, readStoredApiKey } from '../../../support/rows/identity/api-keys.ts'
import { removeMember } from '../../../support/rows/identity/ended-access.ts'
import { buildKey, buildOrganization, type Tenant } from '../../../support/world.ts'
import { createUniqueName, getOperator } from '../people.ts'

const absent = '01a1f94a-0000-7000-8000-00000000000a'
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    ({ code }: ProblemError) => code,
  )

describe('New API key', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })
  const create = async (values: Partial<NewApiKey> = {}) =>
    createApiKey(await getOperator(), { organization: tenant.organization, name: 'k', permissions: {}, ...values })

  it('is a live one in production, and a test one anywhere else', async () => {
    const context = await getOperator()
    for (const [production, beginning] of [
      [true, 'tsr_live_'],
      [false, 'tsr_test_'],
    ] as const) {
      const parts = { ...context, settings: { ...context.settings, production } }
      const made = await createApiKey(parts, { organization: tenant.organization, name: 'k', permissions: {} })
      expect([made.key.slice(0, 9), made.expiresAt]).to.deep.equal([beginning, null])
      expect(await readStoredApiKey(context.db, made.id)).to.include({
        key: hashSecret(made.key),
        enabled: true,
        expires_at: null,
      })
    }
  })

  it('has the secret that is given, and the last four characters of it beside its hash', async () => {
    const { db } = await getOperator()
    const secret = `${createUniqueName('tsr_test_')}last`
    const made = await create({ secret, permissions: { dpp: ['read'] } })
    expect(made).to.deep.equal({ id: made.id, key: secret, permissions: { dpp: ['read'] }, expiresAt: null })
    const { key, metadata, permissions } = await readStoredApiKey(db, made.id)
    expect([key, JSON.parse(metadata), JSON.parse(String(permissions))]).to.deep.equal([
      hashSecret(secret),
      { lastFour: 'last' },
      { dpp: ['read'] },
    ])
  })

  it('has an end even if that has just come', async () => {
    const context = await getOperator()
    const { organization, owner } = tenant
    const { id: user } = await readStoredUser(context.db, owner)
    const expiresAt = new Date(Date.now() - 5_000)
    const id = await insertEndedKey(context, { organization, user, expiresAt })
    expect(await readKeyExpiry(context, id)).to.deep.equal(expiresAt)
  })

  it('has a name of 1 to 100 characters in one line', async () => {
    const { db } = await getOperator()
    for (const name of ['n', 'n'.repeat(100)]) {
      const { id } = await create({ name })
      expect(await readStoredApiKey(db, id)).to.include({ name })
    }
  })

  it('is refused to an organization without an owner', async () => {
    const { db } = await getOperator()
    expect(await codeOf(create({ organization: absent }))).to.equal('NOT_FOUND')
    const { organization, owner } = await buildOrganization()
    const { id } = await buildKey(organization, {})
    await removeMember(db, owner)
    expect(await codeOf(create({ organization }))).to.equal('NOT_FOUND')
    expect(await codeOf(revokeApiKey(await getOperator(), id))).to.equal('NOT_FOUND')
    expect(await readStoredApiKey(db, id)).to.include({ enabled: true })
  })
})

describe('End of an API key', () => {
  it('is stored when it is answered, and the row stays', async () => {
    const context = await getOperator()
    const { organization } = await buildOrganization()
    const { id, key } = await createApiKey(context, { organization, name: 'Shop', permissions: {} })
    expect(await revokeApiKey(context, id)).to.deep.equal({ id, name: 'Shop', organization })
    expect(await readStoredApiKey(context.db, id)).to.include({ enabled: false, name: 'Shop', key: hashSecret(key) })
  })

  it('is not found for a key that is not there', async () => {
    expect(await codeOf(revokeApiKey(await getOperator(), absent))).to.equal('NOT_FOUND')
  })
})
