import { invalid, problem } from '../../kernel/problem.ts'
import type { SendCode } from './identity.schema.ts'
import type { Address } from './sign-in/one-time-codes.ts'
import { isMadeUp } from './sign-in/open-session.ts'

const needed = { 'email-otp': ['email'], 'phone-otp': ['phoneCallingCode', 'phone'] } as const
const every = ['email', 'phoneCallingCode', 'phone'] as const

/** The address that a body names. @throws INVALID_REQUEST for a missing member, VALIDATION_FAILED for a wrong one */
export async function addressOf(body: SendCode): Promise<Address> {
  const names: readonly (typeof every)[number][] = needed[body.type]
  const missing = names.filter((name) => body[name] === undefined)
  if (missing.length > 0) {
    throw problem('INVALID_REQUEST', `${body.type} needs ${missing.join(' and ')}.`, {
      errors: missing.map((path) => ({ path, code: 'required', message: 'is missing' })),
    })
  }
  const foreign = every.filter((name) => body[name] !== undefined && !names.includes(name))
  if (foreign.length > 0) {
    throw invalid(foreign.map((path) => ({ path, code: 'unknown_member', message: `is not a member of ${body.type}` })))
  }
  if (body.type === 'email-otp') return emailAddress(body.email ?? '')
  return phoneAddress(body.phoneCallingCode ?? '', body.phone ?? '')
}

/** An e-mail address in small letters. @throws VALIDATION_FAILED for one that we made up for a phone user */
export function emailAddress(email: string): Address {
  const to = email.toLowerCase()
  if (isMadeUp(to)) throw invalid([{ path: 'email', code: 'format', message: 'cannot receive mail' }])
  return { channel: 'email', to }
}

/** A phone number in E.164 form. The metadata of all countries is read at first use. @throws VALIDATION_FAILED */
async function phoneAddress(callingCode: string, phone: string): Promise<Address> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js')
  const code = callingCode.replace('+', '')
  const number = parsePhoneNumberFromString(phone, { defaultCallingCode: code, extract: false })
  if (!number?.isPossible() || number.countryCallingCode !== code) {
    throw invalid([{ path: 'phone', code: 'format', message: `is no number of +${code}` }])
  }
  return { channel: 'sms', to: number.number }
}
