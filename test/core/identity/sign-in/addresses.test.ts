import { expect } from 'chai'
import '../../../../core/app/registry.ts'
import { parseAddress, parseEmailAddress } from '../../../../core/features/identity/addresses.ts'
import type { SendCode } from '../../../../core/features/identity/identity.schema.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'
import { authorizeOrigin } from '../../../../core/features/identity/sign-in/origin.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { createSlug, isDuplicate } from '../../../../core/features/identity/slugs.ts'

const application = '01a1f94a-0000-7000-8000-000000000000'

/** What an address comes to, or the code of the problem with the paths and codes of its errors. */
const parse = (body: Omit<SendCode, 'application'>): Promise<unknown> =>
  parseAddress({ application, ...body }).catch(({ code, errors }: ProblemError) => [
    code,
    ...(errors ?? []).map((issue) => `${issue.path} ${issue.code}`),
  ])
const byPhone = (phone: string, phoneCallingCode = '+39') => parse({ type: 'phone-otp', phoneCallingCode, phone })

describe('Address of a sign-in', () => {
  it('is an e-mail address in small letters', async () => {
    const address = { channel: 'email', to: 'ada@people.example' }
    expect(await parse({ type: 'email-otp', email: 'Ada@People.EXAMPLE' })).to.deep.equal(address)
    expect(parseEmailAddress('ADA@people.example')).to.deep.equal(address)
  })

  it('is a phone number in the form of E.164, however it is written', async () => {
    const address = { channel: 'sms', to: '+393331234567' }
    for (const phone of ['333 123 4567', '3331234567', '+39 333 1234567']) {
      expect(await byPhone(phone), phone).to.deep.equal(address)
      expect(await byPhone(phone, '39'), phone).to.deep.equal(address)
    }
  })

  it('is no number with other words around it, of another country or of an impossible length', async () => {
    for (const phone of ['call 333 123 4567', 'abc', '12', '9'.repeat(30), '+33612345678'])
      expect(await byPhone(phone), phone).to.deep.equal(['VALIDATION_FAILED', 'phone format'])
  })

  it('names every member that is missing, and every one that is too many', async () => {
    expect(await parse({ type: 'email-otp' })).to.deep.equal(['INVALID_REQUEST', 'email required'])
    expect(await parse({ type: 'phone-otp' })).to.deep.equal([
      'INVALID_REQUEST',
      'phoneCallingCode required',
      'phone required',
    ])
    expect(await parse({ type: 'phone-otp', phone: '3331234567' })).to.deep.equal([
      'INVALID_REQUEST',
      'phoneCallingCode required',
    ])
    const [email, phoneCallingCode, phone] = ['ada@people.example', '39', '3331234567']
    expect(await parse({ type: 'email-otp', email, phoneCallingCode, phone })).to.deep.equal([
      'VALIDATION_FAILED',
      'phoneCallingCode unknown_member',
      'phone unknown_member',
    ])
    expect(await parse({ type: 'phone-otp', email, phoneCallingCode, phone })).to.deep.equal([
      'VALIDATION_FAILED',
      'email unknown_member',
    ])
  })

  it('is none of the placeholders of people who sign in by phone', async () => {
    for (const email of ['x@phone.invalid', 'X@PHONE.INVALID'])
      expect(await parse({ type: 'email-otp', email })).to.deep.equal(['VALIDATION_FAILED', 'email format'])
    expect(await parse({ type: 'email-otp', email: 'phone.invalid@people.example' })).to.include({ channel: 'email' })
  })
})

describe('Origin of a sign-in', () => {
  const context = { settings: { baseUrl: 'https://tessera.example', publicUrl: 'https://public.example' } } as Context

  it('gets a cookie as a page of ours or a program, and every other page is refused', async () => {
    for (const headers of [{}, { origin: 'https://tessera.example' }, { origin: 'https://public.example' }])
      expect(await authorizeOrigin(context, headers, null)).to.equal('cookie')
    for (const [headers, application] of [
      [{ origin: 'https://evil.example' }, null],
      [{ 'sec-fetch-site': 'cross-site' }, 'shop'],
    ] as const) {
      const refusal = await authorizeOrigin(context, headers, application).catch(({ code }: ProblemError) => code)
      expect(refusal).to.equal('AUTH_ORIGIN_MISMATCH')
    }
  })
})

describe('Slug of a name', () => {
  it('has letters without accents, digits and single hyphens, none of them at an end', () => {
    expect(createSlug('--Café  Noir & Söhne 3!')).to.equal('cafe-noir-sohne-3')
    expect(createSlug('ﬁne ＡＢＣ')).to.equal('fine-abc')
    expect(createSlug(`${'a'.repeat(59)} b`)).to.equal('a'.repeat(59))
    expect(createSlug('a'.repeat(70))).to.equal('a'.repeat(60))
    expect(createSlug('日本')).to.equal('organization')
  })

  it('is taken only where the database says so of its own constraint', () => {
    const taken = { code: '23505', constraint: 'slugs_key' }
    expect(isDuplicate(taken, 'other_key', 'slugs_key')).to.equal(true)
    expect(isDuplicate(taken, 'other_key')).to.equal(false)
    expect(isDuplicate({ code: '23505' }, 'slugs_key')).to.equal(false)
    expect(isDuplicate({ code: '23514', constraint: 'slugs_key' }, 'slugs_key')).to.equal(false)
  })
})
