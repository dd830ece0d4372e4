import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import {
  readCodeFor,
  enablePhones,
  listMessagesTo,
  createEmail,
  createPhone,
  getOperator,
  createOtherCode,
  requestCode,
  signInBuyer,
  verifyOtp,
} from '../people.ts'
import { ageOldestSend, countOldSends, readNewestSend } from '../../../support/rows/identity/code-sends.ts'
import { expireCode, listCodeRows, readNewestCode } from '../../../support/rows/identity/sign-in-codes.ts'
import { readAddressOfPhone } from '../../../support/rows/identity/users.ts'
import { buildApplication, buildOrganization, type Tenant } from '../../../support/world.ts'

const invalidOtp = ({ status, body }: Answer) => {
  expect([status, body?.['code']]).to.deep.equal([401, 'AUTH_INVALID_OTP'])
}

describe('POST /v1/auth/send-otp and verify-otp: sign-in of buyers by e-mail', () => {
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  it('opens a session with user and account at the first time and finds them again', async () => {
    const email = createEmail()
    const first = await signInBuyer(tenant.application, email.toUpperCase())
    expect(first.status).to.equal(200)
    expect(first.body['user']).to.include({ email, phoneNumber: null })
    expect(first.body['account']?.['application']?.['id']).to.equal(tenant.application)
    expect(first.body['account']?.['network']).to.equal('EthereumAnvil')
    expect(first.body['account']?.['address']).to.match(/^0x[0-9a-fA-F]{40}$/)
    const second = await signInBuyer(tenant.application, email)
    expect(second.body['account']).to.deep.equal(first.body['account'])
    expect(second.body['user']).to.deep.equal(first.body['user'])
    expect(second.body['token']).not.to.equal(first.body['token'])
    const session = await createApiClient({ bearer: String(second.body['token']) }).get('/v1/auth/session')
    expect(session.body).to.deep.equal({
      user: first.body['user'],
      account: first.body['account'],
      application: first.body['account']?.['application'],
    })
  })

  it("sends six digits with the application's name, in subject and text", async () => {
    const email = createEmail()
    const { status, text } = await requestCode(tenant.application, email)
    expect([status, text]).to.deep.equal([204, ''])
    const [message] = await listMessagesTo(email)
    const application = await createApiClient().get(`/v1/applications/${tenant.application}`)
    expect(application.status, application.text).to.equal(200)
    const name = String(application.body['name'])
    expect(message?.subject)
      .to.match(/\b\d{6}\b/)
      .and.to.contain(name)
    expect(message?.text)
      .to.match(/\b\d{6}\b/)
      .and.to.contain(name)
  })

  it('answers people who are not known as it answers those who are', async () => {
    const known = createEmail()
    await signInBuyer(tenant.application, known)
    const answers = [await requestCode(tenant.application, known), await requestCode(tenant.application, createEmail())]
    for (const { status, text } of answers) expect([status, text]).to.deep.equal([204, ''])
    const names = answers.map(({ headers }) => Object.keys(headers).sort())
    expect(names[0]).to.deep.equal(names[1])
  })

  it('takes about as long for people who are not known', async () => {
    const known: string[] = []
    for (let i = 0; i < 6; i++) {
      const email = createEmail()
      await signInBuyer(tenant.application, email)
      known.push(email)
    }
    const timeOf = async (email: string) => {
      const started = performance.now()
      await requestCode(tenant.application, email)
      return performance.now() - started
    }
    const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    await timeOf(createEmail())
    // In turns, so that a moment in which the machine has other things to do counts for both.
    const times: { known: number; unknown: number }[] = []
    for (const email of known) times.push({ known: await timeOf(email), unknown: await timeOf(createEmail()) })
    const ratio = median(times.map((one) => one.known)) / median(times.map((one) => one.unknown))
    expect(ratio).to.be.within(0.25, 4)
  })

  it('takes a code once', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const code = await readCodeFor(email)
    expect((await verifyOtp(tenant.application, email, code)).status).to.equal(200)
    invalidOtp(await verifyOtp(tenant.application, email, code))
  })

  it('takes a code once when it comes ten times at the same moment', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const code = await readCodeFor(email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => verifyOtp(tenant.application, email, code)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 9 }, () => 401)])
  })

  it('gives a code up after five wrong tries, not after four', async () => {
    for (const [tries, status] of [
      [4, 200],
      [5, 401],
    ] as const) {
      const email = createEmail()
      await requestCode(tenant.application, email)
      const code = await readCodeFor(email)
      for (let i = 0; i < tries; i++) invalidOtp(await verifyOtp(tenant.application, email, createOtherCode(code)))
      expect((await verifyOtp(tenant.application, email, code)).status).to.equal(status)
    }
  })

  it('takes only the newest code of an address', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const older = await readCodeFor(email)
    await requestCode(tenant.application, email)
    const newer = await readCodeFor(email)
    if (older !== newer) invalidOtp(await verifyOtp(tenant.application, email, older))
    expect((await verifyOtp(tenant.application, email, newer)).status).to.equal(200)
    invalidOtp(await verifyOtp(tenant.application, email, older))
  })

  it('refuses a code after ten minutes', async () => {
    const email = createEmail()
    await requestCode(tenant.application, email)
    const { db } = await getOperator()
    const { name, expiresAt } = await readNewestCode(db)
    expect(expiresAt.getTime() - Date.now()).to.be.within(540_000, 600_000)
    await expireCode(db, name)
    invalidOtp(await verifyOtp(tenant.application, email, await readCodeFor(email)))
  })

  it('refuses a code of another application, of members, or of another address', async () => {
    const other = await buildApplication(tenant.organization)
    const email = createEmail()
    await requestCode(tenant.application, email)
    const code = await readCodeFor(email)
    invalidOtp(await verifyOtp(other, email, code))
    invalidOtp(await verifyOtp(tenant.application, createEmail(), code))
    invalidOtp(await createApiClient().post('/v1/auth/sign-in/email-otp', { email, otp: code }))
    expect((await verifyOtp(tenant.application, email, code)).status).to.equal(200)
    await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
    invalidOtp(await verifyOtp(tenant.application, email, await readCodeFor(email)))
  })

  it('keeps no code and no address in the tables of codes, of mails and of text messages alike', async () => {
    const email = createEmail()
    const phone = createPhone()
    await enablePhones(tenant.organization)
    await requestCode(tenant.application, email)
    const texted = await createApiClient().post('/v1/auth/send-otp', {
      application: tenant.application,
      type: 'phone-otp',
      phoneCallingCode: '+39',
      phone,
    })
    expect(texted.status).to.equal(204)
    const { db } = await getOperator()
    const rows = JSON.stringify(await listCodeRows(db))
    for (const secret of [email, phone, await readCodeFor(email), await readCodeFor(`+39${phone}`)]) {
      expect(rows).not.to.match(new RegExp(`"[^"]*\\b${secret}\\b`))
    }
  })

  it('sends at most five codes an hour to one address for one application, over all processes', async () => {
    const email = createEmail()
    const answers = await Promise.all(Array.from({ length: 8 }, () => requestCode(tenant.application, email)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 204, 204, 204, 204, 429, 429, 429])
    expect(await listMessagesTo(email)).to.have.length(5)
    const { status, body, headers } = await requestCode(tenant.application, email.toUpperCase())
    expect([status, body['code']]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(headers['retry-after'])).to.be.within(3_500, 3_600)
    expect((await requestCode(tenant.application, createEmail())).status).to.equal(204)
  })

  it('counts the hour from each send, and forgets it afterwards', async () => {
    const { db } = await getOperator()
    const last = await readNewestSend(db)
    const email = createEmail()
    for (let i = 0; i < 5; i++) await requestCode(tenant.application, email)
    expect((await requestCode(tenant.application, email)).status).to.equal(429)
    await ageOldestSend(db, last)
    expect((await requestCode(tenant.application, email)).status).to.equal(204)
    expect(await countOldSends(db), 'kept after the next send').to.equal(0)
    expect((await requestCode(tenant.application, email)).status).to.equal(429)
  })

  it('says what a body lacks, and what is one too many', async () => {
    const send = (body: object) =>
      createApiClient().post('/v1/auth/send-otp', { application: tenant.application, ...body })
    const missing = await send({ type: 'email-otp' })
    expect([missing.status, missing.body['errors']?.[0]?.['path']]).to.deep.equal([400, 'email'])
    const tooMany = await send({ type: 'email-otp', email: createEmail(), phone: '3331234567' })
    expect([tooMany.status, tooMany.body['errors']?.[0]?.['path']]).to.deep.equal([422, 'phone'])
    for (const email of ['nobody', 'a@b@c.example', 'x!y@localhost', 'x!y@people.example', `someone@phone.invalid`]) {
      const { status, body } = await send({ type: 'email-otp', email })
      expect([status, body['errors']?.[0]?.['path']], email).to.deep.equal([422, 'email'])
    }
    expect((await send({ type: 'google', email: createEmail() })).status).to.equal(422)
    expect(
      (await createApiClient().post('/v1/auth/send-otp', { type: 'email-otp', email: createEmail() })).status,
    ).to.equal(400)
    expect(
      (
        await createApiClient().post('/v1/auth/verify-otp', {
          application: tenant.application,
          type: 'email-otp',
          email: createEmail(),
        })
      ).status,
    ).to.equal(400)
  })

  it('knows no application that is not there', async () => {
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    expect((await requestCode(absent, createEmail())).status).to.equal(404)
    expect((await verifyOtp(absent, createEmail(), '123456')).status).to.equal(404)
  })

  it('answers tokens that no cache may keep', async () => {
    const { headers } = await signInBuyer(tenant.application)
    expect(headers['cache-control']).to.equal('no-store')
  })
})

describe('POST /v1/auth/send-otp and verify-otp: sign-in of buyers by phone', () => {
  let tenant: Tenant
  const send = (phone: string, phoneCallingCode = '+39') =>
    createApiClient().post('/v1/auth/send-otp', {
      application: tenant.application,
      type: 'phone-otp',
      phoneCallingCode,
      phone,
    })
  const verify = (phone: string, otp: string, phoneCallingCode = '+39') =>
    createApiClient().post('/v1/auth/verify-otp', {
      application: tenant.application,
      type: 'phone-otp',
      phoneCallingCode,
      phone,
      otp,
    })
  before(async () => {
    tenant = await buildOrganization()
  })

  it('is refused where the organization has not enabled it', async () => {
    const { status, body } = await send(createPhone())
    expect([status, body['errors']?.[0]?.['path']]).to.deep.equal([422, 'type'])
    await enablePhones(tenant.organization)
    expect((await send(createPhone())).status).to.equal(204)
  })

  it('knows a number however it is written, and shows no e-mail address', async () => {
    const phone = createPhone()
    await send(`${phone.slice(0, 3)} ${phone.slice(3)}`, '39')
    const [message] = await listMessagesTo(`+39${phone}`)
    expect(message?.channel).to.equal('sms')
    const first = await verify(phone, await readCodeFor(`+39${phone}`))
    expect(first.status).to.equal(200)
    expect(first.body['user']).to.include({ email: null, phoneNumber: `+39${phone}` })
    expect(first.body['account']?.['user']).to.deep.equal({ name: null, email: null, phoneNumber: `+39${phone}` })
    expect(first.text).not.to.contain('.invalid')
    await send(`+39${phone}`)
    const second = await verify(phone, await readCodeFor(`+39${phone}`))
    expect(second.body['account']?.['id']).to.equal(first.body['account']?.['id'])
    const { db } = await getOperator()
    const stored = await readAddressOfPhone(db, `+39${phone}`)
    expect(stored.isVerified).to.equal(false)
    expect(stored.email).to.match(/\.invalid$/)
    expect((await requestCode(tenant.application, stored.email)).status).to.equal(422)
  })

  it('refuses wrong and spent codes as by e-mail', async () => {
    const phone = createPhone()
    await send(phone)
    const code = await readCodeFor(`+39${phone}`)
    for (let i = 0; i < 5; i++) invalidOtp(await verify(phone, createOtherCode(code)))
    invalidOtp(await verify(phone, code))
    await send(phone)
    const fresh = await readCodeFor(`+39${phone}`)
    expect((await verify(phone, fresh)).status).to.equal(200)
    invalidOtp(await verify(phone, fresh))
    invalidOtp(await verify(createPhone(), '000000'))
  })

  it('sends at most five codes an hour to one number', async () => {
    const phone = createPhone()
    for (let i = 0; i < 5; i++) expect((await send(phone)).status).to.equal(204)
    expect((await send(`0039${phone}`.replace('0039', '+39'))).status).to.equal(429)
  })

  it('refuses what is no number of the country', async () => {
    for (const phone of ['12', 'abc', '+33612345678', '9'.repeat(30)]) {
      const { status, body } = await send(phone)
      expect([status, body['errors']?.[0]?.['path']], phone).to.deep.equal([422, 'phone'])
    }
    const { status } = await createApiClient().post('/v1/auth/send-otp', {
      application: tenant.application,
      type: 'phone-otp',
      phone: '3331234567',
    })
    expect(status).to.equal(400)
  })
})
