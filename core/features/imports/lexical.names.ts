import { lexicon, type Concept } from './synonyms.ts'

/** What a value is counted in, as far as a heading says it. */
export type UnitKind = 'length' | 'mass' | 'volume' | 'cubic' | 'percent' | 'money' | 'carbon' | 'other'

/** One word of a heading with all that it can mean. `compound`: the end of one whose beginning nobody knows. */
export interface Word { text: string; concepts: ReadonlySet<Concept>; compound: boolean }

export interface Name { words: readonly Word[]; unit: UnitKind | null }

const none: ReadonlySet<Concept> = new Set()

/** What is read of a heading; what is longer was written by nobody who meant a heading. */
const longest = { name: 200, words: 12, compound: 40 } as const

/** The identifier of the single battery. Source: Regulation (EU) 2023/1542, article 77 (3). */
const uniqueOfBattery = /\bbatter(?:y|ies|ie|[ií]a|ia)[\s_-]*(?:passport[\s_-]*)?unique[\s_-]*(?:identifier|id)\b|\bunique[\s_-]*battery[\s_-]*(?:identifier|id)\b/gi

/** Fields of SAP's material master and its classes, as they stand in the headings of exports. */
const sapFields: Readonly<Record<string, string>> = {
  maktx: 'article name', matnr: 'article number', herkl: 'country origin', gewei: 'weight unit', ntgew: 'net weight', brgew: 'gross weight',
  hsdat: 'production date', vfdat: 'expiry date', charg: 'batch', sernr: 'serial number', ean11: 'gtin', stawn: 'tariff number',
  mfrpn: 'mpn', matkl: 'category number', laeng: 'length', breit: 'width', hoehe: 'height', waers: 'currency', meabm: 'dimension unit',
}

/** Read before anything is taken apart: signs that stand for words. */
const signs: readonly [RegExp, string][] = [
  [/\bkg\s*[-_]?\s*co\s*[2₂]\s*[-_]?\s*(?:eq?|äq|ae?q)?\b\.?/gi, ' carbonunit '],
  [/co\s?[2₂]\s*-?\s*(?:eq?|äq|aeq|e)?(?![a-z])/gi, ' co2 '],
  [/\bs\/n\b/gi, ' serial '],
  [/\b(?:prodotto|fatto|produit|fabriqu[eé]e?|fabricad[oa]|hergestellt|gefertigt)\s+(?:in|en)\b/gi, ' made '],
  [/\bn\/s\b/gi, ' serial '],
  [/\bp\/n\b/gi, ' partnumber '],
  [/\b[jyosn]\s?\/\s?n\b/gi, ' yesno '],
  [/(?<![a-z])n\s?[°º]\.?|№|#/gi, ' no '],
  [/\bn\.?[oº]\.?(?=\s|$)/gi, ' no '],
  [/m[³3](?![a-z0-9])/gi, ' m3 '],
  [uniqueOfBattery, ' serial number '],
  [/%/g, ' percent '],
  [/[€$£¥]|\bCHF\b/g, ' moneysign '],
]

/** Letters with points between them, as P.V.P. or U.M. */
const initials = /(?<![\p{L}\d.])(?:\p{L}\.){2,}/gu

const stopWords = new Set(`of the a an de du des d la le les di del della dei delle dell da dal of el los las un une
  en et und y e and der die das dem den fur pour para per por im am zu zum zur in on at with mit avec con il lo gli i au
  aux von vom sur su to nel bei als is al alla allo alle nella dans
  vers verso hacia`.split(/\s+/))

const unitWords: Partial<Record<UnitKind, string>> = {
  length: 'mm cm m dm in inch inches ft zoll millimeter centimeter meter',
  mass: 'kg g gr gramm lb lbs oz kilogram kilogramm kilo mg',
  volume: 'l ml cl dl liter litre litres',
  cubic: 'cbm m3 ccm cm3 dm3',
  money: 'eur usd gbp chf moneysign',
  carbon: 'carbonunit',
  other: 'w kw v ah mah wh kwh hz k ip bar rpm days day tage jours dias giorni wo wochen weeks',
}
const units: Readonly<Record<string, UnitKind>> = Object.fromEntries(Object.entries(unitWords).flatMap(([kind, list]) =>
  list.split(' ').map((unit) => [unit, kind as UnitKind])))

/** Where a JSON source stands: the last name of its path, and up to two before it. */
function namesOf(path: string): string[] {
  return path.replace(/\[\s*(?:\d+|\*)\s*\]/g, '').split(/[.[\]'"$@]+/).filter(Boolean).slice(-3)
}

/** A heading without the language it is written for, as in `name-fr_FR`. */
const withoutLocale = (text: string) =>
  text.replace(/[-_ .[(]+(?:fr|de|en|es|it|FR|DE|EN|ES|IT)(?:[-_](?:[A-Z]{2}|[a-z]{2}))?[\])]?$/, '')

const unaccented = (text: string) => text.replaceAll('ß', 'ss').normalize('NFKD').replace(/\p{M}+/gu, '')

const camel = (run: string) => run.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')

interface Token { text: string; dotted: boolean; aside: boolean }

function tokensOf(text: string): Token[] {
  let aside = false
  const tokens: Token[] = []
  const split = unaccented(text)
    .replace(/[A-Za-z]+/g, (run) => (lexicon.has(run.toLowerCase()) ? run.toLowerCase() : camel(run)))
    .replace(/([a-z])(\d)/gi, (whole, letter: string, digit: string, at: number, all: string) =>
      (/co2|m3|nc8|cn8|hs6/i.test(all.slice(at - 1, at + 3)) ? whole : `${letter} ${digit}`))
  for (const [part] of split.matchAll(/[()[\]]|[\p{L}\d]+\.?/gu)) {
    if ('([])'.includes(part)) aside = part === '(' || part === '['
    else tokens.push({ text: part.replace('.', '').toLowerCase(), dotted: part.endsWith('.'), aside })
  }
  return tokens
}

/**
 * What the words of a heading can mean: accents, case, camel case, underscores, abbreviations, compounds and units are
 * seen through. The identifier of a JSON source is read by the end of its path.
 */
export function readName(id: string): Name {
  if (!id.startsWith('$')) return readHeading(id)
  const [last = '', ...before] = namesOf(id).reverse()
  const { words, unit } = readHeading(last)
  // What a thing stands in says something only where it is known.
  const around = readHeading(before.reverse().join(' ')).words.filter(({ concepts }) => concepts.size > 0)
  return { words: [...around, ...words], unit }
}

function readHeading(id: string): Name {
  const whole = withoutLocale(id.slice(0, longest.name)).replace(initials, (all) => ` ${all.replaceAll('.', '')} `)
  const known = whole.replace(/(?<![a-z\d])[a-z]{5}(?![a-z\d])|(?<![a-z])ean11(?!\d)/gi, (one) => sapFields[one.toLowerCase()] ?? one)
  const text = signs.reduce((now, [sign, word]) => now.replace(sign, word), known)
  const tokens = tokensOf(text).slice(0, longest.words)
  const last = tokens.at(-1)
  const isUnit = (token: Token) => Object.hasOwn(units, token.text) && (token.aside || token.text.endsWith('unit')
    || token.text === 'moneysign' || (token === last && tokens.length > 1 && !stopWords.has(token.text)))
  const unit = tokens.filter(isUnit).map((token) => units[token.text]).at(-1)
  const rest = tokens.filter((token) => !isUnit(token))
  const isKept = ({ text: word }: Token, at: number) => !stopWords.has(word) || (at === 0 && lexicon.has(word))
  const kept = rest.length === 1 ? rest : rest.filter(isKept)
  const words = wordsOf(kept)
  if (unit === 'carbon') words.push({ text: 'co2', concepts: new Set<Concept>(['carbon']), compound: false })
  return { words, unit: unit ?? (kept.some((token) => token.text === 'percent') ? 'percent' : null) }
}

/** Rows of words that mean something together come first, the longest of them. */
function wordsOf(tokens: readonly Token[]): Word[] {
  const words: Word[] = []
  for (let at = 0; at < tokens.length;) {
    const taken = [4, 3, 2].find((length) => at + length <= tokens.length && lexicon.has(joined(tokens, at, length)))
    const token = tokens[at]
    if (taken !== undefined) {
      const text = joined(tokens, at, taken)
      words.push({ text, concepts: lexicon.get(text) ?? none, compound: false })
    } else if (token) words.push(...wordOf(token))
    at += taken ?? 1
  }
  return words
}

/** In rows of words every word for a number is this one. */
const numberWords = new Set(['no', 'nr', 'num', 'numero', 'nummer'])

const joined = (tokens: readonly Token[], at: number, length: number) =>
  tokens.slice(at, at + length).map(({ text }) => (numberWords.has(text) ? 'number' : text)).join(' ')

function wordOf({ text, dotted }: Token): Word[] {
  const exact = known(text)
  if (exact && !(dotted && text.length >= 5)) return [{ text, concepts: exact, compound: false }]
  if (dotted || text.length >= 4) {
    const concepts = new Set([...exact ?? none, ...beginnings(text)])
    if (concepts.size > 0) return [{ text, concepts, compound: false }]
  }
  return partsOf(text) ?? headed(text) ?? [{ text, concepts: none, compound: false }]
}

/** An abbreviation before a short head, as in SERNR. */
function headed(text: string): Word[] | null {
  const head = shortHeads.find((one) => text.endsWith(one))
  const stem = head === undefined ? '' : text.slice(0, -head.length)
  const concepts = stem.length < 3 ? none : known(stem) ?? beginnings(stem)
  if (head === undefined || concepts.size === 0) return null
  const ofHead = { text: head, concepts: lexicon.get(head) ?? none, compound: false }
  return [{ text: stem, concepts, compound: false }, ofHead]
}

/** The word itself, or without an ending of the plural or of a case. */
function known(text: string): ReadonlySet<Concept> | undefined {
  const found = lexicon.get(text)
  if (found || text.length < 5) return found
  for (const ending of ['es', 'en', 'er', 's', 'n', 'e']) {
    const stem = text.endsWith(ending) ? lexicon.get(text.slice(0, -ending.length)) : undefined
    if (stem) return stem
  }
  return undefined
}

const singles = [...lexicon.keys()].filter((word) => !word.includes(' '))

/** What an abbreviation can stand for: every word that begins with it. Short ones begin too many. */
function beginnings(text: string): Set<Concept> {
  const found = new Set<Concept>()
  if (text.length < 3) return found
  for (const word of singles) {
    if (word.length === text.length || !word.startsWith(text)) continue
    for (const concept of lexicon.get(word) ?? none) found.add(concept)
  }
  return found
}

/** Shorter words are found by chance inside of others. */
const shortestPart = 3

/** A compound as German and careless exports write it: known words in a row, or an unknown one before a known head. */
function partsOf(text: string): Word[] | null {
  if (text.length < 5 || text.length > longest.compound) return null
  const whole = cut(text)
  if (whole) return whole.map((part) => ({ text: part, concepts: lexicon.get(part) ?? none, compound: false }))
  for (let at = 3; text.length > 5 && at <= text.length - shortestPart; at++) {
    const head = text.slice(at)
    const concepts = lexicon.get(head)
    if (concepts && head.length >= (concepts.has('kind') ? 3 : 4)) return [{ text: head, concepts, compound: true }]
  }
  return null
}

/** Heads of compounds that are shorter. */
const shortHeads = ['nr', 'no', 'id', 'cd', 'dat', 'bez', 'grp']

/** The word as known ones without a rest; German joins some of them by an s or n. */
function cut(text: string): string[] | null {
  if (text === '') return []
  for (let length = text.length; length >= shortestPart; length--) {
    const part = text.slice(0, length)
    if (!lexicon.has(part)) continue
    const left = text.slice(length)
    if (shortHeads.includes(left)) return [part, left]
    for (const joint of left === '' ? [''] : ['', 's', 'n', 'es', 'en']) {
      if (!left.startsWith(joint)) continue
      const rest = cut(left.slice(joint.length))
      if (rest && (joint === '' || rest.length > 0)) return [part, ...rest]
    }
  }
  return null
}
