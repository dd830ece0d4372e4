import { lexicon, type Concept } from './synonyms.ts'

/** What kind of unit a value is counted in, as far as a heading says it. */
export type UnitKind = 'length' | 'mass' | 'volume' | 'cubic' | 'percent' | 'money' | 'carbon' | 'other'

/**
 * One word of a heading with everything it can mean. `compound`: the known end of a compound whose beginning is
 * unknown.
 */
export interface HeadingWord {
  text: string
  concepts: ReadonlySet<Concept>
  compound: boolean
}

export interface ParsedName {
  words: readonly HeadingWord[]
  unit: UnitKind | null
}

const noConcepts: ReadonlySet<Concept> = new Set()

/** The maximum lengths of what is read of a heading; a longer text was not meant as a heading. */
const maxHeadingLengths = { name: 200, words: 12, compound: 40 } as const

/** A heading for the identifier of a single battery. Source: Regulation (EU) 2023/1542, article 77 (3). */
const batteryIdentifierPattern =
  /\bbatter(?:y|ies|ie|[ií]a|ia)[\s_-]*(?:passport[\s_-]*)?unique[\s_-]*(?:identifier|id)\b|\bunique[\s_-]*battery[\s_-]*(?:identifier|id)\b/gi

/** The fields of SAP's material master and its classes, as headings of exports name them. */
const sapFields: Readonly<Record<string, string>> = {
  maktx: 'article name',
  matnr: 'article number',
  herkl: 'country origin',
  gewei: 'weight unit',
  ntgew: 'net weight',
  brgew: 'gross weight',
  hsdat: 'production date',
  vfdat: 'expiry date',
  charg: 'batch',
  sernr: 'serial number',
  ean11: 'gtin',
  stawn: 'tariff number',
  mfrpn: 'mpn',
  matkl: 'category number',
  laeng: 'length',
  breit: 'width',
  hoehe: 'height',
  waers: 'currency',
  meabm: 'dimension unit',
}

/** The signs that stand for words; they are replaced before a heading is split. */
const signReplacements: readonly [RegExp, string][] = [
  [/\bkg\s*[-_]?\s*co\s*[2₂]\s*[-_]?\s*(?:eq?|äq|ae?q)?\b\.?/gi, ' carbonunit '],
  [/co\s?[2₂]\s*-?\s*(?:eq?|äq|aeq|e)?(?![a-z])/gi, ' co2 '],
  [/\bgtin\b[\s,]+upc[\s,]+ean[\s,]+(?:or|ou|oder|o)\s+isbn\b/gi, ' gtin '],
  [/\bin stock\s*\?/gi, ' yesno '],
  [/\bs\/n\b/gi, ' serial '],
  [/\b(?:prodotto|fatto|produit|fabriqu[eé]e?|fabricad[oa]|hergestellt|gefertigt)\s+(?:in|en)\b/gi, ' made '],
  [/\bn\/s\b/gi, ' serial '],
  [/\bp\/n\b/gi, ' partnumber '],
  [/\b[jyosn]\s?\/\s?n\b/gi, ' yesno '],
  [/(?<![a-z])n\s?[°º]\.?|№|#/gi, ' no '],
  [/\bn\.?[oº]\.?(?=\s|$)/gi, ' no '],
  [/m[³3](?![a-z0-9])/gi, ' m3 '],
  [batteryIdentifierPattern, ' serial number '],
  [/%/g, ' percent '],
  [/[€$£¥]|\bCHF\b/g, ' moneysign '],
]

/** Letters with points between them, such as P.V.P. or U.M. */
const initialsPattern = /(?<![\p{L}\d.])(?:\p{L}\.){2,}/gu

const stopWords = new Set(
  `of the a an de du des d la le les di del della dei delle dell da dal of el los las un une
  en et und y e and der die das dem den fur pour para per por im am zu zum zur in on at with mit avec con il lo gli i au
  aux von vom sur su to nel bei als is al alla allo alle nella dans
  vers verso hacia`.split(/\s+/),
)

const unitWords: Partial<Record<UnitKind, string>> = {
  length: 'mm cm m dm in inch inches ft zoll millimeter centimeter meter',
  mass: 'kg g gr gramm lb lbs oz kilogram kilogramm kilo mg',
  volume: 'l ml cl dl liter litre litres',
  cubic: 'cbm m3 ccm cm3 dm3',
  money: 'eur usd gbp chf moneysign',
  carbon: 'carbonunit',
  other: 'w kw v ah mah wh kwh hz k ip bar rpm days day tage jours dias giorni wo wochen weeks',
}
const unitKinds: Readonly<Record<string, UnitKind>> = Object.fromEntries(
  Object.entries(unitWords).flatMap(([kind, list]) => list.split(' ').map((unit) => [unit, kind as UnitKind])),
)

/** Returns the last names in the path of a JSON source, at most three. */
function getPathNames(path: string): string[] {
  return path
    .replace(/\[\s*(?:\d+|\*)\s*\]/g, '')
    .split(/[.[\]'"$@]+/)
    .filter(Boolean)
    .slice(-3)
}

/** Removes the language that a heading is written for, as in `name-fr_FR`. */
const removeLocale = (text: string) =>
  text.replace(/[-_ .[(]+(?:fr|de|en|es|it|FR|DE|EN|ES|IT)(?:[-_](?:[A-Z]{2}|[a-z]{2}))?[\])]?$/, '')

const removeAccents = (text: string) =>
  text
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')

const splitCamelCase = (run: string) =>
  run.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')

interface Token {
  text: string
  dotted: boolean
  aside: boolean
}

function splitTokens(text: string): Token[] {
  let aside = false
  const tokens: Token[] = []
  const split = removeAccents(text)
    .replace(/[A-Za-z]+/g, (run) => (lexicon.has(run.toLowerCase()) ? run.toLowerCase() : splitCamelCase(run)))
    .replace(/([a-z])(\d)/gi, (whole, letter: string, digit: string, at: number, all: string) =>
      /co2|m3|nc8|cn8|hs6/i.test(all.slice(at - 1, at + 3)) ? whole : `${letter} ${digit}`,
    )
  for (const [part] of split.matchAll(/[()[\]]|[\p{L}\d]+\.?/gu)) {
    if ('([])'.includes(part)) aside = part === '(' || part === '['
    else tokens.push({ text: part.replace('.', '').toLowerCase(), dotted: part.endsWith('.'), aside })
  }
  return tokens
}

/**
 * Parses a heading into words with everything they can mean. Accents, case, camel case, underscores, abbreviations,
 * compounds and units do not hide a meaning. Of a JSON source, the end of its path is parsed.
 */
export function parseName(id: string): ParsedName {
  if (!id.startsWith('$')) return parseHeading(id)
  const [last = '', ...before] = getPathNames(id).reverse()
  const { words, unit } = parseHeading(last)
  // The names of enclosing objects count only where their meaning is known.
  const around = parseHeading(before.reverse().join(' ')).words.filter(({ concepts }) => concepts.size > 0)
  return { words: [...around, ...words], unit }
}

function parseHeading(id: string): ParsedName {
  const whole = removeLocale(id.slice(0, maxHeadingLengths.name)).replace(
    initialsPattern,
    (all) => ` ${all.replaceAll('.', '')} `,
  )
  const known = whole.replace(
    /(?<![a-z\d])[a-z]{5}(?![a-z\d])|(?<![a-z])ean11(?!\d)/gi,
    (one) => sapFields[one.toLowerCase()] ?? one,
  )
  const text = signReplacements.reduce((now, [sign, word]) => now.replace(sign, word), known)
  const tokens = splitTokens(text).slice(0, maxHeadingLengths.words)
  const last = tokens.at(-1)
  const isUnit = (token: Token) =>
    Object.hasOwn(unitKinds, token.text)
    && (token.aside
      || token.text.endsWith('unit')
      || token.text === 'moneysign'
      || (token === last && tokens.length > 1 && !stopWords.has(token.text)))
  const unit = tokens
    .filter(isUnit)
    .map((token) => unitKinds[token.text])
    .at(-1)
  const rest = tokens.filter((token) => !isUnit(token))
  const isKept = ({ text: word }: Token, at: number) => !stopWords.has(word) || (at === 0 && lexicon.has(word))
  const kept = rest.length === 1 ? rest : rest.filter(isKept)
  const words = toWords(kept)
  if (unit === 'carbon') words.push({ text: 'co2', concepts: new Set<Concept>(['carbon']), compound: false })
  return { words, unit: unit ?? (kept.some((token) => token.text === 'percent') ? 'percent' : null) }
}

/** Converts tokens to words. The longest sequence of words that have a meaning together takes precedence. */
function toWords(tokens: readonly Token[]): HeadingWord[] {
  const words: HeadingWord[] = []
  for (let at = 0; at < tokens.length;) {
    const taken = [4, 3, 2].find(
      (length) => at + length <= tokens.length && lexicon.has(joinTokens(tokens, at, length)),
    )
    const token = tokens[at]
    if (taken !== undefined) {
      const text = joinTokens(tokens, at, taken)
      words.push({ text, concepts: lexicon.get(text) ?? noConcepts, compound: false })
    } else if (token) words.push(...interpretToken(token))
    at += taken ?? 1
  }
  return words
}

/** The words that `joinTokens` replaces by `number` in a sequence of words. */
const numberWords = new Set(['no', 'nr', 'num', 'numero', 'nummer'])

const joinTokens = (tokens: readonly Token[], at: number, length: number) =>
  tokens
    .slice(at, at + length)
    .map(({ text }) => (numberWords.has(text) ? 'number' : text))
    .join(' ')

function interpretToken({ text, dotted }: Token): HeadingWord[] {
  const exact = findConcepts(text)
  if (exact && !(dotted && text.length >= 5)) return [{ text, concepts: exact, compound: false }]
  if (dotted || text.length >= 4) {
    const concepts = new Set([...(exact ?? noConcepts), ...findConceptsByPrefix(text)])
    if (concepts.size > 0) return [{ text, concepts, compound: false }]
  }
  return splitCompound(text) ?? splitShortHead(text) ?? [{ text, concepts: noConcepts, compound: false }]
}

/** Splits an abbreviation from a short head, as in SERNR. */
function splitShortHead(text: string): HeadingWord[] | null {
  const head = shortHeads.find((one) => text.endsWith(one))
  const stem = head === undefined ? '' : text.slice(0, -head.length)
  const concepts = stem.length < 3 ? noConcepts : (findConcepts(stem) ?? findConceptsByPrefix(stem))
  if (head === undefined || concepts.size === 0) return null
  const ofHead = { text: head, concepts: lexicon.get(head) ?? noConcepts, compound: false }
  return [{ text: stem, concepts, compound: false }, ofHead]
}

/** Finds the meanings of a word, with or without an ending of the plural or of a case. */
function findConcepts(text: string): ReadonlySet<Concept> | undefined {
  const found = lexicon.get(text)
  if (found || text.length < 5) return found
  for (const ending of ['es', 'en', 'er', 's', 'n', 'e']) {
    const stem = text.endsWith(ending) ? lexicon.get(text.slice(0, -ending.length)) : undefined
    if (stem) return stem
  }
  return undefined
}

const singleWords = [...lexicon.keys()].filter((word) => !word.includes(' '))

/**
 * Finds the meanings of an abbreviation: those of every word that begins with it. Fewer than three letters begin too
 * many words.
 */
function findConceptsByPrefix(text: string): Set<Concept> {
  const found = new Set<Concept>()
  if (text.length < 3) return found
  for (const word of singleWords) {
    if (word.length === text.length || !word.startsWith(text)) continue
    for (const concept of lexicon.get(word) ?? noConcepts) found.add(concept)
  }
  return found
}

/** The minimum length of a part of a compound: shorter words occur inside others by chance. */
const minPartLength = 3

/**
 * Splits a compound as German and careless exports write it: into known words, or into an unknown word before a known
 * head.
 */
function splitCompound(text: string): HeadingWord[] | null {
  if (text.length < 5 || text.length > maxHeadingLengths.compound) return null
  const whole = cutWord(text)
  if (whole) return whole.map((part) => ({ text: part, concepts: lexicon.get(part) ?? noConcepts, compound: false }))
  for (let at = 3; text.length > 5 && at <= text.length - minPartLength; at++) {
    const head = text.slice(at)
    const concepts = lexicon.get(head)
    if (concepts && head.length >= (concepts.has('kind') ? 3 : 4)) return [{ text: head, concepts, compound: true }]
  }
  return null
}

/** The short heads that a compound can end with. */
const shortHeads = ['nr', 'no', 'id', 'cd', 'dat', 'bez', 'grp']

/** Splits a word into known words without a rest; German joins some of them by s, n, es or en. */
function cutWord(text: string): string[] | null {
  if (text === '') return []
  for (let length = text.length; length >= minPartLength; length--) {
    const part = text.slice(0, length)
    if (!lexicon.has(part)) continue
    const left = text.slice(length)
    if (shortHeads.includes(left)) return [part, left]
    for (const joint of left === '' ? [''] : ['', 's', 'n', 'es', 'en']) {
      if (!left.startsWith(joint)) continue
      const rest = cutWord(left.slice(joint.length))
      if (rest && (joint === '' || rest.length > 0)) return [part, ...rest]
    }
  }
  return null
}
