import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { activateOrganization, getAuth } from '../../../../core/features/identity/auth.ts'
import { addMember, createOrganization } from '../../../../core/features/identity/organizations/organizations.ts'
import { mailOwners } from '../../../../core/features/identity/organizations/owners.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import {
  createDuplicateError,
  createFakeDatabase,
  createFakeMessenger,
  listSent,
  type Reply,
} from '../../../support/values/fake-database.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function holdLibrary(...replies: Reply[]) {
  const fake = createFakeDatabase(...replies)
  const settings = { baseUrl: 'http://127.0.0.1:3333', sessionSecret: 'a secret' }
  const context = { db: fake.db, log, settings } as unknown as Context
  Reflect.deleteProperty(await (await getAuth(context)).$context, 'checkSchema')
  return { ...fake, fake, context }
}
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    ({ message }: Error) => message,
  )
const user: Reply = [/^select.*"users"/, [{ id: 'u', email: 'ada@people.example' }]]

describe('New organization', () => {
  const create = (context: Context) => createOrganization(context, { name: 'Shop', owner: 'Ada@People.EXAMPLE' })

  it('is tried again with another slug as long as slugs are taken meanwhile, and twenty times at most', async () => {
    const taken = createDuplicateError('organizations_slug_key')
    const { context, fake } = await holdLibrary(user, [/^insert into "organizations"/, taken])
    expect(await messageOf(create(context))).to.equal(taken.message)
    expect(listSent(fake, /^insert into "organizations"/)).to.have.length(20)
  })

  it('is tried again where the library finds the slug taken first', async () => {
    let reads = 0
    const { context, fake, countRunning } = await holdLibrary(
      user,
      [/"primary".*"organizations"/, () => (reads++ === 0 ? [{ id: 'other', slug: 'shop' }] : [])],
      [/^insert into "organizations"/, [{ id: 'o' }]],
      [/^insert into "members"/, [{ id: 'm' }]],
    )
    expect(await create(context)).to.deep.equal({ id: 'o', name: 'Shop', slug: 'shop', owner: 'ada@people.example' })
    expect([listSent(fake, /^insert into "organizations"/).length, countRunning()]).to.deep.equal([1, 0])
    expect(listSent(fake, /^insert into "organizations"/)[0]?.values).to.include('company')
    expect(listSent(fake, /^insert into "members"/)[0]?.values).to.include.members(['o', 'u', 'owner'])
  })

  it('ends at once with every other fault', async () => {
    for (const fault of [createDuplicateError('organizations_pkey'), new Error('the database is gone')]) {
      const { context, fake } = await holdLibrary(user, [/^insert into "organizations"/, fault])
      expect(await messageOf(create(context))).to.equal(fault.message)
      expect(listSent(fake, /^insert into "organizations"/)).to.have.length(1)
    }
  })

  it('gives its owner, if new, an address that nobody has proven', async () => {
    const { context, fake } = await holdLibrary(
      [/^insert into "users"/, [{ id: 'new' }]],
      [/^insert into "organizations"/, [{ id: 'o' }]],
      [/^insert into "members"/, [{ id: 'm' }]],
      [/^select.*"users".*"id" = /, [{ id: 'new' }]],
    )
    await create(context)
    const [insert] = listSent(fake, /^insert into "users"/)
    const columns = /\(([^)]*)\) values/.exec(insert?.text ?? '')?.[1]?.split(', ') ?? []
    expect(insert?.values[columns.indexOf('"email_verified"')]).to.equal(false)
    expect(insert?.values[columns.indexOf('"email"')]).to.equal('ada@people.example')
  })
})

describe('Member of an organization', () => {
  it('is found by an address in any case, and has the role when that is answered', async () => {
    const { context, fake, countRunning } = await holdLibrary(
      [/count\(/, [{ count: '0' }]],
      user,
      [/"organizations"/, [{ id: 'o' }]],
      [/^insert into "members"/, [{ id: 'm' }]],
    )
    expect(await addMember(context, 'o', 'ADA@people.example', 'editor')).to.equal('u')
    expect(listSent(fake, /"users"/)[0]?.values).to.include('ada@people.example')
    expect(listSent(fake, /^insert into "members"/)[0]?.values).to.include.members(['o', 'u', 'editor'])
    expect(countRunning()).to.equal(0)
  })

  it('acts for an organization when that is answered, for as long as the session was to last', async () => {
    const session = {
      id: 's',
      token: 'hash',
      user_id: 'u',
      expires_at: new Date(Date.now() + 3 * 86_400_000),
      created_at: new Date(0),
      updated_at: new Date(0),
    }
    const { context, fake, countRunning } = await holdLibrary(
      [/"sessions"/, [session]],
      user,
      [/"members"/, [{ id: 'm', organization_id: 'o', user_id: 'u', role: 'owner' }]],
      [/"organizations"/, [{ id: 'o' }]],
    )
    await activateOrganization(context, 't'.repeat(32), 'o')
    const updates = listSent(fake, /^update "sessions"/)
    expect([updates.length, updates[0]?.values.includes('o'), countRunning()]).to.deep.equal([1, true, 0])
    expect(updates[0]?.text).not.to.contain('expires_at')
  })
})

describe('Mail to the owners of an organization', () => {
  it('goes to each of them before the change is committed, the first ones first', async () => {
    const { db, hasty, statements, countRunning } = createFakeDatabase([
      /members/,
      ['a', 'b'].map((email) => ({ email })),
    ])
    const { messenger, messages } = createFakeMessenger()
    await db.transaction((trx) => mailOwners(trx, messenger, 'o', { subject: 'S', text: 'T' }))
    expect(messages).to.deep.equal(['a', 'b'].map((to) => ({ to, channel: 'email', subject: 'S', text: 'T' })))
    expect([hasty, countRunning()]).to.deep.equal([[], 0])
    expect(statements[1]?.text).to.match(/order by "m"\."id" asc limit/)
    expect(statements[1]?.values).to.deep.equal(['o', 'owner', 20])
  })
})
