import fc from 'fast-check'
import type { ExpectedAnswer } from './bodies.ts'
import type { FuzzTarget } from '../document.ts'
import { injections, mark } from './payloads.ts'
import { encodeQueryText } from './filters.ts'

export interface Head {
  what: string
  headers: Readonly<Record<string, string>>
  /** The credential is another one, so that nothing can be said about who is let in. */
  unsigned?: true
}

/** Values that a client can send in a field; control characters never leave it. */
const odd = [
  '',
  ' ',
  '*',
  '""',
  '"',
  'W/',
  'W/""',
  '"a","b"',
  ',',
  ',,,',
  ';',
  '=',
  'q=1',
  '\\',
  '\u00ff\u00fe',
  'a'.repeat(256),
  'a'.repeat(8_000),
  `"${'a'.repeat(5_000)}"`,
  '__proto__',
  'constructor',
  '{}',
  'null',
  '-1',
  '0',
  '1e400',
  '99999999999999999999',
  '%00',
  '../..',
  '"'.repeat(3_000),
  ', '.repeat(4_000),
  'a,'.repeat(4_000),
  ...injections.filter((text) => /^[\x20-\x7e]*$/.test(text)),
]

const mediaTypes = [
  'text/plain',
  'text/html',
  'application/json; charset=utf-16',
  'application/json;charset=latin1',
  'application/jsonx',
  'application/json, text/plain',
  'multipart/form-data; boundary=a',
  'application/x-www-form-urlencoded',
  '*/*',
  'json',
  '/',
  'application/json;a="',
  `application/json;${'a=b;'.repeat(1_000)}`,
  'application/vnd.api+json',
  'text/event-stream',
  'text/event-stream;q=0',
  '*/*;q=0',
  'application/merge-patch+json',
  'application/merge-patch+json;q=1',
]

const fields: Record<string, readonly string[]> = {
  'idempotency-key': odd,
  'if-match': odd,
  'if-none-match': odd,
  'last-event-id': odd,
  'x-request-id': odd,
  'x-network': odd,
  accept: [...mediaTypes, ...odd],
  'content-type': [...mediaTypes, ...odd],
  origin: ['null', 'https://evil.example', ...odd],
  'content-encoding': ['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', ...odd],
  'accept-encoding': odd,
  range: ['bytes=0-0', ...odd],
  'accept-language': odd,
  referer: odd,
  'user-agent': odd,
  'x-forwarded-for': ['127.0.0.1', '::1', ...odd],
  forwarded: odd,
  'x-forwarded-host': ['evil.example', ...odd],
  'x-forwarded-proto': odd,
  'x-http-method-override': ['DELETE', ...odd],
  'x-original-url': ['/metrics', ...odd],
  'access-control-request-method': odd,
  'if-modified-since': odd,
  traceparent: odd,
}

const credentials: readonly Head[] = [
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer '],
  ['authorization', `Bearer ${'a'.repeat(5_000)}`],
  ['authorization', 'Basic YTpi'],
  ['authorization', `Bearer ${mark}' or '1'='1`],
  ['authorization', 'Bearer null'],
  ['authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
  ['x-api-key', ''],
  ['x-api-key', 'tsr_test_'],
  ['x-api-key', `tsr_test_${mark}' or '1'='1`],
  ['x-api-key', `tsr_test_${'a'.repeat(40)}`],
  ['x-api-key', 'tsr_live___proto__'],
  ['cookie', 'tessera.session=a'],
  ['cookie', `tessera.session=${'%'.repeat(900)}`],
  ['cookie', '; ; =; ='],
  ['cookie', `tessera.user=${mark}%27; tessera.session=%00`],
  ['cookie', '__proto__=1; constructor=2'],
].map(([name = '', value = '']) => ({
  what: `${name}: ${value.slice(0, 60)}`,
  headers: { [name]: value },
  unsigned: true as const,
}))

const oneField: fc.Arbitrary<Head> = fc
  .constantFrom(...Object.entries(fields))
  .chain(([name, values]) =>
    fc.constantFrom(...values).map((value) => ({ what: `${name}: ${value.slice(0, 60)}`, headers: { [name]: value } })),
  )

/** Hostile header fields, one or two at once. */
export const hostileHeads: fc.Arbitrary<Head> = fc.oneof(
  { weight: 4, arbitrary: oneField },
  {
    weight: 1,
    arbitrary: fc.tuple(oneField, oneField).map(([one, two]) => ({
      what: `${one.what}, ${two.what}`,
      headers: { ...one.headers, ...two.headers },
    })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...credentials) },
)

/** One value of each field that changes what is done with a request. */
export const steadyHeads: readonly Head[] = Object.entries({
  'idempotency-key': 'a'.repeat(256),
  'if-match': '"a", "b"',
  'content-type': 'text/plain',
  accept: 'text/html',
  'last-event-id': '1e400',
  'x-network': '__proto__',
  'if-none-match': '*',
}).map(([name, value]) => ({ what: `${name}: ${value.slice(0, 60)}`, headers: { [name]: value } }))

const ids = [
  'nonsense',
  '__proto__',
  'constructor',
  'null',
  '0',
  '-1',
  ' ',
  '*',
  '{{application}}x',
  '{{application}} ',
  '{{published}}\0',
  '\0',
  '\ud800',
  '..\\..',
  '../../health/live',
  'publish',
  'magicToken',
  '00000000-0000-0000-0000-00000000000g',
  'x'.repeat(5_000),
  '{00000000-0000-4000-8000-000000000000}',
  'urn:uuid:00000000-0000-4000-8000-000000000000',
  '00000000000040008000000000000000',
  '\u202e',
  '１',
  ...injections,
]

/** Encoded, but for the names of what is on the stage. */
const withNames = (text: string) => encodeQueryText(text).replace(/%7B%7B(\w+)%7D%7D/g, '{{$1}}')

export interface Path {
  what: string
  /** By the name of the parameter; encoded. */
  values: Readonly<Record<string, string>>
  wanted: ExpectedAnswer
}

/**
 * Hostile path parameters: what is no UUID is 400, what is no path of ours 404. Of those who sign, one that is not known
 * is 401, and what does not belong to it 403.
 */
export function hostilePaths({ isSigned, params }: FuzzTarget): fc.Arbitrary<Path> | null {
  if (params.length === 0) return null
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ids).map(withNames) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%ff', '%C0%80', ';a=b', '%2e%2e%2fhealth', '%5c', '%0d%0aa:b', '', '%2f'),
    },
  )
  return fc.tuple(fc.constantFrom(...params), value).map(([name, text]) => ({
    what: `${name} is ${text.slice(0, 60)}`,
    values: { [name]: text },
    wanted: { statuses: isSigned ? [400, 401, 403, 404] : [400, 404] },
  }))
}
