import type { MapperRow } from '../../../core/features/imports/records/mappers.schema.ts'
import { createDice } from './random.ts'

/** The options of a catalogue to import: a CSV file of 12 columns that is the same for the same seed. */
export interface CatalogueOptions {
  /** The number of rows without the header. */
  rows: number
  seed?: number
  /** One row in this many is bad; the default is 100. */
  badRowInterval?: number
  /** The prefix of the references, so that two catalogues can have no reference in common. */
  prefix?: string
  /** The model numbers that the items use; none by default. */
  models?: readonly string[]
}

/** A row that cannot be imported: its first line, and the code and path in the report. */
export interface BadRow {
  line: number
  code: string
  path: string
}

export interface WrittenCatalogue {
  /** The file in chunks of about 64 KiB. */
  chunks: Iterable<Buffer>
  /** The bad rows; complete only after all chunks were read. */
  badRows: BadRow[]
}

export const catalogueColumns = [
  'SKU',
  'Name',
  'Description',
  'Model',
  'Serial',
  'Made on',
  'Country',
  'Price',
  'Colour',
  'E-mail',
  'GTIN',
  'Material',
] as const

const createFieldRow = (destination: string, source: string, more: Partial<MapperRow> = {}): MapperRow => ({
  destination,
  kind: 'field',
  source,
  ...more,
})

/** The mapper that makes items of the product flow from the catalogue's rows. */
export const catalogueMapper: MapperRow[] = [
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  createFieldRow('reference', 'SKU'),
  createFieldRow('product.name', 'Name', { required: true, transforms: ['trim'] }),
  createFieldRow('product.description', 'Description'),
  createFieldRow('product.modelNumber', 'Model'),
  createFieldRow('product.itemNumber', 'Serial'),
  createFieldRow('product.productionDate', 'Made on', { transforms: ['date(dd/MM/yyyy)'] }),
  createFieldRow('product.countryOfProduction.countryCode', 'Country', { transforms: ['upper'] }),
  createFieldRow('data.price', 'Price', { transforms: ['number'] }),
  createFieldRow('data.color', 'Colour', { transforms: ['lower'] }),
  createFieldRow('allowedClaimEmail', 'E-mail'),
  createFieldRow('data.gtin', 'GTIN', { transforms: ['gtin'] }),
  createFieldRow('data.material', 'Material'),
]

type RowCells = string[]

/** The ways to spoil a row, each with the code and path in the report. */
const rowFaults: readonly { code: string; path: string; spoil(cells: RowCells): RowCells }[] = [
  { code: 'required', path: 'product.name', spoil: (cells) => cells.with(1, '  ') },
  { code: 'not_date', path: 'product.productionDate', spoil: (cells) => cells.with(5, '31/02/2026') },
  { code: 'not_number', path: 'data.price', spoil: (cells) => cells.with(7, 'on request') },
  { code: 'not_gtin', path: 'data.gtin', spoil: (cells) => cells.with(10, '4006381333930') },
  { code: 'format', path: 'allowedClaimEmail', spoil: (cells) => cells.with(9, 'nobody at home') },
  { code: 'max_length', path: 'reference', spoil: (cells) => cells.with(0, 'R'.repeat(201)) },
  { code: 'max_length', path: 'product.itemNumber', spoil: (cells) => cells.with(4, 'S'.repeat(201)) },
  { code: 'required', path: 'product.itemNumber', spoil: (cells) => cells.with(4, '') },
  { code: 'too_many_cells', path: '', spoil: (cells) => [...cells, 'more'] },
  { code: 'too_few_cells', path: '', spoil: (cells) => cells.slice(0, 9) },
]

const adjectives = ['Élégant', 'Robust', 'Größe', 'Señora', 'Città', 'Classic', 'Naïve', 'Slim', 'Wide', 'Früh']
const nouns = ['Bag', 'Shoe', 'Jacket', 'Scarf "Luxe"', 'Watch', 'Lamp, small', 'Chair', 'Table', 'Belt', 'Cap']
const countries = ['fr', 'de', 'it', 'es', 'pt', 'vn', 'tr', 'in', 'cn', 'us']
const materials = ['100 % cotton', 'wool 70 %, silk 30 %', 'leather', 'polyester; recycled', 'linen']
const gtins = ['4006381333931', '9780201379624', '0012345678905', '5901234123457', '96385074']

const formatCell = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const formatTwoDigits = (number: number) => String(number).padStart(2, '0')

/** Writes a catalogue and records which of its lines are bad, and why. */
export function writeCatalogue({
  rows,
  seed = 1,
  badRowInterval = 100,
  prefix = 'sku',
  models = [],
}: CatalogueOptions): WrittenCatalogue {
  const badRows: BadRow[] = []
  const roll = createDice(seed)
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  function createGoodRow(row: number): RowCells {
    const description =
      row % 50 === 0 ? `Line one of ${row}\nLine two, "quoted"` : `${pick(adjectives)} ${pick(nouns)} nº ${row}`
    return [
      `${prefix}-${row}`,
      `${pick(adjectives)} ${pick(nouns)}`,
      description,
      models.length > 0 ? pick(models) : '',
      `${prefix}${row}`,
      `${formatTwoDigits(1 + roll(28))}/${formatTwoDigits(1 + roll(12))}/20${20 + roll(6)}`,
      pick(countries),
      `${roll(2000)}.${formatTwoDigits(roll(100))}`,
      pick(['Red', 'Blue', 'Noir', 'Grün', 'Azul']),
      `buyer${row}@example.com`,
      pick(gtins),
      pick(materials),
    ]
  }
  function* chunks(): Generator<Buffer> {
    let text = `${catalogueColumns.join(',')}\n`
    let line = 2
    for (let row = 0; row < rows; row++) {
      let cells = createGoodRow(row)
      if (row % badRowInterval === badRowInterval - 1) {
        const fault = rowFaults[Math.floor(row / badRowInterval) % rowFaults.length] as (typeof rowFaults)[number]
        cells = fault.spoil(cells)
        badRows.push({ line, code: fault.code, path: fault.path })
      }
      const record = `${cells.map(formatCell).join(',')}\n`
      line += record.split('\n').length - 1
      text += record
      if (text.length < 65_536) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
  return { chunks: chunks(), badRows }
}
