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

/**
 * Finds what a document or a value is for.
 * @param text its name, as a brand writes it
 * @param linkType a CURIE or an address of the GS1 Web Vocabulary
 */
export function findPurpose(text: string, linkType: string | null = null): Purpose {
  const type = linkType?.replace(/^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)/, '') ?? ''
  return linkTypes.get(type) ?? purposeWords.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}
