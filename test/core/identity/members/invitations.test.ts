import { expect } from 'chai'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { endInvitation } from '../../../support/rows/identity/invitations.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'
import { codeOf, createEmail, getOperator, getOwnClient, listMessagesTo, signInMember } from '../people.ts'

interface ListedInvitation {
  id: string
  email: string
  status: string
}
const rowsOf = (answer: Answer) => getBody<{ data: ListedInvitation[] }>(answer).data

describe('Invitations to an organization', () => {
  let tenant: Tenant
  let address: string
  const invite = (email: string, role = 'editor') => createApiClient(tenant.key).post(address, { email, role })
  beforeEach(async () => {
    tenant = await buildOrganization()
    address = `/v1/organizations/${tenant.organization}/invitations`
  })

  it('send a mail with a link, and make the person a member who accepts', async () => {
    const email = createEmail('Invited')
    const made = await invite(email.toUpperCase())
    expect(made.status, made.text).to.equal(201)
    expect(made.body).to.include({ email: email.toLowerCase(), role: 'editor', status: 'pending' })
    const days = (Date.parse(String(made.body['expiresAt'])) - Date.parse(String(made.body['createdAt']))) / 86_400_000
    expect(days).to.be.closeTo(7, 0.01)
    const [mail] = await listMessagesTo(email)
    expect(mail?.text).to.contain(`/console/invitations/${made.body['id']}\n`)
    const person = getOwnClient(await signInMember(email))
    const accepted = await person.post(`/v1/invitations/${made.body['id']}/accept`)
    expect([accepted.status, accepted.body['id'], accepted.body['role']]).to.deep.equal([
      200,
      tenant.organization,
      'editor',
    ])
    expect(rowsOf(await person.get('/v1/organizations')).map(({ id }) => id)).to.deep.equal([tenant.organization])
    const again = await person.post(`/v1/invitations/${made.body['id']}/accept`)
    expect(codeOf(again)).to.deep.equal([409, 'INVITATION_NOT_OPEN'])
  })

  it('are one a person: asked again, the mail goes out again with the new role', async () => {
    const email = createEmail()
    const [first, second] = [await invite(email), await invite(email, 'viewer')]
    expect([first.status, second.status, second.body['id'], second.body['role']]).to.deep.equal([
      201,
      200,
      first.body['id'],
      'viewer',
    ])
    expect(await listMessagesTo(email)).to.have.length(2)
    expect(rowsOf(await createApiClient(tenant.key).get(address))).to.have.length(1)
  })

  it('are one a person after 20 calls at once, of which three send a mail', async () => {
    const email = createEmail()
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(email)))
    const sent = answers.filter(({ status }) => status < 300)
    expect(sent.map(({ status }) => status).sort()).to.deep.equal([200, 200, 201])
    const refused = answers.filter(({ status }) => status >= 300)
    expect(refused.map(codeOf)).to.deep.equal(Array.from({ length: 17 }, () => [429, 'RATE_LIMITED']))
    expect(Number(refused[0]?.headers['retry-after'])).to.be.within(86_000, 86_400)
    expect(await listMessagesTo(email)).to.have.length(3)
  })

  it('of several organizations to one person are three mails a day together', async () => {
    const email = createEmail()
    const others = await Promise.all(Array.from({ length: 4 }, () => buildOrganization()))
    const statuses: number[] = []
    for (const { organization, key } of others) {
      const body = { email, role: 'viewer' }
      statuses.push((await createApiClient(key).post(`/v1/organizations/${organization}/invitations`, body)).status)
    }
    expect(statuses).to.deep.equal([201, 201, 201, 429])
  })

  it('write the name of the organization so that no mail program makes a link of it', async () => {
    await createApiClient(tenant.key).patch(`/v1/organizations/${tenant.organization}`, {
      name: 'Win at https://evil.example/now',
      locale: 'fr-FR',
    })
    const email = createEmail()
    await invite(email)
    const [mail] = await listMessagesTo(email)
    expect(mail?.subject).to.equal('Vous êtes invité à rejoindre Win at https evil example now')
    expect(mail?.text).not.to.contain('evil.example')
  })

  it('are for the person whose verified address they name, and for nobody else', async () => {
    const made = await invite(createEmail())
    const stranger = getOwnClient(await signInMember(createEmail('stranger')))
    for (const act of ['accept', 'decline'])
      expect(codeOf(await stranger.post(`/v1/invitations/${made.body['id']}/${act}`))).to.deep.equal([404, 'NOT_FOUND'])
    const key = await createApiClient(tenant.key).post(`/v1/invitations/${made.body['id']}/accept`)
    expect(codeOf(key)).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
  })

  it('end when they are declined, withdrawn or seven days old', async () => {
    const emails = [createEmail(), createEmail(), createEmail()]
    const [declined = '', withdrawn = '', expired = ''] = await Promise.all(
      emails.map(async (email) => String((await invite(email)).body['id'])),
    )
    const people = await Promise.all(emails.map(async (email) => getOwnClient(await signInMember(email))))
    expect((await people[0]?.post(`/v1/invitations/${declined}/decline`))?.body['status']).to.equal('declined')
    const taken = await createApiClient(tenant.key).delete(`${address}/${withdrawn}`)
    expect([taken.status, taken.body['status']]).to.deep.equal([200, 'withdrawn'])
    await endInvitation((await getOperator()).db, expired)
    for (const [at, id] of [declined, withdrawn, expired].entries()) {
      for (const act of ['accept', 'decline'])
        expect(codeOf((await people[at]?.post(`/v1/invitations/${id}/${act}`)) as Answer)).to.deep.equal([
          409,
          'INVITATION_NOT_OPEN',
        ])
      expect(codeOf(await createApiClient(tenant.key).delete(`${address}/${id}`))).to.deep.equal([
        409,
        'INVITATION_NOT_OPEN',
      ])
    }
    const list = await createApiClient(tenant.key).get(`${address}?sorters[0][field]=createdAt&sorters[0][order]=asc`)
    expect(new Set(rowsOf(list).map(({ status }) => status))).to.deep.equal(
      new Set(['declined', 'withdrawn', 'expired']),
    )
    const open = await createApiClient(tenant.key).get(`${address}?filters[status][eq]=expired`)
    expect(rowsOf(open).map(({ id }) => id)).to.deep.equal([expired])
    const renewed = await invite(emails[2] ?? '')
    expect([renewed.status, renewed.body['id'], renewed.body['status']]).to.deep.equal([201, expired, 'pending'])
  })

  it('are refused to a member, and to a role above the own', async () => {
    const email = await buildMember(tenant.organization, 'viewer')
    expect(codeOf(await invite(email))).to.deep.equal([409, 'MEMBER_EXISTS'])
    const admin = getOwnClient(await signInMember(await buildMember(tenant.organization, 'admin'), tenant.organization))
    const asOwner = { email: createEmail(), role: 'owner' }
    expect(codeOf(await admin.post(address, asOwner))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect((await admin.post(address, { email: createEmail(), role: 'admin' })).status).to.equal(201)
    const owner = getOwnClient(await signInMember(tenant.owner, tenant.organization))
    expect((await owner.post(address, asOwner)).status).to.equal(201)
    const editor = getOwnClient(
      await signInMember(await buildMember(tenant.organization, 'editor'), tenant.organization),
    )
    expect(codeOf(await editor.get(address))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
  })

  it('belong to the active organization: another one is refused like none', async () => {
    const other = await buildOrganization()
    const made = await invite(createEmail())
    const key = createApiClient((await buildKey(other.organization, { invitation: ['read', 'create', 'delete'] })).key)
    for (const answer of [
      await key.get(address),
      await key.post(address, { email: createEmail(), role: 'viewer' }),
      await key.delete(`${address}/${made.body['id']}`),
    ])
      expect(codeOf(answer)).to.deep.equal([403, 'ORG_CROSS_ACCESS_DENIED'])
    const elsewhere = `/v1/organizations/${other.organization}/invitations/${made.body['id']}`
    expect(codeOf(await key.delete(elsewhere))).to.deep.equal([404, 'NOT_FOUND'])
  })

  it('are at most 100 that are open', async () => {
    for (let from = 0; from < 100; from += 20) {
      const made = await Promise.all(Array.from({ length: 20 }, () => invite(createEmail())))
      expect(new Set(made.map(({ status }) => status))).to.deep.equal(new Set([201]))
    }
    expect(codeOf(await invite(createEmail()))).to.deep.equal([409, 'INVITATION_LIMIT'])
    const [first] = rowsOf(await createApiClient(tenant.key).get(address))
    await createApiClient(tenant.key).delete(`${address}/${first?.id}`)
    expect((await invite(createEmail())).status).to.equal(201)
  })
})
