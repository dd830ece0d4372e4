import type { Client } from 'pg'
import { createValidationProblem } from '../../kernel/problem.ts'

/** A person of this installation: all of the person's addresses, and the users who sign in with them. */
export interface Person {
  /** E-mail addresses in lower case and phone numbers in E.164 form; at least the address that was searched for. */
  addresses: string[]
  users: string[]
  accounts: string[]
}

/** A text that names a person, with the patterns that find it in other texts. */
export interface Term {
  text: string
  kind: 'email' | 'phone' | 'user'
  /** Pattern for PostgreSQL that finds everything that `pattern` finds, and perhaps more. */
  sqlPattern: string
  /** Pattern that finds the text, but not a longer one that contains it. */
  pattern: RegExp
}

/** Parses an e-mail address or a phone number that an operator gave. @throws VALIDATION_FAILED */
export function parseAddress(given: string): string {
  const phone = given.replace(/[\s().-]/g, '')
  if (/^\+[1-9]\d{6,14}$/.test(phone)) return phone
  if (/^[^\s@]+@[^\s@]+$/.test(given)) return given.toLowerCase()
  throw createValidationProblem([
    { path: 'person', code: 'format', message: 'must be an e-mail address, or a phone number as +393331234567' },
  ])
}

/** Finds a person by one address, with the other addresses of the same user. */
export async function findPerson(client: Client, address: string): Promise<Person> {
  const { rows } = await client.query<{ id: string; email: string; phone_number: string | null }>(
    'select id, email, phone_number from users where email = $1 or phone_number = $1',
    [address],
  )
  const users = rows.map(({ id }) => id)
  const known = rows.flatMap(({ email, phone_number }) => [email, ...(phone_number === null ? [] : [phone_number])])
  const accounts = await client.query<{ id: string }>('select id from accounts where user_id = any($1::uuid[])', [
    users,
  ])
  return { addresses: [...new Set([address, ...known])], users, accounts: accounts.rows.map(({ id }) => id) }
}

/** Creates the terms by which rows name a person. */
export function createTerms({ addresses, users }: Person): Term[] {
  return [
    ...addresses.map((text) => (text.startsWith('+') ? createPhoneTerm(text) : createEmailTerm(text))),
    ...users.map(createUserTerm),
  ]
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A zero byte as PostgreSQL's `encode(…, 'escape')` shows it, for PostgreSQL's regular expressions. */
const zeroBytePattern = '\\\\000'

/**
 * Creates a pattern with a zero byte between the letters, as in UTF-16. Files are staged in the encoding they came in.
 */
const spreadPattern = (text: string, zero: string) => [...text].map(escapePattern).join(zero)

/** A position that follows no character of an address, or that follows an escape of a URL or of JSON. */
const precedingPattern = '(?:(?<=%[0-9A-Fa-f]{2})|(?<=\\\\[nrtbf])|(?<![A-Za-z0-9._%+-]))'
const followingPattern = '(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])'
/**
 * A position in a `path` or `detail` of an issue that may follow a dot, because a member may be named by an address.
 */
const precedingPathPattern = '(?<="(?:path|detail)"\\s*:\\s*"(?:[^"\\\\\\s]*\\.)?)'
const followingPathPattern = '(?![A-Za-z0-9_-])'

function createEmailTerm(text: string): Term {
  const forms = [
    escapePattern(text),
    escapePattern(encodeURIComponent(text)),
    escapePattern(text).replace('@', '%40'),
  ].join('|')
  return {
    text,
    kind: 'email',
    sqlPattern: `${forms}|${spreadPattern(text, zeroBytePattern)}`,
    pattern: new RegExp(
      `(?:${precedingPattern}(?:${forms})${followingPattern}|${precedingPathPattern}(?:${forms})${followingPathPattern})|(?<![A-Za-z0-9._%+-]\\x00)${spreadPattern(text, '\\x00')}(?!\\x00?[A-Za-z0-9_-])`,
      'gi',
    ),
  }
}

/** Creates the term of a phone number. People write other characters between the digits. */
function createPhoneTerm(text: string): Term {
  const digits = [...text.slice(1)].join('[ ./()-]{0,2}')
  const form = `(?:\\+|%2B|00)[ (]{0,2}${digits}`
  return {
    text,
    kind: 'phone',
    sqlPattern: `${form}|${spreadPattern(text, zeroBytePattern)}`,
    pattern: new RegExp(`(?<!\\d)${form}(?!\\d)|${spreadPattern(text, '\\x00')}(?!\\x00?\\d)`, 'gi'),
  }
}

const createUserTerm = (text: string): Term => ({
  text,
  kind: 'user',
  sqlPattern: escapePattern(text),
  pattern: new RegExp(escapePattern(text), 'gi'),
})
