import { expect } from 'chai'
import { createOrganization, readSessionUser } from '../../../../core/features/identity/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { removeMember } from '../../../support/rows/identity/ended-access.ts'
import { forgetSessionAccount } from '../../../support/rows/identity/sessions.ts'
import { readStoredUser, renameUser } from '../../../support/rows/identity/users.ts'
import { buildOrganization } from '../../../support/world.ts'
import {
  codeOf,
  createEmail,
  createUniqueName,
  getOperator,
  getOwnClient,
  signInBuyer,
  signInMember,
} from '../people.ts'

const path = '/v1/auth/session'

describe('Session of the caller', () => {
  it('is none of a key and of nobody', async () => {
    const { key } = await buildOrganization()
    expect(codeOf(await createApiClient(key).get(path))).to.deep.equal([403, 'AUTH_INSUFFICIENT_PERMISSIONS'])
    expect(codeOf(await createApiClient().get(path))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
  })

  it('is none of a buyer who has no account', async () => {
    const { application } = await buildOrganization()
    const token = String((await signInBuyer(application)).body['token'])
    const api = createApiClient({ bearer: token })
    expect((await api.get(path)).status).to.equal(200)
    await forgetSessionAccount((await getOperator()).db, token)
    expect(codeOf(await api.get(path))).to.deep.equal([401, 'AUTH_UNAUTHENTICATED'])
  })

  it('shows a member who acts for no organization', async () => {
    const email = createEmail()
    const { body } = await getOwnClient(await signInMember(email)).get(path)
    const { id } = await readStoredUser((await getOperator()).db, email)
    expect(body).to.deep.equal({
      user: { id, name: null, email, phoneNumber: null },
      account: null,
      application: null,
      organization: null,
    })
  })

  it('shows the organization that is active, of several, and none that the member left', async () => {
    const context = await getOperator()
    const { organization, owner } = await buildOrganization()
    const name = createUniqueName('Second')
    const second = await createOrganization(context, { name, owner })
    for (const id of [organization, second.id]) {
      const { body } = await getOwnClient(await signInMember(owner, id)).get(path)
      expect(body['organization']).to.include({ id, role: 'owner' })
    }
    const cookie = await signInMember(owner, second.id)
    expect((await getOwnClient(cookie).get(path)).body['organization']).to.deep.equal({
      id: second.id,
      name,
      slug: second.slug,
      role: 'owner',
    })
    await removeMember(context.db, owner)
    const { status, body } = await getOwnClient(cookie).get(path)
    expect([status, body['organization']]).to.deep.equal([200, null])
  })

  it('names a person as the application does, or else as the person does, if at all', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const cookie = await signInMember(email)
    const { id } = await readStoredUser(db, email)
    const nameOf = async (inApplication?: string | null) => (await readSessionUser(db, id, inApplication)).name
    expect(await nameOf()).to.equal(null)
    await renameUser(db, email, 'Ada')
    expect([await nameOf(), await nameOf('Countess'), await nameOf(null)]).to.deep.equal(['Ada', 'Countess', null])
    expect((await getOwnClient(cookie).get(path)).body['user']).to.include({ name: 'Ada', email })
  })
})
