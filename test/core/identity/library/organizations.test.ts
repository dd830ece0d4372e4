import { expect } from 'chai'
import { addMember, createOrganization } from '../../../../core/features/identity/index.ts'
import { readStoredSession } from '../../../support/rows/identity/sessions.ts'
import { readStoredUser } from '../../../support/rows/identity/users.ts'
import { buildMember, buildOrganization } from '../../../support/world.ts'
import { createEmail, createUniqueName, getOperator, getOwnClient, listMessagesTo, signInMember } from '../people.ts'

const readActive = async (cookie: string) => {
  const { body } = await getOwnClient(cookie).get('/v1/auth/session')
  return body['organization']
}

describe('New organization', () => {
  it('gives its owner, if new, an address that nobody has proven', async () => {
    const context = await getOperator()
    const [owner, name] = [createEmail('owner'), createUniqueName('Shop')]
    const made = await createOrganization(context, { name, owner: owner.toUpperCase() })
    expect(made).to.deep.equal({ id: made.id, name, slug: name.toLowerCase(), owner })
    expect((await readStoredUser(context.db, owner)).isVerified).to.equal(false)
    expect(await readActive(await signInMember(owner, made.id))).to.include({ id: made.id, role: 'owner' })
  })

  it('leaves the address of its owner, if known, as proven as it is', async () => {
    const context = await getOperator()
    const owner = createEmail('owner')
    await signInMember(owner)
    const before = await readStoredUser(context.db, owner)
    expect(before.isVerified).to.equal(true)
    await createOrganization(context, { name: createUniqueName('Shop'), owner })
    expect(await readStoredUser(context.db, owner)).to.deep.equal(before)
  })
})

describe('Member of an organization', () => {
  it('is found by an address in any case, and has the role when that is answered', async () => {
    const context = await getOperator()
    const { organization } = await buildOrganization()
    const email = createEmail('editor')
    await signInMember(email)
    const { id } = await readStoredUser(context.db, email)
    expect(await addMember(context, organization, email.toUpperCase(), 'editor')).to.equal(id)
    expect(await readActive(await signInMember(email, organization))).to.include({ id: organization, role: 'editor' })
  })

  it('acts for an organization when that is answered, for as long as the session was to last', async () => {
    const { db } = await getOperator()
    const { organization, owner } = await buildOrganization()
    const cookie = await signInMember(owner)
    const token = cookie.slice(cookie.indexOf('=') + 1)
    const { expiresAt } = await readStoredSession(db, token)
    await getOwnClient(cookie).post('/v1/auth/organization/set-active', { organizationId: organization })
    expect(await readActive(cookie)).to.include({ id: organization })
    expect((await readStoredSession(db, token)).expiresAt).to.deep.equal(expiresAt)
  })
})

describe('Mail to the owners of an organization', () => {
  const countMails = async (email: string) =>
    (await listMessagesTo(email)).filter(({ subject }) => subject === 'S').length

  it('goes to each of them with the change, the first twenty', async () => {
    const { db, identity } = await getOperator()
    const { organization, owner } = await buildOrganization()
    const editor = await buildMember(organization, 'editor')
    const owners = [owner]
    while (owners.length < 21) owners.push(await buildMember(organization, 'owner'))
    await db.transaction((trx) => identity.mailOwners(trx, organization, { subject: 'S', parts: ['T'] }))
    const counts = await Promise.all([...owners, editor].map(countMails))
    expect(counts).to.deep.equal([...Array.from({ length: 20 }, () => 1), 0, 0])
    const [message] = await listMessagesTo(owner)
    expect(message).to.include({ to: owner, channel: 'email', subject: 'S', text: 'T\n' })
  })

  it('does not go where the change is taken back', async () => {
    const { db, identity } = await getOperator()
    const { organization, owner } = await buildOrganization()
    const change = db.transaction(async (trx) => {
      await identity.mailOwners(trx, organization, { subject: 'S', parts: ['T'] })
      throw new Error('taken back')
    })
    expect(await change.catch(({ message }: Error) => message)).to.equal('taken back')
    expect(await countMails(owner)).to.equal(0)
  })
})
