import { words, type Language } from '../../../../core/languages/index.ts'
import { unitSigns } from './trades.ts'

/** What a page shows, as a browser reads it: also what is folded. */
export interface ShownPage {
  text: string
  addresses: string[]
  pictures: number
  /** What it shows as JSON. */
  json: string
  /** The terms of its lists and its headings. */
  labels: string[]
}

interface Leaf {
  path: string
  name: string
  value: unknown
  /** The object that has it. */
  owner: Readonly<Record<string, unknown>>
}

/** The script that reads a page. Texts of two elements are two texts. */
export const readShownPage = `(() => {
  const read = (root, passed) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) if (!passed || !walker.currentNode.parentElement.closest(passed)) texts.push(walker.currentNode.data)
    return texts.join('\\n').trim()
  }
  return {
    text: read(document.body),
    addresses: [...document.querySelectorAll('a')].map((each) => each.getAttribute('href')),
    json: [...document.querySelectorAll('pre')].map((each) => each.textContent).join('\\n'),
    pictures: document.querySelectorAll('img.label').length,
    labels: [...document.querySelectorAll('dt, h2, h3, summary')].map((each) => read(each, '.mark')),
  }
})()`

/** The script that names what sticks out of a window: the innermost elements. */
export const listStickingOut = `(() => {
  const edge = document.documentElement.clientWidth
  const sticks = (each) => each.getBoundingClientRect().right > edge + 0.5
  const within = (each) => [...each.children].some(sticks)
  return [...document.body.querySelectorAll('*')]
    .filter((each) => sticks(each) && !within(each) && getComputedStyle(each.parentElement).overflowX === 'visible')
    .slice(0, 3)
    .map((each) => each.parentElement.outerHTML.slice(0, 300))
})()`

/** Lists the values of a product that have no members themselves. `type` says the kind of an object, not what it is. */
function listLeaves(value: unknown, path: string, name: string, owner: Leaf['owner']): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => listLeaves(item, `${path}[${at}]`, name, owner))
  if (typeof value === 'object' && value !== null) {
    const members = value as Leaf['owner']
    return Object.entries(members)
      .filter(([member]) => member !== 'type')
      .flatMap(([member, inner]) => listLeaves(inner, `${path}.${member}`, member, members))
  }
  return value === null || value === '' ? [] : [{ path, name, value, owner }]
}

const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Finds the values that a page shows nowhere, and numbers that it shows otherwise than they are. */
export function listMissingValues(values: object, page: ShownPage, language: Language): string[] {
  const reader = new PageReader(page, language)
  return listLeaves(values, '', '', {})
    .filter((leaf) => !reader.isShown(leaf))
    .map(({ path, value }) => `${path}: ${JSON.stringify(value).slice(0, 80)}`)
}

/** Looks values up on a page by what people of its language write for them. */
class PageReader {
  readonly #text: string
  readonly #bare: string
  readonly #numbers: Set<number>
  readonly #json: string
  readonly #page: ShownPage
  readonly #language: Language

  constructor(page: ShownPage, language: Language) {
    this.#page = page
    this.#language = language
    this.#text = squeeze(page.text)
    this.#json = page.json
    const bare = normalizeNumbers(page.text, words[language].region)
    this.#bare = bare.replaceAll(/\s/g, '').toLowerCase()
    this.#numbers = new Set([...bare.matchAll(/-?\d+(?:\.\d+)?/g)].flatMap(([one]) => [Number(one)]))
  }

  isShown({ name, value, owner }: Leaf): boolean {
    // What nests deeper than a page can tell is shown as JSON.
    if (this.#json.includes(JSON.stringify(value))) return true
    if (typeof value === 'boolean') return this.#isAnswered(name, value)
    if (typeof value === 'number') return this.#isNumberShown(name, value, owner)
    if (typeof value !== 'string') return false
    if (this.#text.includes(squeeze(value).trim()) || this.#page.addresses.includes(value)) return true
    return this.#hasPlace(name, value, owner)
  }

  /** Whether a text is told in words. */
  #hasPlace(name: string, value: string, owner: Leaf['owner']): boolean {
    const { region, product } = words[this.#language]
    if (name === 'imageData') return this.#page.pictures > 0 || this.#text.includes(squeeze(String(owner['name'])))
    if (name.endsWith('Date')) return this.#text.includes(formatDay(value, region))
    if (name === 'countryCode') return this.#text.includes(formatRegion(value, region))
    if (name === 'role') return this.#text.includes(product.roles[value] ?? value)
    if (name === 'idGranularity') return this.#text.includes(product.granularities[value] ?? value)
    if (name === 'unit') return (unitSigns[value] ?? []).some((sign) => this.#bare.includes(sign))
    // The kind of a picture is seen; that of a link is a word or a heading.
    if (name === 'mediaType' && 'imageData' in owner) return true
    if (name === 'mediaType') return this.#text.toLowerCase().includes(value.replace(/^.*[/.+]/, ''))
    return name === 'linkType' && /gs1/.test(value) && this.#page.addresses.includes(String(owner['linkURL']))
  }

  #isAnswered(name: string, value: boolean): boolean {
    const { yes, no, product } = words[this.#language]
    if (name === 'hazardous') return this.#text.includes(value ? product.hazardous : product.notHazardous)
    return this.#text.includes(value ? yes : no)
  }

  #isNumberShown(name: string, value: number, owner: Leaf['owner']): boolean {
    if (name.toLowerCase().endsWith('massfraction')) return this.#isShareShown(value * 100)
    // A tolerance stands behind its sign.
    if (name === 'lowerTolerance') return this.#numbers.has(value) || this.#numbers.has(-Math.abs(value))
    const signs = name === 'value' ? unitSigns[String(owner['unit'])] : undefined
    if (!this.#numbers.has(value)) return false
    // Beside the product, a brand means by a unit what it likes, and the page shows it as it is.
    if (this.#text.includes(String(owner['unit']))) return true
    return signs?.some((sign) => this.#bare.includes(`${plain(value)}${sign}`)) ?? true
  }

  /** Whether a percentage is shown to a tenth, or to two digits where that would be nothing. */
  #isShareShown(percent: number): boolean {
    const near = Math.max(0.0501, Math.abs(percent) / 1e6)
    if (percent === 0) return this.#numbers.has(0)
    return [...this.#numbers].some((one) => Math.abs(one - percent) < (percent < 0.5 ? percent * 0.06 : near))
  }
}

/** Writes a number without an exponent. */
const plain = (value: number): string =>
  value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }).toLowerCase()

const formatDay = (day: string, region: string): string =>
  new Intl.DateTimeFormat(region, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day))

function formatRegion(code: string, region: string): string {
  return new Intl.DisplayNames(region, { type: 'region' }).of(code) ?? code
}

/** Writes the numbers of a text without groups, with a point and an ordinary minus. */
function normalizeNumbers(text: string, region: string): string {
  const parts = new Intl.NumberFormat(region).formatToParts(-12_345_678.5)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const [group, decimal] = [find('group'), find('decimal')]
  return text
    .replaceAll(new RegExp(`(?<=\\d)[${group}](?=\\d{3}(?!\\d))`, 'g'), '')
    .replaceAll(new RegExp(`(?<=\\d)[${decimal}](?=\\d)`, 'g'), '.')
    .replaceAll(/[−‑]/g, '-')
}

/** Lists the labels that are written as programs write names. */
export const listProgramLabels = ({ labels }: ShownPage): string[] =>
  labels.filter((label) => /^[\p{L}\p{N}_]+$/u.test(label) && /\p{Ll}\p{Lu}|_/u.test(label))
