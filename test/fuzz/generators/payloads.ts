import fc from 'fast-check'
import { Members, createNestedText, toNode, Raw, type Node } from './json.ts'

/** A mark that every text meant for SQL carries, so that it can be looked for in statements. */
export const mark = 'zq7'

/** Texts that would leave a statement if they were not bound to it. */
export const injections: readonly string[] = [
  `${mark}' or '1'='1`,
  `${mark}"; drop table passports; --`,
  `${mark}') or (1=1) --`,
  `${mark}'; select pg_sleep(9); --`,
  `${mark}\\'; select 1; --`,
  `${mark}$$; select 1; $$`,
  `${mark}' union select id, key_hash, null from api_keys --`,
  `${mark}'::uuid`,
  `${mark} ? ?? ?| :${mark} $1 %s`,
  `${mark}'||(select current_user)||'`,
  `${mark}/**/or/**/1=1`,
  `${mark}->>'a'`,
  `${mark}{a,b}'#>>'`,
  `\u02bc${mark}\uff07 or 1=1`,
]

/** Texts that are no text, too long, turned round, or something to a part that reads them as more than text. */
export const oddTexts: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  'x'.repeat(5_000),
  '€'.repeat(5_000),
  '😀'.repeat(201),
  '\u202eevil',
  '\u2028\u2029',
  '\ufeff',
  '\u0001\u001b[2J',
  'a\r\nSet-Cookie: a=b',
  '',
  ' ',
  '\t\n',
  '%',
  '_',
  '%_',
  '\\',
  "''",
  '\\%',
  '<script>alert(1)</script>',
  '"><img src=x>',
  '../../../etc/passwd',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://169.254.169.254/',
  '${7*7}',
  '{{7*7}}',
  '=cmd|calc',
  '__proto__',
  'constructor',
  'toString',
  'true',
  'null',
  'NaN',
  '%%%',
  '-0',
  '1e309',
  '9007199254740993',
  '2026-02-30T00:00:00.000Z',
  '+1e5',
  '٣',
  'ﬀ',
  'İ',
  'a@b',
  '@',
  `${'a'.repeat(300)}@example.com`,
  `${'a.'.repeat(20_000)}@`,
  `${'a-'.repeat(20_000)}!`,
  `https://${'a'.repeat(30_000)}`,
  `http://[${':'.repeat(9_000)}`,
  `${'0'.repeat(40_000)}.`,
  `\t${' '.repeat(40_000)}x`,
]

/** Numbers that are none in one of the places that they pass through. */
export const oddNumbers: readonly Raw[] = [
  '1e400',
  '-1e400',
  '1e309',
  '-0',
  '-1',
  '0',
  '1.5',
  '9007199254740993',
  '-9007199254740993',
  '1e-400',
  '2147483648',
  '9223372036854775808',
  '123456789012345678901234567890',
  '0.1e1',
  '1E+5',
  '1e15',
  '0.123456789012345678901234567890',
].map((text) => new Raw(text))

/** Names of members that belong to somebody else: to us, to the language, or to nobody. */
export const oddNames: readonly string[] = [
  'organization',
  'mintedTo',
  'tokenId',
  'optimisticBalance',
  'role',
  'permissions',
  'isAdmin',
  'id',
  'createdAt',
  'token',
  'source',
  'endUser',
  'sheet',
  'key',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  '',
  ' ',
  'a\0b',
  '\ud800',
  'x'.repeat(5_000),
  `${mark}' or 1=1 --`,
  'a.b',
  '[]',
  '0',
  '$where',
  '\u202ename',
  'Name',
  'name ',
]

/** What a polluted prototype would lend to every object: members that the API knows, and one that it does not. */
export const borrowedMembers = {
  polluted: true,
  status: 'ACTIVE',
  reference: 'polluted',
  role: 'owner',
  type: 'polluted',
}

export const pollutions: readonly (readonly [string, Node])[] = [
  ['__proto__', toNode(borrowedMembers)],
  ['constructor', toNode({ prototype: borrowedMembers })],
  ['prototype', toNode(borrowedMembers)],
  ['__proto__', new Members([['__proto__', toNode(borrowedMembers)]])],
]

/** A text from the lists, or any that can be drawn. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...injections) },
  { weight: 5, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const others: readonly Node[] = [
  null,
  true,
  false,
  [],
  {},
  'text',
  1,
  [null],
  [[]],
  [{}],
  { a: 1 },
  { length: 5_000 },
].map(toNode)

/** A value that belongs nowhere. */
export const values: fc.Arbitrary<Node> = fc.oneof(
  { weight: 8, arbitrary: texts },
  { weight: 4, arbitrary: fc.constantFrom<Node>(...oddNumbers) },
  { weight: 5, arbitrary: fc.constantFrom<Node>(...others) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      createNestedText(10_000),
      createNestedText(10_000, ['{"a":', '}']),
      createNestedText(65),
      createNestedText(30),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 'a', null, true).map((item) => Array.from({ length: 50_000 }, () => item)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...pollutions).map((pair) => new Members([pair])) },
)

export const names: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddNames) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }) },
)
