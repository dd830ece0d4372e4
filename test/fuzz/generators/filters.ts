import fc from 'fast-check'
import type { ExpectedAnswer } from './bodies.ts'
import type { ListFilters } from '../document.ts'
import { injections, borrowedMembers, oddNames, texts } from './payloads.ts'

/** A query string without its question mark. */
export interface Query {
  what: string
  text: string
  wanted?: ExpectedAnswer
  /** What every row of the answer has to fit. */
  rows?: { field: string; operator: string; value: string }
}

/** Percent-encoded, also what is no text: half of a surrogate pair becomes the bytes that it would have. */
export const encodeQueryText = (text: string): string =>
  [...text]
    .map((sign) => {
      if (sign.isWellFormed()) return encodeURIComponent(sign)
      const unit = sign.charCodeAt(0)
      return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('')
    })
    .join('')

const json = (filters: unknown) => `filters=${encodeQueryText(JSON.stringify(filters))}`

type Pair = ListFilters['pairs'][number]

export interface Condition {
  field: string
  operator: string
  value: unknown
}

/** A condition in the three spellings of filters. */
export const spellings: Record<string, (one: Condition) => string> = {
  json: (one) => json([one]),
  indexed: (one) =>
    Object.entries(one)
      .map(([name, value]) => `filters[0][${name}]=${encodeQueryText(String(value))}`)
      .join('&'),
  short: ({ field, operator, value }) =>
    `filters[${encodeQueryText(field)}][${encodeQueryText(operator)}]=${encodeQueryText(String(value))}`,
}
const spelling = fc.constantFrom(...Object.keys(spellings))
const spelt = (name: string, one: Condition) => spellings[name]?.(one) ?? ''

export const refusedExpectation: ExpectedAnswer = { statuses: [400] }
export const isText = (value: string) => !value.includes('\0') && value.isWellFormed()

/** A pair that the list takes, with this value. */
function withValue({ field, operator, words }: Pair, value: string, how: string): Query {
  const ignored = operator === 'null' || operator === 'nnull'
  const wrong = !ignored && (!isText(value) || (words.length > 0 && !words.includes(value)))
  return {
    what: `${field} ${operator} ${JSON.stringify(value).slice(0, 60)}, ${how}`,
    text: spelt(how, { field, operator, value }),
    // What does not decode is refused wherever it stands.
    ...((wrong || (how !== 'json' && !isText(value))) && { wanted: refusedExpectation }),
    ...(!ignored && { rows: { field, operator, value } }),
  }
}

/** A pair that the list takes, with a value that nobody means. */
export const createHostileValue = ({ pairs }: ListFilters): fc.Arbitrary<Query> =>
  fc.tuple(fc.constantFrom(...pairs), texts, spelling).map(([pair, value, how]) => withValue(pair, value, how))

/** Each pair that the list takes with what leaves a statement that is not careful, and with what matches everything. */
export function injectedValues({ pairs }: ListFilters): Query[] {
  const names = Object.keys(spellings)
  const take = (from: readonly string[], at: number) => from[at % from.length] ?? ''
  return pairs.flatMap((pair, at) => [
    withValue(pair, take(injections, at), take(names, at)),
    ...(pair.operator === 'contains' ? ['%', '_', '\\'].map((value) => withValue(pair, value, take(names, at))) : []),
  ])
}

/** A field or an operator that the list does not take. */
export function createHostileName({ pairs }: ListFilters): fc.Arbitrary<Query> {
  const known = new Set(pairs.map(({ field }) => field))
  const name = fc.oneof(fc.constantFrom(...oddNames, ...injections), texts).filter((text) => !known.has(text))
  return fc.tuple(spelling, name, fc.boolean(), fc.constantFrom(...pairs)).map(([how, odd, asField, { field }]) => {
    const one = asField ? { field: odd, operator: 'eq', value: 'a' } : { field, operator: odd, value: 'a' }
    return {
      what: `${asField ? 'a field' : 'an operator'} ${JSON.stringify(odd).slice(0, 60)}, ${how}`,
      text: spelt(how, one),
      wanted: refusedExpectation,
    }
  })
}

const leaf = { field: 'id', operator: 'eq', value: '00000000-0000-4000-8000-000000000000' }
const many = (count: number) => Array.from({ length: count }, () => leaf)
const deep = (depth: number): unknown => (depth === 0 ? leaf : { operator: 'or', value: [deep(depth - 1)] })
const brackets = (depth: number) => `filters[0][operator]=or&filters${'[0][value]'.repeat(depth)}[0][field]=id`

/** Filters made to cost more than they say, and what they have to be answered. */
export const bombs: readonly Query[] = [
  { what: '50 groups deep, as JSON', text: json([deep(50)]), wanted: refusedExpectation },
  { what: '6 groups deep', text: json([deep(6)]), wanted: refusedExpectation },
  { what: '300 groups deep', text: json([deep(300)]), wanted: refusedExpectation },
  {
    what: '5,000 brackets of JSON',
    text: `filters=${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    wanted: refusedExpectation,
  },
  { what: '12 groups deep, in brackets', text: brackets(12), wanted: refusedExpectation },
  { what: '50 groups deep, in brackets', text: brackets(50), wanted: refusedExpectation },
  {
    what: '51 filters',
    text: Array.from({ length: 51 }, () => `filters[id][eq]=${leaf.value}`).join('&'),
    wanted: refusedExpectation,
  },
  { what: '200 filters, as JSON', text: json(many(200)), wanted: refusedExpectation },
  {
    what: '700 filters',
    text: Array.from({ length: 700 }, () => 'filters[id][eq]=a').join('&'),
    wanted: refusedExpectation,
  },
  { what: '10,000 filters', text: json(many(10_000)), wanted: { statuses: [431] } },
  { what: '1 MB of a filter', text: `filters[id][eq]=${'x'.repeat(1024 * 1024)}`, wanted: { statuses: [431] } },
  { what: '30 KB of a filter', text: `filters[id][eq]=${'x'.repeat(30_000)}`, wanted: refusedExpectation },
  { what: 'a group of nothing', text: json([{ operator: 'and', value: [] }]), wanted: refusedExpectation },
  { what: '4,000 steps', text: `filters${'[a]'.repeat(4_000)}=1`, wanted: refusedExpectation },
  {
    what: '500 wildcards',
    text: `filters=${encodeQueryText(JSON.stringify([{ field: 'name', operator: 'contains', value: '%_'.repeat(501) }]))}`,
    wanted: refusedExpectation,
  },
]

/** Filters that are none. */
export const oddFilters: readonly Query[] = [
  ...[
    '[',
    '{',
    'null',
    '1',
    '"a"',
    '[null]',
    '[[]]',
    '[{}]',
    '{"__proto__":{"eq":"a"}}',
    '[{"field":{},"operator":"eq"}]',
    '[{"field":"id","operator":["eq"],"value":"a"}]',
    '[{"field":"id","operator":"eq","value":{"a":1}}]',
    `{"id":{"eq":{"__proto__":${JSON.stringify(borrowedMembers)}}}}`,
    '[{"operator":"or","value":{"0":{"field":"id"}}}]',
    '1e400',
    '[{"field":"id","operator":"eq","value":1e400}]',
    '[{"field":"__proto__","operator":"eq","value":"a"}]',
  ].map((text) => ({ what: `filters ${text}`, text: `filters=${encodeQueryText(text)}`, wanted: refusedExpectation })),
  ...[
    'filters[__proto__][polluted]=true',
    'filters[constructor][prototype]=polluted',
    'filters[][field]=id',
    'filters[0]=a',
    'filters[0][field]=id&filters[0][operator][__proto__]=eq',
    'filters[0][__proto__][polluted]=1',
    'filters[id]=a',
    'filters[id][__proto__]=a',
    'filters[id][eq][__proto__][polluted]=1',
    'filters[0][constructor][prototype][polluted]=1',
    'filters[99999][field]=id',
    'filters[-1][field]=id',
    'filters[toString][eq]=a',
    'filters[id][toString]=a',
  ].map((text) => ({ what: text, text, wanted: refusedExpectation })),
]
