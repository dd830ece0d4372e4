import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { endSession, getAuth, hashForRealm, type Realm } from '../../../../core/features/identity/auth.ts'
import { sendCode } from '../../../../core/features/identity/codes.ts'
import { hashSecret } from '../../../../core/features/identity/keys/keys.ts'
import { createCode } from '../../../../core/features/identity/sign-in/one-time-codes.ts'
import { openSession } from '../../../../core/features/identity/sign-in/open-session.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import {
  createDuplicateError,
  createFakeDatabase,
  createFakeMessenger,
  listSent,
  type Reply,
} from '../../../support/values/fake-database.ts'

const realm: Realm = { kind: 'endUser', application: '01a1f94a-0000-7000-8000-000000000000' }
const ada = { channel: 'email', to: 'ada@people.example' } as const
const phone = { channel: 'sms', to: '+393331234567' } as const

function hold(settings: object, ...replies: Reply[]) {
  const fake = createFakeDatabase(...replies)
  const lines: unknown[][] = []
  const note =
    (level: string) =>
    (...line: unknown[]) =>
      lines.push([level, ...line])
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const { messenger, messages } = createFakeMessenger()
  const context = { db: fake.db, log, messenger, settings: { baseUrl: 'http://127.0.0.1:3333', ...settings } }
  return { ...fake, fake, lines, messages, context: context as unknown as Context }
}

/** The same with the library, which does not look for its tables before it is called. */
async function holdLibrary(...replies: Reply[]) {
  const held = hold(secret, ...replies)
  const library = await getAuth(held.context)
  Reflect.deleteProperty(await library.$context, 'checkSchema')
  held.lines.length = 0
  return { ...held, library }
}
const secret = { sessionSecret: 'a secret' }
interface EmailCodes {
  options: { sendVerificationOTP(sent: { otp: string }): Promise<void> }
}
const errorOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('none'),
    (error: Error) => error,
  )

describe('Sign-in library: its secret', () => {
  const hash = (settings: object) => hashForRealm(hold(settings).context, realm, 'text')
  const keyEncryptionKey = Buffer.alloc(32, 1).toString('base64')

  it('is the one of sessions, or else derived from the key of keys', () => {
    expect(hash(secret)).to.equal(hash({ ...secret, keyEncryptionKey }))
    expect(hash(secret)).to.equal('xIzqOUPSJc5QGj9eLmvSIU6tnzgVitz3xY44Q8hgbgY')
    expect(hash({ keyEncryptionKey })).to.equal('BQW7dKSeqjYL33-st1JxNdcR8_MJo8CthhYt223ynEY')
    expect(() => hash({})).to.throw('SESSION_SECRET')
  })

  it('hashes a text otherwise in another realm', () => {
    const { context } = hold(secret)
    const realms: Realm[] = [realm, { ...realm, application: 'x' }, { kind: 'member', application: null }]
    expect(new Set(realms.map((one) => hashForRealm(context, one, 'text'))).size).to.equal(3)
  })
})

describe('Sign-in library: what it is called with', () => {
  it('is one library for a pool, which writes to our log', async () => {
    const { context, lines } = hold(secret)
    expect(getAuth(context)).to.equal(getAuth(context))
    expect(getAuth(context)).not.to.equal(getAuth(hold(secret).context))
    const { logger } = await (await getAuth(context)).$context
    lines.length = 0
    logger.debug('a word')
    logger.error('a fault')
    expect(lines).to.deep.equal([
      ['debug', { part: 'sign-in' }, 'a word'],
      ['error', { part: 'sign-in' }, 'a fault'],
    ])
  })

  it('makes no session and no code that nobody asked for', async () => {
    const { library } = await holdLibrary()
    const { message } = await errorOf((await library.$context).internalAdapter.createSession('u'))
    expect(message).to.equal('The sign-in library was called without realm')
    const emailCodes = library.options.plugins.find(({ id }) => id === 'email-otp') as EmailCodes
    const sent = await errorOf(emailCodes.options.sendVerificationOTP({ otp: '123456' }))
    expect(sent.message).to.contain('nobody waits for')
  })
})

describe('Sign-in library: codes', () => {
  it('are six digits, which it does not keep', async () => {
    for (const recipient of [ada, phone]) {
      const { context, fake, countRunning, countLent } = await holdLibrary()
      expect(await createCode(context, recipient)).to.match(/^\d{6}$/)
      expect([listSent(fake, /^insert/), countRunning(), countLent()]).to.deep.equal([[], 0, 0])
    }
  })

  it('are refused for what the library calls no address, and every other fault is passed on', async () => {
    const { context } = await holdLibrary()
    const refused = (await errorOf(createCode(context, { channel: 'email', to: 'x!y@a' }))) as ProblemError
    expect(refused.code).to.equal('VALIDATION_FAILED')
    expect(refused.errors?.map(({ path, code }) => [path, code])).to.deep.equal([['email', 'format']])
    const fault = new Error('the database is gone')
    const faulty = await holdLibrary([/./, fault])
    expect((await errorOf(createCode(faulty.context, ada))).message).to.contain(fault.message)
  })

  it('are counted, kept and sent in one transaction, and old rows go afterwards', async () => {
    const { context, hasty, messages, statements, countRunning } = await holdLibrary()
    await sendCode(context, { realm, organization: null, address: '127.0.0.1' }, ada, '\u0000 A\u202e\nShop \u0000')
    expect([hasty, countRunning()]).to.deep.equal([[], 0])
    const texts = statements.map(({ text }) => text)
    const order = [/^BEGIN/, /into code_sends/, /into sign_in_codes/, /into "messages"/, /^COMMIT/]
    const places = [...order, /from code_sends where id/, /from sign_in_codes/].map((form) =>
      texts.findIndex((text) => form.test(text)),
    )
    expect(places)
      .to.deep.equal(places.toSorted((a, b) => a - b))
      .and.not.to.include(-1)
    const [message] = messages
    expect(message).to.include(ada)
    const code = /^\d{6}/.exec(message?.subject ?? '')?.[0]
    expect(message?.subject).to.equal(`${code} is your code for A Shop`)
    const kept = statements.find(({ text }) => /into sign_in_codes/.test(text))
    expect(kept?.values).to.deep.equal([
      hashForRealm(context, realm, 'email:ada@people.example'),
      hashForRealm(context, realm, String(code)),
      600,
    ])
  })

  it('are not made where they are switched off, or where no message can go out', async () => {
    for (const [settings, recipient, word] of [
      [{ signInCodes: 'off' }, ada, 'switched off'],
      [{ production: true }, ada, 'cannot send mail'],
      [{ production: true }, phone, 'cannot send text messages'],
    ] as const) {
      const { context, statements } = hold({ ...secret, ...settings })
      const error = await errorOf(sendCode(context, { realm, organization: null, address: '::1' }, recipient, 'Shop'))
      expect([error.name, error.message.includes(word), statements.length]).to.deep.equal(['UnavailableError', true, 0])
    }
  })
})

describe('Sign-in library: sessions', () => {
  const right: Reply = [/sign_in_codes/, [{ isRight: true }]]
  const visit = { address: '203.0.113.7', agent: 'Phone/1.0' }
  const open = (context: Context, address: typeof ada | typeof phone = ada) =>
    openSession(context, realm, { address, code: '123456', visit })

  it('are kept by the hash of their token, with realm and visit', async () => {
    const { context, fake, countRunning } = hold(
      secret,
      right,
      [/^select.*"users"/, [{ id: 'u', email_verified: true }]],
      [/^insert into "sessions"/, [{ id: 's' }]],
    )
    const token = await open(context)
    const [inserted, ...others] = listSent(fake, /^(insert|update|delete)/)
    expect([others, countRunning()]).to.deep.equal([[], 0])
    expect(inserted?.values).to.include.members([
      hashSecret(token),
      'u',
      'endUser',
      realm.application,
      ...Object.values(visit),
    ])
    expect(inserted?.values).not.to.include(token)
  })

  it('end all earlier ones of a person who proves the address for the first time, and none if it is just proven', async () => {
    for (const [proven, deleted] of [
      [1, ['credentials', 'sessions']],
      [0, []],
    ] as const) {
      const { context, fake, hasty } = hold(
        secret,
        right,
        [/^select.*"users"/, [{ id: 'u', email_verified: false }]],
        [/^update "users"/, Array.from({ length: proven }, () => ({}))],
        [/^insert into "sessions"/, [{ id: 's' }]],
      )
      await open(context)
      const [update] = listSent(fake, /^update "users"/)
      expect(update?.values).to.include.members(['u', true, false])
      const deletions = listSent(fake, /^delete/)
      expect(deletions.map(({ text }) => /"(\w+)"/.exec(text)?.[1])).to.deep.equal(deleted)
      for (const { values } of deletions) expect(values).to.deep.equal(['u'])
      expect(hasty).to.deep.equal([])
    }
  })

  it('leave the address of a person who signs in by phone unproven', async () => {
    const { context, fake } = hold(
      secret,
      right,
      [/^select.*"users"/, [{ id: 'u', email_verified: false }]],
      [/^insert into "sessions"/, [{ id: 's' }]],
    )
    await open(context, phone)
    expect(listSent(fake, /^(update|delete)/)).to.deep.equal([])
  })

  it('are those of the person whom a simultaneous sign-in made, and every other fault is passed on', async () => {
    const attempt = async (error: Error, found: object[]) => {
      let reads = 0
      const { context, fake } = hold(
        secret,
        right,
        [/^select.*"users"/, () => (reads++ === 0 ? [] : found)],
        [/^insert into "users"/, error],
        [/^insert into "sessions"/, [{ id: 's' }]],
      )
      const { message } = await errorOf(open(context))
      return [message, listSent(fake, /^insert into "sessions"/)[0]?.values.includes('other') ?? false]
    }
    const other = [{ id: 'other', email_verified: true }]
    for (const constraint of ['users_email_key', 'users_phone_number_key'])
      expect(await attempt(createDuplicateError(constraint), other)).to.deep.equal(['none', true])
    const duplicate = createDuplicateError('users_email_key')
    expect(await attempt(duplicate, [])).to.deep.equal([duplicate.message, false])
    const fault = createDuplicateError('users_pkey')
    expect(await attempt(fault, other)).to.deep.equal([fault.message, false])
  })

  it('are not opened by a wrong code', async () => {
    for (const rows of [[], [{ isRight: false }]]) {
      const { context, statements } = hold(secret, [/sign_in_codes/, rows])
      expect(((await errorOf(open(context))) as ProblemError).code).to.equal('AUTH_INVALID_OTP')
      expect(statements).to.have.length(1)
    }
  })

  it('have ended when their end is answered', async () => {
    const row = { id: 's', token: hashSecret('t'.repeat(32)), user_id: 'u', expires_at: new Date('2099-01-01') }
    const { context, fake, countRunning, countLent } = await holdLibrary([/^select.*"sessions"/, [row]])
    await endSession(context, 't'.repeat(32))
    expect(listSent(fake, /^delete/)[0]?.values).to.deep.equal([hashSecret('t'.repeat(32))])
    expect([countRunning(), countLent()]).to.deep.equal([0, 0])
  })
})
