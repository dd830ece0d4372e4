import { createSection, type Requirement } from './list.ts'

const spec = 'Bitstring Status List 1.0'

const index = 'bitstring.musts.test.ts: refuses an index that is no whole number in base 10'
const named =
  'bitstring.musts.test.ts: refuses a purpose that is no text, a list that is no URL and an id that is the list’s'
const sizes = 'bitstring.musts.test.ts: refuses another number of messages than values, and messages by halves'
const references = 'bitstring.musts.test.ts: refuses references that are no URLs'
const requestedLists = 'bitstring.musts.test.ts: asks for every list of a credential, whatever it is about'
const entries = 'bitstring.musts.test.ts: gives credentials an entry for each purpose, which names its place as text'
const published =
  'bitstring.musts.test.ts: publishes each list as a credential of the same issuer, which verifies in both forms'
const packs = 'bitstring.musts.test.ts: packs 131,072 entries with GZIP, in base64url without padding under its letter'
const then = 'bitstring.musts.test.ts: answers no list of another time than now'
const bits = 'hosted.musts.test.ts: are read in entries of one bit or several, the highest first'
const about =
  'hosted.musts.test.ts: end whatever their purpose is about, but for messages and newer versions, which are told'
const messages = 'hosted.musts.test.ts: of messages say how many bits a message has and what each value means'
const types = 'hosted.musts.test.ts: name their type and one purpose or several, as text'
const packed = 'hosted.musts.test.ts: are packed with GZIP, in base64url without padding, and have 131,072 entries'
const own = 'verify.hosts.test.ts: has to be the issuer’s own, whole, current, and small enough'
const unread = 'verify.foreign.test.ts: finds a status that it cannot read'
const changes =
  'status.test.ts: is suspended and lifted again, and readers of the list see it at once, in another process too'
const final = 'status.test.ts: is final once it is revoked: nothing brings the credential back'

const noMessages = 'not ours: entries of one bit for revocation and suspension are issued, and no others'

/** Source: W3C Bitstring Status List 1.0 (15 May 2025). */
export const statusListMusts: Requirement[] = [
  ...createSection(spec, '1.3', 'verifier', [['What does not conform is answered with an error', unread]]),
  ...createSection(spec, '2.1', 'issuer', [
    ['Entries stand in a conforming credential', entries],
    ['The id of an entry is not that of its list', entries],
    ['The type of an entry is BitstringStatusListEntry', entries],
    ['The purpose of an entry is text', entries],
    ['`revocation` is for what is not taken back', final],
    ['`suspension` is for what can be taken back', changes],
    ['`refresh` is for a newer version of the credential, `message` for messages', noMessages],
    ['The index is a whole number, written in base 10 as text', entries],
    [
      'The index is text in the token too',
      'not ours: the schema of UNTP 0.7.0 asks for a number there, and the token is the form for its readers; the embedded form has the text',
    ],
    ['The list is named by a URL', entries],
    ['That URL leads to a credential of the type BitstringStatusListCredential', published],
    ['Several bits have a message for each value', noMessages],
    ['Each message has a value and a text', noMessages],
    ['A reference is a URL, or several', noMessages],
  ]),
  ...createSection(spec, '2.1', 'verifier', [
    ['An id of an entry that is the URL of its list is an error', named],
    ['An entry of another type is none', unread],
    ['A purpose that is no text is an error', named],
    ['An index that is no whole number in base 10 is an error', index],
    ['A list that is no URL is an error', named],
    ['A list without the type BitstringStatusListCredential is an error', types],
    ['Without a size an entry has one bit', bits],
    ['A size that is no whole number above zero is an error', sizes],
    ['Several bits without a message for each value are an error', sizes],
    ['Messages that are no list, or of another number than values, are an error', sizes],
    ['A message without value or text is an error', sizes],
    ['A reference that is no URL is an error', references],
    ['Each purpose means what it is for', about],
  ]),
  ...createSection(spec, '2.2', 'issuer', [
    ['A published list is a conforming credential', published],
    ['The credential of a list has the type BitstringStatusListCredential', published],
    ['Its subject has the type BitstringStatusList', published],
    ['A list names one purpose or several', published],
    ['The bits are packed with GZIP, in base64url without padding, under the letter of their multibase', packs],
    ['The bits are at least 16 kB', packs],
    ['The first entry is the leftmost bit', changes],
    ['A list of messages has messages and their size', noMessages],
  ]),
  ...createSection(spec, '2.2', 'verifier', [
    ['A list whose subject is no BitstringStatusList is an error', types],
    ['A list without a purpose that is text is an error', types],
    ['A list of messages without the size of its entries is an error', messages],
    ['A list of messages without its messages is an error', messages],
    ['Bits in another encoding, or otherwise packed, are an error', packed],
    ['Fewer bits than 16 kB are an error', packed],
    ['The leftmost bit is the first entry', bits],
  ]),
  ...createSection(spec, '3', 'verifier', [['A value that is not as the data model has it is an error', sizes]]),
  ...createSection(spec, '3.1', 'issuer', [
    ['A list is made, packed and secured in the order of the algorithm', published],
  ]),
  ...createSection(spec, '3.2', 'verifier', [
    ['Every entry is looked up in its list', requestedLists],
    ['A list that cannot be had is an error', own],
    ['A list whose proof does not hold is an error', own],
    ['A list of another purpose than the entry is an error', about],
    ['A list of fewer entries than 131,072 is an error', packed],
    ['An index past the end of the list is an error', packed],
    ['A value other than none ends what it is about', about],
    ['The message of a value is told', about],
  ]),
  ...createSection(spec, '3.2', 'both', [
    [
      'A list of another time is asked for by `timestamp` as a dateTimeStamp',
      'not ours: lists of other times are neither kept nor asked for, which is left open',
    ],
    ['What is answered for a `timestamp` is that list or an error', then],
  ]),
  ...createSection(spec, '3.3', 'issuer', [['Bits are zero at first, and each is set at its index', changes]]),
  ...createSection(spec, '3.4', 'verifier', [['A list is decoded from multibase, then unpacked with GZIP', packed]]),
  ...createSection(spec, '3.5', 'verifier', [
    [
      'Errors as RFC 9457 problems have a type below https://www.w3.org/ns/credentials/status-list#',
      'vc-api.test.ts: gives it a place in the organization’s status lists, and holds it for what is set there',
    ],
  ]),
  ...createSection(spec, '5.1', 'both', [
    [
      'The URLs of the vocabulary are used where RDF is processed',
      'hosted.musts.test.ts: are the same to readers of JSON-LD, by the terms of the base context',
    ],
  ]),
  ...createSection(spec, '5.2', 'both', [
    [
      'The context of status lists is known without being fetched',
      'integrity.musts.test.ts: knows the contexts of the specifications without asking for them',
    ],
  ]),
]
