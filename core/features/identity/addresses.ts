import { createValidationProblem, createProblem } from '../../kernel/problem.ts'
import { parsePhoneNumber } from '../../kernel/text/phone-numbers.ts'
import type { SendCode } from './identity.schema.ts'
import type { CodeRecipient } from './sign-in/one-time-codes.ts'
import { isPlaceholderEmail } from './sign-in/open-session.ts'

const requiredMembers = { 'email-otp': ['email'], 'phone-otp': ['phoneCallingCode', 'phone'] } as const
const addressMembers = ['email', 'phoneCallingCode', 'phone'] as const

/** Reads the address from a body. @throws INVALID_REQUEST for a missing member, VALIDATION_FAILED for a wrong one */
export async function parseAddress(body: SendCode): Promise<CodeRecipient> {
  const names: readonly (typeof addressMembers)[number][] = requiredMembers[body.type]
  const missing = names.filter((name) => body[name] === undefined)
  if (missing.length > 0) {
    throw createProblem('INVALID_REQUEST', `${body.type} needs ${missing.join(' and ')}.`, {
      errors: missing.map((path) => ({ path, code: 'required', message: 'is missing' })),
    })
  }
  const unknownMembers = addressMembers.filter((name) => body[name] !== undefined && !names.includes(name))
  if (unknownMembers.length > 0) {
    throw createValidationProblem(
      unknownMembers.map((path) => ({ path, code: 'unknown_member', message: `is not a member of ${body.type}` })),
    )
  }
  if (body.type === 'email-otp') return parseEmailAddress(body.email ?? '')
  return parsePhoneAddress(body.phoneCallingCode ?? '', body.phone ?? '')
}

/** Parses an e-mail address into small letters. @throws VALIDATION_FAILED for a placeholder address of a phone user */
export function parseEmailAddress(email: string): CodeRecipient {
  const to = email.toLowerCase()
  if (isPlaceholderEmail(to))
    throw createValidationProblem([{ path: 'email', code: 'format', message: 'cannot receive mail' }])
  return { channel: 'email', to }
}

/** Parses a phone number into E.164 form. @throws VALIDATION_FAILED */
async function parsePhoneAddress(callingCode: string, phone: string): Promise<CodeRecipient> {
  const code = callingCode.replace('+', '')
  const number = await parsePhoneNumber(phone, code)
  if (number === null)
    throw createValidationProblem([{ path: 'phone', code: 'format', message: `is no number of +${code}` }])
  return { channel: 'sms', to: number }
}
