import { expect } from 'chai'
import { client, type Answer } from '../../support/client.ts'
import {
  codeFor, enablePhones, messagesTo, newApplication, newEmail, newPhone, newTenant, operator, otherThan, sendOtp, signInBuyer, verifyOtp,
  type Tenant,
} from './people.ts'

const invalidOtp = ({ status, body }: Answer) => {
  expect([status, body?.['code']]).to.deep.equal([401, 'AUTH_INVALID_OTP'])
}

describe('Sign-in of buyers by e-mail', () => {
  let tenant: Tenant
  before(async () => { tenant = await newTenant() })

  it('opens a session with user and account at the first time and finds them again', async () => {
    const email = newEmail()
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
    const session = await client({ bearer: String(second.body['token']) }).get('/v1/auth/session')
    expect(session.body).to.deep.equal({
      user: first.body['user'], account: first.body['account'], application: first.body['account']?.['application'],
    })
  })

  it('sends six digits with the application\'s name, in subject and text', async () => {
    const email = newEmail()
    const { status, text } = await sendOtp(tenant.application, email)
    expect([status, text]).to.deep.equal([204, ''])
    const [message] = await messagesTo(email)
    const { db } = await operator()
    const { name } = await db('applications').where({ id: tenant.application }).first('name') as { name: string }
    expect(message?.subject).to.match(/\b\d{6}\b/).and.to.contain(name)
    expect(message?.text).to.match(/\b\d{6}\b/).and.to.contain(name)
  })

  it('answers people who are not known as it answers those who are', async () => {
    const known = newEmail()
    await signInBuyer(tenant.application, known)
    const answers = [await sendOtp(tenant.application, known), await sendOtp(tenant.application, newEmail())]
    for (const { status, text } of answers) expect([status, text]).to.deep.equal([204, ''])
    const names = answers.map(({ headers }) => Object.keys(headers).sort())
    expect(names[0]).to.deep.equal(names[1])
  })

  it('takes about as long for people who are not known', async () => {
    const known: string[] = []
    for (let i = 0; i < 6; i++) {
      const email = newEmail()
      await signInBuyer(tenant.application, email)
      known.push(email)
    }
    const timeOf = async (email: string) => {
      const started = performance.now()
      await sendOtp(tenant.application, email)
      return performance.now() - started
    }
    const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    await timeOf(newEmail())
    // In turns, so that a moment in which the machine has other things to do counts for both.
    const times: { known: number; unknown: number }[] = []
    for (const email of known) times.push({ known: await timeOf(email), unknown: await timeOf(newEmail()) })
    const ratio = median(times.map((one) => one.known)) / median(times.map((one) => one.unknown))
    expect(ratio).to.be.within(0.25, 4)
  })

  it('takes a code once', async () => {
    const email = newEmail()
    await sendOtp(tenant.application, email)
    const code = await codeFor(email)
    expect((await verifyOtp(tenant.application, email, code)).status).to.equal(200)
    invalidOtp(await verifyOtp(tenant.application, email, code))
  })

  it('takes a code once when it comes ten times at the same moment', async () => {
    const email = newEmail()
    await sendOtp(tenant.application, email)
    const code = await codeFor(email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => verifyOtp(tenant.application, email, code)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 9 }, () => 401)])
  })

  it('gives a code up after five wrong tries, not after four', async () => {
    for (const [tries, status] of [[4, 200], [5, 401]] as const) {
      const email = newEmail()
      await sendOtp(tenant.application, email)
      const code = await codeFor(email)
      for (let i = 0; i < tries; i++) invalidOtp(await verifyOtp(tenant.application, email, otherThan(code)))
      expect((await verifyOtp(tenant.application, email, code)).status).to.equal(status)
    }
  })

  it('takes only the newest code of an address', async () => {
    const email = newEmail()
    await sendOtp(tenant.application, email)
    const older = await codeFor(email)
    await sendOtp(tenant.application, email)
    const newer = await codeFor(email)
    if (older !== newer) invalidOtp(await verifyOtp(tenant.application, email, older))
    expect((await verifyOtp(tenant.application, email, newer)).status).to.equal(200)
    invalidOtp(await verifyOtp(tenant.application, email, older))
  })

  it('refuses a code after ten minutes', async () => {
    const email = newEmail()
    await sendOtp(tenant.application, email)
    const { db } = await operator()
    const newest = await db('sign_in_codes').orderBy('expires_at', 'desc').first('name', 'expires_at') as { name: string; expires_at: Date }
    expect(newest.expires_at.getTime() - Date.now()).to.be.within(590_000, 600_000)
    await db('sign_in_codes').where({ name: newest.name }).update({ expires_at: db.raw(`now() - interval '1 second'`) })
    invalidOtp(await verifyOtp(tenant.application, email, await codeFor(email)))
  })

  it('refuses a code of another application, of members, or of another address', async () => {
    const other = await newApplication(tenant.organization)
    const email = newEmail()
    await sendOtp(tenant.application, email)
    const code = await codeFor(email)
    invalidOtp(await verifyOtp(other, email, code))
    invalidOtp(await verifyOtp(tenant.application, newEmail(), code))
    invalidOtp(await client().post('/v1/auth/sign-in/email-otp', { email, otp: code }))
    expect((await verifyOtp(tenant.application, email, code)).status).to.equal(200)
    await client().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
    invalidOtp(await verifyOtp(tenant.application, email, await codeFor(email)))
  })

  it('keeps no code and no address in the tables of codes, of mails and of text messages alike', async () => {
    const email = newEmail()
    const phone = newPhone()
    await enablePhones(tenant.organization)
    await sendOtp(tenant.application, email)
    const texted = await client().post('/v1/auth/send-otp', { application: tenant.application, type: 'phone-otp', phoneCallingCode: '+39', phone })
    expect(texted.status).to.equal(204)
    const { db } = await operator()
    const rows = JSON.stringify([await db('sign_in_codes'), await db('code_sends'), await db('verifications')])
    for (const secret of [email, phone, await codeFor(email), await codeFor(`+39${phone}`)]) {
      expect(rows).not.to.match(new RegExp(`"[^"]*\\b${secret}\\b`))
    }
  })

  it('sends at most five codes an hour to one address for one application, over all processes', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendOtp(tenant.application, email)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 204, 204, 204, 204, 429, 429, 429])
    expect(await messagesTo(email)).to.have.length(5)
    const { status, body, headers } = await sendOtp(tenant.application, email.toUpperCase())
    expect([status, body['code']]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(headers['retry-after'])).to.be.within(3_500, 3_600)
    expect((await sendOtp(tenant.application, newEmail())).status).to.equal(204)
  })

  it('counts the hour from each send', async () => {
    const { db } = await operator()
    const { rows: [{ last }] } = await db.raw<{ rows: [{ last: string }] }>('select coalesce(max(id), 0) as last from code_sends')
    const email = newEmail()
    for (let i = 0; i < 5; i++) await sendOtp(tenant.application, email)
    expect((await sendOtp(tenant.application, email)).status).to.equal(429)
    await db.raw(`update code_sends set at = at - interval '61 minutes' where id = (
      select min(id) from code_sends where id > ? and budget like 'recipient:%' group by budget having count(*) = 5)`, [last])
    expect((await sendOtp(tenant.application, email)).status).to.equal(204)
    expect((await sendOtp(tenant.application, email)).status).to.equal(429)
  })

  it('says what a body lacks, and what is one too many', async () => {
    const send = (body: object) => client().post('/v1/auth/send-otp', { application: tenant.application, ...body })
    const missing = await send({ type: 'email-otp' })
    expect([missing.status, missing.body['errors']?.[0]?.['path']]).to.deep.equal([400, 'email'])
    const tooMany = await send({ type: 'email-otp', email: newEmail(), phone: '3331234567' })
    expect([tooMany.status, tooMany.body['errors']?.[0]?.['path']]).to.deep.equal([422, 'phone'])
    for (const email of ['nobody', 'a@b@c.example', 'x!y@localhost', `someone@phone.invalid`]) {
      expect((await send({ type: 'email-otp', email })).status, email).to.equal(422)
    }
    expect((await send({ type: 'google', email: newEmail() })).status).to.equal(422)
    expect((await client().post('/v1/auth/send-otp', { type: 'email-otp', email: newEmail() })).status).to.equal(400)
    expect((await client().post('/v1/auth/verify-otp', { application: tenant.application, type: 'email-otp', email: newEmail() })).status).to.equal(400)
  })

  it('knows no application that is not there', async () => {
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    expect((await sendOtp(absent, newEmail())).status).to.equal(404)
    expect((await verifyOtp(absent, newEmail(), '123456')).status).to.equal(404)
  })

  it('answers tokens that no cache may keep', async () => {
    const { headers } = await signInBuyer(tenant.application)
    expect(headers['cache-control']).to.equal('no-store')
  })
})

describe('Sign-in of buyers by phone', () => {
  let tenant: Tenant
  const send = (phone: string, phoneCallingCode = '+39') =>
    client().post('/v1/auth/send-otp', { application: tenant.application, type: 'phone-otp', phoneCallingCode, phone })
  const verify = (phone: string, otp: string, phoneCallingCode = '+39') =>
    client().post('/v1/auth/verify-otp', { application: tenant.application, type: 'phone-otp', phoneCallingCode, phone, otp })
  before(async () => { tenant = await newTenant() })

  it('is refused where the organization has not enabled it', async () => {
    const { status, body } = await send(newPhone())
    expect([status, body['errors']?.[0]?.['path']]).to.deep.equal([422, 'type'])
    await enablePhones(tenant.organization)
    expect((await send(newPhone())).status).to.equal(204)
  })

  it('knows a number however it is written, and shows no e-mail address', async () => {
    const phone = newPhone()
    await send(`${phone.slice(0, 3)} ${phone.slice(3)}`, '39')
    const [message] = await messagesTo(`+39${phone}`)
    expect(message?.channel).to.equal('sms')
    const first = await verify(phone, await codeFor(`+39${phone}`))
    expect(first.status).to.equal(200)
    expect(first.body['user']).to.include({ email: null, phoneNumber: `+39${phone}` })
    expect(first.body['account']?.['user']).to.deep.equal({ name: null, email: null, phoneNumber: `+39${phone}` })
    expect(first.text).not.to.contain('.invalid')
    await send(`+39${phone}`)
    const second = await verify(phone, await codeFor(`+39${phone}`))
    expect(second.body['account']?.['id']).to.equal(first.body['account']?.['id'])
    const { db } = await operator()
    const user = await db('users').where({ phone_number: `+39${phone}` }).first('email', 'email_verified') as { email: string; email_verified: boolean }
    expect(user.email_verified).to.equal(false)
    expect(user.email).to.match(/\.invalid$/)
    expect((await sendOtp(tenant.application, user.email)).status).to.equal(422)
  })

  it('refuses wrong and spent codes as by e-mail', async () => {
    const phone = newPhone()
    await send(phone)
    const code = await codeFor(`+39${phone}`)
    for (let i = 0; i < 5; i++) invalidOtp(await verify(phone, otherThan(code)))
    invalidOtp(await verify(phone, code))
    await send(phone)
    const fresh = await codeFor(`+39${phone}`)
    expect((await verify(phone, fresh)).status).to.equal(200)
    invalidOtp(await verify(phone, fresh))
    invalidOtp(await verify(newPhone(), '000000'))
  })

  it('sends at most five codes an hour to one number', async () => {
    const phone = newPhone()
    for (let i = 0; i < 5; i++) expect((await send(phone)).status).to.equal(204)
    expect((await send(`0039${phone}`.replace('0039', '+39'))).status).to.equal(429)
  })

  it('refuses what is no number of the country', async () => {
    for (const phone of ['12', 'abc', '+33612345678', '9'.repeat(30)]) {
      const { status, body } = await send(phone)
      expect([status, body['errors']?.[0]?.['path']], phone).to.deep.equal([422, 'phone'])
    }
    const { status } = await client().post('/v1/auth/send-otp', { application: tenant.application, type: 'phone-otp', phone: '3331234567' })
    expect(status).to.equal(400)
  })
})
