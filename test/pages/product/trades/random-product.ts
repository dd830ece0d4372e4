import { readUntpSchema, type SchemaNode } from '../../../support/dpp/untp-schema.ts'
import { createDice } from '../../../support/values/random.ts'
import { trades, unitSigns, type Trade } from './trades.ts'

/** A product with what stands beside it, as a body of a passport has them. */
export interface RandomProduct {
  trade: string
  product: Record<string, unknown>
  data: Record<string, unknown>
  /** The seed that makes this product again. */
  seed: number
}

/** The members that are made with the credential. */
const generatedMembers = new Set(['type', 'characteristics'])

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const countries = ['PT', 'FR', 'DE', 'JP', 'CD', 'ZZ', 'XK', 'US', 'IN', 'EG']
const mediaTypes = ['application/pdf', 'text/html', 'image/png', 'video/mp4', 'application/vnd.example+json']
const linkTypes = ['gs1:instructions', 'gs1:certificationInfo', 'https://gs1.org/voc/support', 'brandFilm', 'page']
/** Pieces of which texts are made, so that each text differs from what pages expect most. */
const odd = [
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'a'.repeat(180),
  '非常に長い日本語の説明文がここに続きますが、空白はひとつもありません。'.repeat(3),
  'يُصنع هذا المنتج من مواد معاد تدويرها بنسبة كبيرة',
  'Κατασκευάζεται στην Ελλάδα από τοπικά υλικά',
  'यह उत्पाद पुनर्चक्रित सामग्री से बना है',
  '<b>bold</b> & "quoted" — 50 % of <script>alert(1)</script>',
  '👩🏽‍🔧🧵🔋 👍',
  'One line\nand another\n\nand a third after a gap',
  'A sentence that goes on, as sentences of brands do, with much about the place and the people. '.repeat(9),
  'https://example.com/' + 'segment/'.repeat(20),
]

const longMembers = ['materialProvenance', 'materialUsed', 'relatedDocument', 'performanceClaim', 'rows', 'texts', '']

/** Makes products of a trade, the same for the same seed. */
class ProductMaker {
  readonly #dice: (sides: number) => number
  readonly #definitions = readUntpSchema().$defs
  readonly #trade: Trade
  /** What is long in this product: one thing at most, because a page of everything at its longest shows no more faults. */
  readonly #longest: string
  #texts = 0

  constructor(trade: Trade, seed: number) {
    this.#trade = trade
    this.#dice = createDice(seed)
    this.#longest = this.#pick(longMembers)
  }

  #pick = <T>(list: readonly T[]): T => list[this.#dice(list.length)] as T
  #isOneOf = (times: number) => this.#dice(times) === 0

  create(): Pick<RandomProduct, 'product' | 'data'> {
    const { type: _, ...product } = this.#createObject(this.#definitions.Product, 'product', 2)
    const model = this.#createText('modelNumber').slice(0, 100)
    const granularity = this.#isOneOf(6)
      ? { idGranularity: 'model', modelNumber: model, batchNumber: undefined, itemNumber: undefined }
      : { idGranularity: 'item', itemNumber: `I-${this.#mark()}` }
    const whole = { ...product, ...granularity, ...this.#createOwnMembers(3) }
    return {
      product: JSON.parse(JSON.stringify(whole)) as Record<string, unknown>,
      data: this.#isOneOf(2) ? this.#createOwnMembers(6) : {},
    }
  }

  /** @param rare one of how many optional members is left out */
  #createObject({ properties = {}, required = [] }: SchemaNode, name: string, rare: number): Record<string, unknown> {
    const kind = properties['type']?.allOf?.[0]?.contains?.const
    const members = Object.entries(properties)
      .filter(([member]) => !generatedMembers.has(member))
      .filter(([member]) => required.includes(member) || !this.#isOneOf(rare))
      .map(([member, node]) => [member, this.#createValue(node, member)])
    const made = {
      ...(kind !== undefined && { type: [kind] }),
      ...(Object.fromEntries(members) as Record<string, unknown>),
    }
    // A measure of UNTP needs the metric that it is of.
    if (name === 'claimedPerformance' && 'measure' in made && !('metric' in made)) delete made['measure']
    return made
  }

  #createValue(reference: SchemaNode, name: string): unknown {
    const definition = reference.$ref?.replace('#/$defs/', '')
    const node = definition === undefined ? reference : (this.#definitions[definition] ?? {})
    if (node.enum) return this.#pick(node.enum)
    if (node.type === 'array') return this.#createList(node, name)
    if (node.type === 'object') return this.#createOpenObject(node, name, definition)
    if (node.type === 'boolean') return this.#isOneOf(2)
    if (node.type === 'integer') return this.#dice(9_000_000) - 4_500_000
    if (node.type === 'number')
      return name.toLowerCase().endsWith('fraction') ? this.#createShare() : this.#createNumber()
    return this.#createTextFor(node, name)
  }

  /** Creates an object, with members that UNTP does not know where it leaves the object open. */
  #createOpenObject(node: SchemaNode & { additionalProperties?: boolean }, name: string, definition = ''): unknown {
    if (definition === 'Dimension' && this.#isOneOf(2))
      return { ...this.#createObject(node, name, 2), diameter: this.#createMeasure(), foldedFlat: this.#isOneOf(2) }
    const made = this.#createObject(node, name, 2)
    return node.additionalProperties === true && this.#isOneOf(4) ? { ...made, ...this.#createOwnMembers(2) } : made
  }

  #createList({ items = {} }: SchemaNode, name: string): unknown[] {
    const length = name === this.#longest ? 12 + this.#dice(12) : this.#dice(6) === 0 ? 0 : 1 + this.#dice(2)
    return Array.from({ length }, () => this.#createValue(items, name))
  }

  #createTextFor({ format }: SchemaNode, name: string): string {
    if (name === 'imageData') return this.#isOneOf(4) ? Buffer.from('<svg/>').toString('base64') : pixel
    if (name === 'mediaType') return this.#pick(mediaTypes)
    if (name === 'linkType') return this.#pick(linkTypes)
    if (name === 'countryCode') return this.#pick(countries)
    if (name === 'unit') return this.#pick([...this.#trade.units, ...this.#trade.units, 'X99'])
    if (format === 'date')
      return new Date(Date.UTC(1990 + this.#dice(60), this.#dice(12), 1 + this.#dice(28))).toISOString().slice(0, 10)
    if (format === 'uri') return `https://example.com/${this.#mark()}`
    return this.#createText(name)
  }

  #createText(name: string): string {
    const { products, materials, documents, claims } = this.#trade
    const lists: Record<string, readonly string[]> = {
      linkName: documents,
      name: [...products, ...materials, ...claims],
    }
    const begins = this.#isOneOf(7) ? this.#pick(odd) : this.#pick(lists[name] ?? materials)
    return name.endsWith('Number') || name === 'code' ? this.#mark() : `${begins} ${this.#mark()}`
  }

  /** Returns a word that no other text of the product has. */
  #mark = () => `${this.#dice(0xffffff).toString(36)}q${++this.#texts}`

  #createShare = () => (this.#isOneOf(10) ? this.#dice(99) / 100_000 : this.#dice(10_001) / 10_000)

  /** Creates a number with few or many digits, of either sign. */
  #createNumber(): number {
    const digits = 1000 + this.#dice(9_000_000)
    const exponent = this.#pick([0, 0, 0, 0, -2, -2, -4, -9, 6, 15])
    return Number(`${this.#isOneOf(5) ? '-' : ''}${digits}e${exponent}`)
  }

  #createMeasure = () => ({ value: this.#createNumber(), unit: this.#pick(Object.keys(unitSigns)) })

  #createOwnMembers(most: number): Record<string, unknown> {
    const names = this.#trade.ownMembers.slice(this.#dice(2), this.#dice(most + 1))
    return Object.fromEntries(names.map((name) => [name, this.#createOwnValue(3)]))
  }

  /** @param depth how many further levels it may have */
  #createOwnValue(depth: number): unknown {
    const leaves: (() => unknown)[] = [
      () => this.#createText('own'),
      () => this.#createNumber(),
      () => this.#isOneOf(2),
      () => [],
      () => ({}),
      () => Array.from({ length: this.#getLength('texts', 60) }, () => this.#createText('own')),
      () => [this.#createNumber(), this.#createNumber()],
      () => this.#createMeasure(),
    ]
    if (depth === 0 || this.#isOneOf(2)) return this.#pick(leaves)()
    const rows = this.#getLength('rows', 40)
    const row = () => ({
      rowName: this.#createText('name'),
      inner_value: this.#createOwnValue(rows > 3 ? 0 : depth - 1),
    })
    return this.#isOneOf(2) ? Array.from({ length: rows }, row) : row()
  }

  #getLength = (list: string, long: number) => (list === this.#longest ? long : 1 + this.#dice(3))
}

/** Creates products, of each trade in turn. */
export const createRandomProducts = (count: number, seed: number): RandomProduct[] =>
  Array.from({ length: count }, (_, at) => {
    const own = seed + at
    const trade = trades[own % trades.length] as Trade
    return { trade: trade.name, seed: own, ...new ProductMaker(trade, own).create() }
  })
