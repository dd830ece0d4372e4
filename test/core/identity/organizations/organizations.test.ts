import { expect } from 'chai'
import { addMember, createOrganization } from '../../../../core/features/identity/index.ts'
import { buildMember, buildOrganization } from '../../../support/world.ts'
import { createEmail, createUniqueName, getOperator, getOwnClient, signInMember } from '../people.ts'

/** The error of a call that has to fail. */
const fail = (call: Promise<unknown>): Promise<{ message: string }> =>
  call.then(
    () => ({ message: 'it did not fail' }),
    (cause: Error) => cause,
  )

describe('Organization: members', () => {
  it('have one role: who is a member already is refused, and stays as before', async () => {
    const { organization } = await buildOrganization()
    const email = await buildMember(organization, 'viewer')
    const { message } = await fail(addMember(await getOperator(), organization, email, 'admin'))
    expect(message).to.match(/already a member/)
    const session = await getOwnClient(await signInMember(email, organization)).get('/v1/auth/session')
    expect(session.body['organization']?.['role']).to.equal('viewer')
  })
})

describe('Organization: creation', () => {
  it('ends with the error when the database refuses more than its slug', async () => {
    const name = `${createUniqueName('Nul')} \0`
    const { message } = await fail(createOrganization(await getOperator(), { name, owner: createEmail('owner') }))
    expect(message).to.contain('0x00')
  })
})
