import { words, type Language } from '../../../languages/index.ts'
import { findWord } from './members.ts'

/** The kinds of documents and texts that readers look for. */
export const purposes = ['care', 'repair', 'recycling', 'proofs', 'other'] as const
export type Purpose = (typeof purposes)[number]

/** The link types of the GS1 Web Vocabulary that have a purpose. Source: GS1 Web Vocabulary, LinkType. */
const linkTypes = new Map<string, Purpose>(
  Object.entries({
    instructions: 'care',
    quickStartGuide: 'care',
    tutorial: 'care',
    consumerHandlingStorageInfo: 'care',
    faqs: 'care',
    serviceInfo: 'repair',
    support: 'repair',
    purchaseSuppliesOrAccessories: 'repair',
    certificationInfo: 'proofs',
    safetyInfo: 'proofs',
  } as const),
)

/** Words that tell a purpose, in the languages in which brands write them; a link type says more than they do. */
const purposeWords: readonly [Exclude<Purpose, 'other'>, RegExp][] = [
  ['recycling', /recycl|dispos(?:e|al)|end.of.life|entsorg|ricicl|smaltimento|recicl|fin de vie/i],
  ['repair', /repair|spare.?part|warranty|r[ée]par|garanti|pièces? détach|ersatzteil|riparaz|ricamb|repuesto/i],
  [
    'care',
    /\bcare\b|care.?(?:guide|label|instruction)|wash|clean|entretien|lavage|pflege|waschen|lavaggio|\bcura\b|cuidado|lavado/i,
  ],
  [
    'proofs',
    /certificat|conformity|conformité|konformität|zertifikat|conformità|conformidad|safety|sicherheit|sécurité|sicurezza|seguridad/i,
  ],
]

/** Returns the name of a link type in the GS1 Web Vocabulary, without what stands before it. */
const getTypeName = (linkType: string): string =>
  linkType.replace(/^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)/, '')

/**
 * Finds what a document or a value is for.
 * @param text its name, as a brand writes it
 * @param linkType a CURIE or an address of the GS1 Web Vocabulary
 */
export function findPurpose(text: string, linkType: string | null = null): Purpose {
  const type = getTypeName(linkType ?? '')
  return linkTypes.get(type) ?? purposeWords.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}

/** Names of what leads to a repair, in the languages in which brands write them. */
const repairNames = /\b(?:repair(?!ed)|reparatur|réparation|riparazion|reparaci[oó]n)/i

/**
 * Checks whether a document leads to where a product is repaired. Much else is of use for repairs, such as spare parts or
 * a warranty, and is no repair. Source: GS1 Web Vocabulary, `serviceInfo`.
 */
export const isRepairService = (text: string, linkType: string | null): boolean =>
  linkType === null ? repairNames.test(text) : getTypeName(linkType) === 'serviceInfo'

/** Says in words what a document is, by its link type; null where there are none, because a type is for programs. */
export const describeLinkType = (linkType: string | null, language: Language): string | null =>
  linkType === null ? null : (findWord(words[language].product.linkTypes, getTypeName(linkType)) ?? null)

/** The kinds of files that readers know, by media type: the first pattern that fits counts. Source: IANA media types. */
const fileKinds: readonly [pattern: RegExp, kind: 'picture' | 'video' | 'sound' | 'table' | 'text'][] = [
  [/^image\//, 'picture'],
  [/^video\//, 'video'],
  [/^audio\//, 'sound'],
  [/^text\/csv\b|spreadsheet|ms-excel/, 'table'],
  [/wordprocessing|msword|opendocument\.text|^text\/plain\b/, 'text'],
]

/** Says in words what kind of file a media type is; null for a web page, which every link leads to, and for any other. */
export function describeFile(mediaType: string | null, language: Language): string | null {
  const type = mediaType?.toLowerCase() ?? ''
  if (/^application\/pdf\b/.test(type)) return 'PDF'
  const kind = fileKinds.find(([pattern]) => pattern.test(type))?.[1]
  return kind === undefined ? null : words[language].product.files[kind]
}
