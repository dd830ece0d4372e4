import { expect } from 'chai'
import { addMember } from '../../../../core/features/identity/index.ts'
import type { Role } from '../../../../core/kernel/permission.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'
import { codeOf, createEmail, getOperator, getOwnClient, signInMember } from '../people.ts'

interface ListedMember {
  id: string
  user: { id: string; name: string | null; email: string }
  role: Role
}
const rowsOf = (answer: Answer) => getBody<{ data: ListedMember[] }>(answer).data

describe('Members of an organization', () => {
  let tenant: Tenant
  let address: string
  let emails: Record<Role, string>
  const as = async (role: Role) => getOwnClient(await signInMember(emails[role], tenant.organization))
  const idOf = async (email: string) => {
    const found = await createApiClient(tenant.key).get(`${address}?filters[user.email][eq]=${email}`)
    return String(rowsOf(found)[0]?.id)
  }
  beforeEach(async () => {
    tenant = await buildOrganization()
    address = `/v1/organizations/${tenant.organization}/members`
    emails = {
      owner: tenant.owner,
      admin: await buildMember(tenant.organization, 'admin'),
      editor: await buildMember(tenant.organization, 'editor'),
      viewer: await buildMember(tenant.organization, 'viewer'),
    }
  })

  it('are listed with person and role for those who may read them', async () => {
    const listed = await createApiClient(tenant.key).get(`${address}?sorters[0][field]=createdAt&sorters[0][order]=asc`)
    expect(rowsOf(listed).map(({ user, role }) => [user.email, user.name, role])).to.deep.equal([
      [emails.owner, null, 'owner'],
      [emails.admin, null, 'admin'],
      [emails.editor, null, 'editor'],
      [emails.viewer, null, 'viewer'],
    ])
    const byRole = await (await as('editor')).get(`${address}?filters[role][eq]=viewer`)
    expect(rowsOf(byRole).map(({ user }) => user.email)).to.deep.equal([emails.viewer])
    expect(codeOf(await (await as('viewer')).get(address))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
  })

  it('belong to the active organization: another one is refused like none', async () => {
    const other = await buildOrganization()
    const key = createApiClient(other.key)
    const member = `${address}/${await idOf(emails.viewer)}`
    for (const answer of [
      await key.get(address),
      await key.patch(member, { role: 'admin' }),
      await key.delete(member),
      await createApiClient(tenant.key).delete(member.replace(tenant.organization, other.organization)),
    ])
      expect(codeOf(answer)).to.deep.equal([403, 'ORG_CROSS_ACCESS_DENIED'])
    const elsewhere = `/v1/organizations/${other.organization}/members/${await idOf(emails.viewer)}`
    expect(codeOf(await key.patch(elsewhere, { role: 'admin' }))).to.deep.equal([404, 'NOT_FOUND'])
    expect(codeOf(await key.delete(elsewhere))).to.deep.equal([404, 'NOT_FOUND'])
  })

  it('get another role, which holds from their next request', async () => {
    const viewer = await as('viewer')
    expect((await viewer.get(address)).status).to.equal(403)
    const changed = await (await as('admin')).patch(`${address}/${await idOf(emails.viewer)}`, { role: 'editor' })
    expect(changed.status, changed.text).to.equal(200)
    expect([changed.body['role'], changed.body['user']?.['email']]).to.deep.equal(['editor', emails.viewer])
    expect((await viewer.get(address)).status).to.equal(200)
  })

  it('become and stop being owners by an owner only, never by a key', async () => {
    const admin = await as('admin')
    const key = createApiClient((await buildKey(tenant.organization, { member: ['update', 'delete'] })).key)
    const [owner, editor] = [await idOf(emails.owner), await idOf(emails.editor)]
    for (const { patch, delete: remove } of [admin, key]) {
      for (const answer of [
        await patch(`${address}/${editor}`, { role: 'owner' }),
        await patch(`${address}/${owner}`, { role: 'viewer' }),
        await remove(`${address}/${owner}`),
      ])
        expect(codeOf(answer)).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    }
    const made = await (await as('owner')).patch(`${address}/${editor}`, { role: 'owner' })
    expect([made.status, made.body['role']]).to.deep.equal([200, 'owner'])
  })

  it('always include an owner: the last one neither leaves nor is demoted', async () => {
    const owner = await as('owner')
    const own = `${address}/${await idOf(emails.owner)}`
    expect(codeOf(await owner.patch(own, { role: 'admin' }))).to.deep.equal([409, 'MEMBER_LAST_OWNER'])
    expect(codeOf(await owner.delete(own))).to.deep.equal([409, 'MEMBER_LAST_OWNER'])
    expect((await owner.patch(own, { role: 'owner' })).status, 'the role that they have').to.equal(200)
  })

  it('include an owner after 20 races of two owners who leave at once', async () => {
    const ended = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { organization, owner } = await buildOrganization()
        const second = createEmail('second')
        await addMember(await getOperator(), organization, second, 'owner')
        const leaving = await Promise.all(
          [owner, second].map(async (email) => {
            const client = getOwnClient(await signInMember(email, organization))
            const members = rowsOf(await client.get(`/v1/organizations/${organization}/members`))
            const own = members.find(({ user }) => user.email === email)
            return () => client.delete(`/v1/organizations/${organization}/members/${own?.id}`)
          }),
        )
        return (await Promise.all(leaving.map((leave) => leave()))).map(({ status }) => status).sort()
      }),
    )
    expect(ended).to.deep.equal(Array.from({ length: 20 }, () => [200, 409]))
  })

  it('are removed by those who may, and leave by themselves whatever their role', async () => {
    const viewerId = await idOf(emails.viewer)
    const viewer = await as('viewer')
    const editorId = await idOf(emails.editor)
    expect(codeOf(await viewer.delete(`${address}/${editorId}`))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    const removed = await (await as('admin')).delete(`${address}/${editorId}`)
    expect([removed.status, removed.body['id']]).to.deep.equal([200, editorId])
    const withoutChoice = getOwnClient(await signInMember(emails.viewer))
    expect((await withoutChoice.delete(`${address}/${viewerId}`)).status, 'without choosing the organization').to.equal(
      200,
    )
    expect(codeOf(await viewer.get('/v1/applications'))).to.deep.equal([403, 'AUTH_MISSING_ORG_ID'])
    expect(rowsOf(await createApiClient(tenant.key).get(address))).to.have.length(2)
  })
})
