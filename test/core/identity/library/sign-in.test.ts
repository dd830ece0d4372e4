import { expect } from 'chai'
import { sendBuyerCode } from '../../../../core/features/identity/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { renameApplication } from '../../../support/rows/applications/application-changes.ts'
import { countSessionRows } from '../../../support/rows/identity/ended-sessions.ts'
import { insertSessions } from '../../../support/rows/identity/sign-ins.ts'
import { openSessionWithoutRealm, readStoredSession } from '../../../support/rows/identity/sessions.ts'
import {
  countCredentials,
  countUsers,
  insertCredential,
  readAddressOfPhone,
  readStoredUser,
} from '../../../support/rows/identity/users.ts'
import { buildApplication, buildOrganization, type Tenant } from '../../../support/world.ts'
import {
  createEmail,
  createOtherCode,
  createPhone,
  enablePhones,
  getOperator,
  getOwnClient,
  listMessagesTo,
  readCodeFor,
  requestCode,
  signInBuyer,
  signInMember,
  verifyOtp,
} from '../people.ts'

const inAnHour = () => new Date(Date.now() + 3_600_000)

describe('Sign-in library: what it is called with', () => {
  it('makes no session that nobody asked for', async () => {
    const context = await getOperator()
    const { owner } = await buildOrganization()
    const { id } = await readStoredUser(context.db, owner)
    const message = await openSessionWithoutRealm(context, id).then(
      () => 'none',
      (error: Error) => error.message,
    )
    expect(message).to.equal('The sign-in library was called without realm')
    expect(await countSessionRows(context.db, owner)).to.equal(0)
  })
})

describe('Sign-in library: codes', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('are sent in the name of the application, in one line without hidden characters', async () => {
    const { db } = await getOperator()
    const application = await buildApplication(tenant.organization)
    await renameApplication(db, application, ' A\u202e\nShop \u200b')
    const email = createEmail()
    expect((await requestCode(application, email)).status).to.equal(204)
    const [message] = await listMessagesTo(email)
    expect(message?.subject).to.equal(`${await readCodeFor(email)} is your code for A Shop`)
    expect(message).to.include({ to: email, channel: 'email' })
  })

  it('are not made where they are switched off, or where no message can go out', async () => {
    const context = await getOperator()
    await enablePhones(tenant.organization)
    const { application } = tenant
    const phone = createPhone()
    const byMail = { application, type: 'email-otp', email: createEmail() } as const
    const byPhone = { application, type: 'phone-otp', phoneCallingCode: '39', phone } as const
    for (const [settings, body, word] of [
      [{ signInCodes: 'off' }, byMail, 'switched off'],
      [{ production: true }, byMail, 'cannot send mail'],
      [{ production: true }, byPhone, 'cannot send text messages'],
    ] as const) {
      const parts = { ...context, settings: { ...context.settings, ...settings } }
      const error = await sendBuyerCode(parts, body, { address: '203.0.113.7', headers: {} }, 'en').then(
        () => new Error('none'),
        (cause: Error) => cause,
      )
      expect([error.name, error.message.includes(word)], error.message).to.deep.equal(['UnavailableError', true])
    }
    expect([await listMessagesTo(byMail.email), await listMessagesTo(`+39${phone}`)]).to.deep.equal([[], []])
  })
})

describe('Sign-in library: sessions', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('are kept by the hash of their token, with realm and visit', async () => {
    const { db } = await getOperator()
    const { application } = tenant
    const { body } = await signInBuyer(application, createEmail(), { 'user-agent': 'Phone/1.0' })
    const { address, ...stored } = await readStoredSession(db, String(body['token']))
    const expiresAt = new Date(String(body['expiresAt']))
    expect(stored).to.deep.equal({ kind: 'endUser', application, agent: 'Phone/1.0', expiresAt })
    expect(address).to.match(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  })

  it('end all earlier ones of a person who proves the address for the first time, and none if it is just proven', async () => {
    const { db } = await getOperator()
    const { owner } = await buildOrganization()
    const { id: user, isVerified } = await readStoredUser(db, owner)
    expect(isVerified).to.equal(false)
    await insertSessions(db, { user, count: 2, expiresAt: inAnHour() })
    await insertCredential(db, user)
    await signInMember(owner)
    expect(await readStoredUser(db, owner)).to.deep.equal({ id: user, isVerified: true })
    expect([await countSessionRows(db, owner), await countCredentials(db, user)]).to.deep.equal([1, 0])
    await insertCredential(db, user)
    await signInMember(owner)
    expect([await countSessionRows(db, owner), await countCredentials(db, user)]).to.deep.equal([2, 1])
  })

  it('leave the address of a person who signs in by phone unproven', async () => {
    const { db } = await getOperator()
    await enablePhones(tenant.organization)
    const phone = createPhone()
    const person = { application: tenant.application, type: 'phone-otp', phoneCallingCode: '+39', phone }
    for (const sessions of [1, 2]) {
      await createApiClient().post('/v1/auth/send-otp', person)
      const otp = await readCodeFor(`+39${phone}`)
      expect((await createApiClient().post('/v1/auth/verify-otp', { ...person, otp })).status).to.equal(200)
      const { email, isVerified } = await readAddressOfPhone(db, `+39${phone}`)
      expect([isVerified, await countSessionRows(db, email)]).to.deep.equal([false, sessions])
    }
  })

  it('are those of the person whom a simultaneous sign-in made', async () => {
    const { db } = await getOperator()
    const applications = [tenant.application]
    while (applications.length < 4) applications.push(await buildApplication(tenant.organization))
    for (let round = 0; round < 5; round++) {
      const email = createEmail()
      const codes: [string, string][] = []
      for (const application of applications) {
        await requestCode(application, email)
        codes.push([application, await readCodeFor(email)])
      }
      const answers = await Promise.all(codes.map(([application, otp]) => verifyOtp(application, email, otp)))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
      expect(new Set(answers.map(({ body }) => body['user']?.['id'])).size).to.equal(1)
      expect([await countUsers(db, email), await countSessionRows(db, email)]).to.deep.equal([1, 4])
    }
  })

  it('are not opened by a wrong code', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const open = async (otp: string) => {
      const { status, body } = await verifyOtp(tenant.application, email, otp)
      return [status, body['code']]
    }
    expect(await open('123456'), 'without a code').to.deep.equal([401, 'AUTH_INVALID_OTP'])
    await requestCode(tenant.application, email)
    expect(await open(createOtherCode(await readCodeFor(email)))).to.deep.equal([401, 'AUTH_INVALID_OTP'])
    expect([await countUsers(db, email), await countSessionRows(db, email)]).to.deep.equal([0, 0])
  })

  it('have ended when their end is answered', async () => {
    const { db } = await getOperator()
    const email = createEmail()
    const [kept, ended] = [await signInMember(email), await signInMember(email)]
    expect((await getOwnClient(ended).post('/v1/auth/sign-out')).status).to.equal(204)
    expect(await countSessionRows(db, email)).to.equal(1)
    expect((await getOwnClient(kept).get('/v1/auth/session')).status).to.equal(200)
  })
})
