import { createMutations, type Mutation, type MutationWay } from '../../dpp/readiness/mutate.ts'
import { credentialsContext, contextDigests } from './rich-credential.ts'
import type { Vc } from '../suites/signers.ts'

type Place = Parameters<MutationWay['fits']>[0]
type Random = (below: number) => number

const typed = 'credentialStatus|credentialSchema|refreshService|termsOfUse|evidence|confidenceMethod|renderMethod'
const like = (pattern: string) => {
  const form = new RegExp(`^(?:${pattern})$`)
  return ({ path }: Place) => form.test(path)
}
const one = '(?:\\[\\d+\\])?'
const isObject = (value: unknown): value is Vc => typeof value === 'object' && value !== null && !Array.isArray(value)
const holds = ({ holder, name }: Place) => holder[name]

const drop = ({ holder, name }: Place) => {
  delete holder[name]
}
/** Sets one of some values. */
const some =
  (...values: unknown[]) =>
  ({ holder, name }: Place, random: Random) => {
    holder[name] = values[random(values.length)]
  }
/** Changes the object that stands at a place. */
const inside = (change: (value: Vc) => void) => (place: Place) => {
  change(holds(place) as Vc)
}
const under =
  (name: string) =>
  ({ path }: Place) =>
    `${path}.${name}`

const noUrls = [
  'bag-1',
  '',
  'https ://not-a-url/1',
  '//brand.example/',
  ' did:x:y',
  'https://brand.example/a b',
  'https://',
  '_:b0',
  'https://brand.example/{id}',
]
const noTexts = [null, 7, true, {}, ['https://brand.example/1', 'https://brand.example/2']]
const noMoments = [
  'yesterday',
  '2026-02-30T00:00:00Z',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00+15:00',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:30:00Z',
  5,
  null,
  {},
  '',
]
const noObjects = ['text', 7, null, ['x'], true]
const noDigests = ['', 5, 'sha1-AAAA', 'sha384-AAAA', 'u', 'zQm', `x${'A'.repeat(40)}`, ['', 'u'], {}]

const ids = like(`id|issuer\\.id|(?:credentialSubject|relatedResource|${typed})${one}\\.id`)
const objects = like(`(?:credentialSubject|relatedResource|proof|${typed})${one}`)
const texts = like('(?:issuer\\.)?(?:name|description)')
const languages = like(`(?:issuer\\.)?(?:name|description)${one}`)
const types = like(`(?:proof|${typed})${one}\\.type`)
const root = like('type')

/** Ways to make one place of a credential wrong, each told at the place, or where `at` says, with its code. */
export const credentialWays: readonly MutationWay[] = [
  { what: 'an id that is no URL', code: 'url', fits: ids, change: some(...noUrls) },
  { what: 'an id that is no text', code: 'type', fits: ids, change: some(...noTexts) },
  {
    what: 'no id',
    code: 'required',
    fits: like(`issuer\\.id|(?:credentialSchema|relatedResource)${one}\\.id`),
    change: drop,
  },
  { what: 'no type', code: 'required', fits: types, change: drop },
  { what: 'a type that is no text', code: 'type', fits: types, change: some(7, null, {}, false) },
  { what: 'a type that is no term', code: 'term', fits: types, change: some('two words', '@id', '', 'https ://x') },
  { what: 'a list without a type', code: 'empty', fits: types, change: some([]) },
  {
    what: 'a further type that is none',
    code: 'term',
    fits: types,
    change: some(['https://brand.example/T', 'two words']),
    at: ({ path }) => `${path}[1]`,
  },
  {
    what: 'no credential by its type',
    code: 'not_a_credential',
    fits: root,
    change: some('Thing', [], ['verifiablecredential'], null, ['Thing', 5]),
  },
  {
    what: 'a type of the credential that is none',
    code: 'type',
    fits: root,
    change: some(['VerifiableCredential', 5]),
    at: () => 'type[1]',
  },
  {
    what: 'something else than an object',
    code: 'type',
    fits: (place) => objects(place) && isObject(holds(place)),
    change: (place, random) => {
      // In a list, and in place of the one that there is: of a list the elements are judged.
      some(...noObjects.filter((value) => !Array.isArray(value)))(place, random)
    },
  },
  {
    what: 'a list without an object',
    code: 'empty',
    fits: (place) => objects(place) && !place.path.endsWith(']'),
    change: some([]),
  },
  {
    what: 'a list with something else',
    code: 'type',
    fits: (place) => objects(place) && !place.path.endsWith(']'),
    change: some(['text'], [7], [null], [[]]),
    at: ({ path }) => `${path}[0]`,
  },
  {
    what: 'a subject of which nothing is claimed',
    code: 'empty',
    fits: (place) => like(`credentialSubject${one}`)(place) && isObject(holds(place)),
    change: some({}),
  },
  {
    what: 'a member that has to be there',
    code: 'required',
    fits: like('@context|issuer|credentialSubject'),
    change: drop,
  },
  {
    what: 'contexts that are no list',
    code: 'type',
    fits: like('@context'),
    change: some(credentialsContext, null, 7, {}),
  },
  { what: 'no context', code: 'empty', fits: like('@context'), change: some([]) },
  {
    what: 'another first context',
    code: 'base_context',
    fits: like('@context\\[0\\]'),
    change: some('https://brand.example/c', {}, 7, `${credentialsContext}#`, 'https://www.w3.org/ns/credentials/v1'),
  },
  {
    what: 'contexts in another order',
    code: 'base_context',
    fits: like('@context'),
    change: ({ holder, name }) => {
      ;(holder[name] as unknown[]).reverse()
    },
    at: () => '@context[0]',
  },
  { what: 'a context that is no URL', code: 'url', fits: like('@context\\[[1-9]\\]'), change: some(...noUrls) },
  {
    what: 'a context that is neither',
    code: 'type',
    fits: like('@context\\[[1-9]\\]'),
    change: some(5, null, ['x'], true),
  },
  { what: 'a context twice', code: 'duplicate', fits: like('@context\\[[1-9]\\]'), change: some(credentialsContext) },
  {
    what: 'a term that is mapped to no URL',
    code: 'url',
    fits: like('@context\\[2\\]\\.\\w+'),
    change: some('no url', { '@id': 'https ://x' }, ''),
  },
  {
    what: 'a term that is mapped to something',
    code: 'type',
    fits: like('@context\\[2\\]\\.\\w+'),
    change: some(5, ['x'], true),
  },
  {
    what: 'a protected term',
    code: 'protected_term',
    fits: (place) => like('@context\\[[1-9]\\]')(place) && isObject(holds(place)),
    change: inside((value) => {
      value['VerifiableCredential'] = 'x:y'
    }),
    at: under('VerifiableCredential'),
  },
  { what: 'an issuer that is no URL', code: 'url', fits: like('issuer'), change: some(...noUrls) },
  { what: 'an issuer that is neither', code: 'type', fits: like('issuer'), change: some(null, 5, ['did:x:y'], true) },
  { what: 'a moment that is none', code: 'date_time', fits: like('validFrom|validUntil'), change: some(...noMoments) },
  {
    what: 'an end before the beginning',
    code: 'order',
    fits: like('validFrom'),
    change: ({ holder }, random) => {
      holder['validUntil'] = `19${10 + random(80)}-01-01T00:00:00Z`
    },
    at: () => 'validUntil',
  },
  {
    what: 'a text that is none',
    code: 'type',
    fits: languages,
    change: (place, random) => some(...(place.path.endsWith(']') ? ['text'] : []), 5, null, true)(place, random),
  },
  { what: 'no text in any language', code: 'empty', fits: texts, change: some([]) },
  {
    what: 'a text with something more',
    code: 'unknown_member',
    fits: languages,
    change: some({ '@value': 'Bag', '@language': 'en', url: 'did:x:y' }, { '@value': 'Bag', url: 5 }),
    at: under('url'),
  },
  {
    what: 'a text in no language',
    code: 'language',
    fits: languages,
    change: some(...['not a tag', '', 5, null, 'e', 'en_GB'].map((tag) => ({ '@value': 'Bag', '@language': tag }))),
    at: under('@language'),
  },
  {
    what: 'a text in no direction',
    code: 'direction',
    fits: languages,
    change: some(...['up', '', 5, null, 'LTR'].map((way) => ({ '@value': 'Bag', '@direction': way }))),
    at: under('@direction'),
  },
  {
    what: 'a text without its text',
    code: 'required',
    fits: languages,
    change: some({ '@language': 'en' }, {}),
    at: under('@value'),
  },
  {
    what: 'a digest that is none',
    code: 'digest',
    fits: like(`relatedResource${one}\\.digest\\w+`),
    change: some(...noDigests),
  },
  {
    what: 'no digest',
    code: 'digest',
    fits: like('relatedResource\\[\\d+\\]'),
    change: inside((value) => {
      delete value['digestSRI']
      delete value['digestMultibase']
    }),
  },
  {
    what: 'the id of another resource',
    code: 'duplicate',
    fits: like('relatedResource\\[1\\]\\.id'),
    change: some(credentialsContext),
  },
  {
    what: 'a media type that is none',
    code: 'media_type',
    fits: like('relatedResource\\[\\d+\\]\\.mediaType'),
    change: some('json', '', 5, 'a/b/c', 'text/plain;'),
  },
  ...typed.split('|').map((member): MutationWay => ({
    what: `one more of ${member}, without a type`,
    code: 'required',
    fits: like('id'),
    change: ({ holder }) => {
      holder[member] = [holder[member] ?? [], { id: 'https://brand.example/1' }].flat()
    },
    at: ({ holder }) => `${member}[${[holder[member] ?? []].flat().length}].type`,
  })),
  {
    what: 'one more related resource, without an id',
    code: 'required',
    fits: like('id'),
    change: ({ holder }) => {
      holder['relatedResource'] = [holder['relatedResource'] ?? [], contextDigests].flat()
    },
    at: ({ holder }) => `relatedResource[${[holder['relatedResource'] ?? []].flat().length}].id`,
  },
]

/** How a credential is sent: by itself, as a member, or as a token that nobody signed. */
const ways = [
  (credential: Vc) => ({ given: credential as unknown, below: '' }),
  (credential: Vc) => ({ given: { credential } as unknown, below: 'credential.' }),
  (credential: Vc) => ({
    given: ['{"alg":"EdDSA","typ":"vc+jwt"}', JSON.stringify(credential), 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.') as unknown,
    below: 'credential.',
  }),
] as const

export interface MutatedCredential extends Pick<Mutation, 'what' | 'code' | 'path'> {
  submission: unknown
}

/** Credentials with one thing wrong each, as they are sent. */
export const createMutatedCredentials = (credential: Vc, count: number, seed: number): MutatedCredential[] =>
  createMutations(credential, credentialWays, count, seed).map(({ what, body, path, code }, index) => {
    const { given, below } = (ways[index % ways.length] as (typeof ways)[number])(body)
    return { what, code, submission: given, path: `${below}${path}` }
  })
