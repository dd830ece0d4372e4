import type { MapperRow } from '../../core/features/imports/mappers.schema.ts'

/** A catalogue to import: a CSV file of 12 columns, the same for the same seed. */
export interface Catalogue {
  /** Rows beside the header. */
  rows: number
  seed?: number
  /** One row in so many is bad; 100 unless told. */
  badEvery?: number
  /** What its references begin with, so that two catalogues have none in common. */
  prefix?: string
  /** Numbers of models that its items name; none unless told. */
  models?: readonly string[]
}

/** A row that cannot be imported: where it begins, and the code that the report has for it. */
export interface BadRow { line: number; code: string; path: string }

export interface Written {
  /** The file in pieces of about 64 KiB. */
  chunks: Iterable<Buffer>
  /** Known once the chunks have been used up. */
  bad: BadRow[]
}

export const columns = [
  'SKU', 'Name', 'Description', 'Model', 'Serial', 'Made on', 'Country', 'Price', 'Colour', 'E-mail', 'GTIN', 'Material',
] as const

const field = (destination: string, source: string, more: Partial<MapperRow> = {}): MapperRow =>
  ({ destination, kind: 'field', source, ...more })

/** What makes items of the product flow of its rows. */
export const catalogueMapper: MapperRow[] = [
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  field('reference', 'SKU'),
  field('product.name', 'Name', { required: true, transforms: ['trim'] }),
  field('product.description', 'Description'),
  field('product.modelNumber', 'Model'),
  field('product.itemNumber', 'Serial'),
  field('product.productionDate', 'Made on', { transforms: ['date(dd/MM/yyyy)'] }),
  field('product.countryOfProduction.countryCode', 'Country', { transforms: ['upper'] }),
  field('data.price', 'Price', { transforms: ['number'] }),
  field('data.color', 'Colour', { transforms: ['lower'] }),
  field('allowedClaimEmail', 'E-mail'),
  field('data.gtin', 'GTIN', { transforms: ['gtin'] }),
  field('data.material', 'Material'),
]

type Cells = string[]

/** Ways in which a row goes wrong, each with what the report says of it. */
const faults: readonly { code: string; path: string; spoil(cells: Cells): Cells }[] = [
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

/** Source: mulberry32, a generator of 32 bits. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

const written = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const two = (number: number) => String(number).padStart(2, '0')

/** Writes the catalogue as it is asked for. It knows which of its lines are bad, and why. */
export function writeCatalogue({ rows, seed = 1, badEvery = 100, prefix = 'sku', models = [] }: Catalogue): Written {
  const bad: BadRow[] = []
  const roll = dice(seed)
  const of = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  function good(row: number): Cells {
    const description = row % 50 === 0 ? `Line one of ${row}\nLine two, "quoted"` : `${of(adjectives)} ${of(nouns)} nº ${row}`
    return [
      `${prefix}-${row}`, `${of(adjectives)} ${of(nouns)}`, description, models.length > 0 ? of(models) : '', `${prefix}${row}`,
      `${two(1 + roll(28))}/${two(1 + roll(12))}/20${20 + roll(6)}`, of(countries), `${roll(2000)}.${two(roll(100))}`,
      of(['Red', 'Blue', 'Noir', 'Grün', 'Azul']), `buyer${row}@example.com`, of(gtins), of(materials),
    ]
  }
  function* chunks(): Generator<Buffer> {
    let text = `${columns.join(',')}\n`
    let line = 2
    for (let row = 0; row < rows; row++) {
      let cells = good(row)
      if (row % badEvery === badEvery - 1) {
        const fault = faults[Math.floor(row / badEvery) % faults.length] as (typeof faults)[number]
        cells = fault.spoil(cells)
        bad.push({ line, code: fault.code, path: fault.path })
      }
      const record = `${cells.map(written).join(',')}\n`
      line += record.split('\n').length - 1
      text += record
      if (text.length < 65_536) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
  return { chunks: chunks(), bad }
}
