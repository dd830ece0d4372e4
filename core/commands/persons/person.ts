import type { Client } from 'pg'
import { invalid } from '../../kernel/problem.ts'

/** One person of this installation: how they are addressed, and the users that sign in with these addresses. */
export interface Person {
  /** E-mail addresses in small letters and phone numbers in E.164 form, at least the one that was asked for. */
  addresses: string[]
  users: string[]
  accounts: string[]
}

/** A text that names a person, and how it is found in others. */
export interface Term {
  text: string
  kind: 'email' | 'phone' | 'user'
  /** For PostgreSQL: finds all that `exact` does, and perhaps more. */
  rough: string
  /** Finds the text, and no longer one that has it inside. */
  exact: RegExp
}

/** Reads an e-mail address or a phone number of an operator. @throws VALIDATION_FAILED */
export function readAddress(given: string): string {
  const phone = given.replace(/[\s().-]/g, '')
  if (/^\+[1-9]\d{6,14}$/.test(phone)) return phone
  if (/^[^\s@]+@[^\s@]+$/.test(given)) return given.toLowerCase()
  throw invalid([{ path: 'person', code: 'format', message: 'must be an e-mail address, or a phone number as +393331234567' }])
}

/** Finds a person by one of their addresses, with the other addresses of the same user. */
export async function findPerson(client: Client, address: string): Promise<Person> {
  const { rows } = await client.query<{ id: string; email: string; phone_number: string | null }>(
    'select id, email, phone_number from users where email = $1 or phone_number = $1', [address])
  const users = rows.map(({ id }) => id)
  const known = rows.flatMap(({ email, phone_number }) => [email, ...(phone_number === null ? [] : [phone_number])])
  const accounts = await client.query<{ id: string }>('select id from accounts where user_id = any($1::uuid[])', [users])
  return { addresses: [...new Set([address, ...known])], users, accounts: accounts.rows.map(({ id }) => id) }
}

/** The texts by which rows tell of a person. */
export function termsOf({ addresses, users }: Person): Term[] {
  return [...addresses.map((text) => (text.startsWith('+') ? phoneTerm(text) : emailTerm(text))), ...users.map(userTerm)]
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A zero byte as PostgreSQL's `encode(…, 'escape')` shows it, for its regular expressions. */
const zeroShown = '\\\\000'

/** Letters with the zeros that UTF-16 has between them, as files in it are staged as they came. */
const spread = (text: string, zero: string) => [...text].map(literal).join(zero)

/** Behind a character that is no part of an address, or behind an escape of a URL or of JSON. */
const before = '(?:(?<=%[0-9A-Fa-f]{2})|(?<=\\\\[nrtbf])|(?<![A-Za-z0-9._%+-]))'
const after = '(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])'
/** Behind and before the dots of a path that says what is wrong with a value: a member may be named by an address. */
const beforeInPath = '(?<="(?:path|detail)"\\s*:\\s*"(?:[^"\\\\\\s]*\\.)?)'
const afterInPath = '(?![A-Za-z0-9_-])'

function emailTerm(text: string): Term {
  const forms = [literal(text), literal(encodeURIComponent(text)), literal(text).replace('@', '%40')].join('|')
  return {
    text, kind: 'email', rough: `${forms}|${spread(text, zeroShown)}`,
    exact: new RegExp(`(?:${before}(?:${forms})${after}|${beforeInPath}(?:${forms})${afterInPath})|(?<![A-Za-z0-9._%+-]\\x00)${spread(text, '\\x00')}(?!\\x00?[A-Za-z0-9_-])`, 'gi'),
  }
}

/** People write signs between the digits of a number. */
function phoneTerm(text: string): Term {
  const digits = [...text.slice(1)].join('[ ./()-]{0,2}')
  const form = `(?:\\+|%2B|00)[ (]{0,2}${digits}`
  return {
    text, kind: 'phone', rough: `${form}|${spread(text, zeroShown)}`,
    exact: new RegExp(`(?<!\\d)${form}(?!\\d)|${spread(text, '\\x00')}(?!\\x00?\\d)`, 'gi'),
  }
}

const userTerm = (text: string): Term => ({ text, kind: 'user', rough: literal(text), exact: new RegExp(literal(text), 'gi') })
