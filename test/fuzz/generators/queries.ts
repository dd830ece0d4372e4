import fc from 'fast-check'
import type { ListFilters, FuzzTarget } from '../document.ts'
import {
  bombs,
  encodeQueryText,
  createHostileName,
  createHostileValue,
  isText,
  oddFilters,
  refusedExpectation,
  type Query,
} from './filters.ts'
import { injections, mark, oddNames, texts } from './payloads.ts'

/** Pages that are none. */
const oddPages: readonly Query[] = [
  ...[
    'pageSize=0',
    'pageSize=101',
    'pageSize=1e1',
    'pageSize=-1',
    'pageSize=10.0',
    'pageSize=%31%30&pageSize=20',
    'currentPage=0',
    'currentPage=9999999999',
    'currentPage=0x10',
    `currentPage=${mark}%27`,
    'currentPage=',
    'cursor=',
    'currentPage=1&cursor=abc',
    'cursor=abc&cursor=def',
    `cursor=${'A'.repeat(4_001)}`,
    'cursor=%00',
    'pageSize=NaN',
    'pageSize[__proto__]=1',
    'cursor[constructor][prototype]=1',
    'currentPage=Infinity',
    'pageSize=%EF%BC%91',
  ].map((text) => ({ what: text, text, wanted: refusedExpectation })),
  { what: 'the last page that there can be', text: 'currentPage=1000000000&pageSize=100' },
]

const cursors: fc.Arbitrary<Query> = fc
  .array(
    fc.oneof(texts, fc.constantFrom<unknown>(null, 1, [], {}, true, 'infinity', '-infinity', 'now', '2026-01-01')),
    { maxLength: 4 },
  )
  .map((of) => ({
    what: `a cursor of ${JSON.stringify(of).slice(0, 60)}`,
    text: `cursor={{cursor:${Buffer.from(JSON.stringify(of)).toString('base64url').slice(0, 3_000)}}}`,
  }))

function sorting({ sorters }: ListFilters): fc.Arbitrary<Query> {
  const name = fc.oneof(fc.constantFrom(...oddNames, ...injections), texts).filter((text) => !sorters.includes(text))
  return fc.tuple(name, fc.boolean(), fc.boolean()).map(([text, asField, asJson]) => {
    const one = asField ? { field: text } : { field: 'id', order: text }
    const query = asJson
      ? `sorters=${encodeQueryText(JSON.stringify([one]))}`
      : Object.entries(one)
          .map(([part, value]) => `sorters[0][${part}]=${encodeQueryText(value)}`)
          .join('&')
    return { what: `a sorter of ${JSON.stringify(text).slice(0, 60)}`, text: query, wanted: refusedExpectation }
  })
}

const oddSorters: readonly Query[] = [
  'sorters=[',
  'sorters=1',
  'sorters=[null]',
  'sorters[0]=id',
  'sorters[id]=asc',
  'sorters[__proto__][field]=id',
  'sorters[0][field][__proto__]=id',
  'sorters[0][field]=id&sorters[0][order]=__proto__',
  Array.from({ length: 6 }, (_, at) => `sorters[${at}][field]=id`).join('&'),
].map((text) => ({ what: text.slice(0, 60), text, wanted: refusedExpectation }))

/** Parameters that no operation has. */
const unknown: readonly Query[] = [
  'nonsense=1',
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor[prototype][polluted]=1',
  '=1',
  '[]=1',
  'a=%00',
  'a=%ff',
  'a=%ED%A0%80',
  '%',
  'a=%zz',
  'toString=1',
  'hasOwnProperty=1',
  'filter=1',
  'x'.repeat(5_000),
  `${mark}%27=1`,
  Array.from({ length: 501 }, () => 'a=1').join('&'),
  'organization={{organization}}',
  'permissions[dpp]=read',
].map((text) => ({ what: `the parameter ${text.slice(0, 60)}`, text, wanted: refusedExpectation }))

const createParameterQueries = ({ queryParameters: own, list }: FuzzTarget): fc.Arbitrary<Query>[] =>
  own.length === 0
    ? []
    : [
        fc
          .tuple(
            fc.constantFrom(...own),
            fc.oneof(texts, fc.constantFrom('0', '1', 'true', '1e400', '99999999999', '-0', '1.5')),
          )
          .map(([{ name }, value]) => ({
            what: `${name} is ${JSON.stringify(value).slice(0, 60)}`,
            text: `${name}=${encodeQueryText(value)}`,
            ...(!isText(value) && { wanted: refusedExpectation }),
          })),
        fc.constantFrom(...own).map(({ name }) => ({
          what: `${name} twice, as what it is not`,
          text: `${name}=1&${name}[__proto__]=1${list ? '' : '&filters=1'}`,
          wanted: refusedExpectation,
        })),
      ]

/** Hostile queries of an operation. */
export function hostileQueries(target: FuzzTarget): fc.Arbitrary<Query> {
  const { list } = target
  const ofList = list
    ? [
        { weight: 8, arbitrary: createHostileValue(list) },
        { weight: 4, arbitrary: createHostileName(list) },
        { weight: 3, arbitrary: sorting(list) },
        { weight: 3, arbitrary: cursors },
        { weight: 4, arbitrary: fc.constantFrom(...oddFilters, ...oddPages, ...oddSorters) },
        { weight: 1, arbitrary: fc.constantFrom(...bombs) },
      ]
    : []
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...unknown) },
    ...createParameterQueries(target).map((arbitrary) => ({ weight: 2, arbitrary })),
    ...ofList,
  )
}
