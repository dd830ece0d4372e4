import { expect } from 'chai'
import fc from 'fast-check'
import { InitError } from '../../../../core/features/imports/records/imports.types.ts'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { passportSink } from '../../../../core/features/dpp/index.ts'
import { compileMapper } from '../../../../core/features/imports/mapping/mapping.ts'
import { faults, field, json } from './mapping.cases.ts'

const csv = (rows: MapperRow[], columns: string[], cells: string[]) =>
  compileMapper(rows, { format: 'csv', columns }, passportSink)(cells)

/** Code and message of why a mapper does not fit a file. */
function refusal(rows: MapperRow[], columns: string[]): string {
  try {
    compileMapper(rows, { format: 'csv', columns }, passportSink)
    return ''
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    return `${cause.code} ${cause.message}`
  }
}

describe('Mapper: rules', () => {
  it('put values where their destinations say', () => {
    const { body, errors } = csv(
      [
        field('reference', 'SKU'),
        { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
        { destination: 'product.name', kind: 'template', value: '{{Brand}} {{ Model }}' },
        { destination: 'data.materials[0].name', kind: 'field', source: 'Material' },
        { destination: 'data.materials[1].name', kind: 'field', source: 'Lining' },
        { destination: 'data.gender', kind: 'lookup', source: 'Gender', lookup: { W: 'women', M: 'men' } },
        { destination: 'data.address', kind: 'concat', source: ['Street', 'Town', 'Country'], value: ', ' },
        field('data.weight', 'Weight', { transforms: ['number'] }),
      ],
      ['SKU', 'Brand', 'Model', 'Material', 'Lining', 'Gender', 'Street', 'Town', 'Country', 'Weight'],
      ['A-1', 'Acme', 'Bag', 'Leather', 'Silk', 'W', 'High St 1', '', 'GB', '1,5'],
    )
    expect(errors).to.deep.equal([])
    expect(body).to.deep.equal({
      reference: 'A-1',
      product: { idGranularity: 'item', name: 'Acme Bag' },
      data: {
        materials: [{ name: 'Leather' }, { name: 'Silk' }],
        gender: 'women',
        address: 'High St 1, GB',
        weight: 1.5,
      },
    })
  })

  it('leave out what has no value, with the objects and the places that would hold it', () => {
    const rows = [
      field('reference', 'a'),
      field('product.producedAtFacility.name', 'b'),
      field('data.list[0].x', 'b'),
      field('data.list[1].x', 'a'),
      { destination: 'data.t', kind: 'template', value: 'No. {{b}}' },
      { destination: 'data.c', kind: 'concat', source: ['b', 'b'], value: '-' },
      { destination: 'data.l', kind: 'lookup', source: 'b', lookup: {}, lookupDefault: 'x' },
    ] satisfies MapperRow[]
    expect(csv(rows, ['a', 'b'], ['1', ''])).to.deep.equal({
      body: { reference: '1', data: { list: [{ x: '1' }] } },
      errors: [],
    })
    expect(csv(rows, ['a', 'b'], ['', ''])).to.deep.equal({ body: {}, errors: [] })
  })

  it('share nothing between two bodies', () => {
    const map = compileMapper(
      [field('data.a.b', 'a'), field('data.l[0]', 'b')],
      { format: 'csv', columns: ['a', 'b'] },
      passportSink,
    )
    const [first, second] = [map(['1', '2']).body, map(['', '3']).body]
    expect([first, second]).to.deep.equal([{ data: { a: { b: '1' }, l: ['2'] } }, { data: { l: ['3'] } }])
  })

  it('tell every value that fails, at its destination, and which one it was', () => {
    const { errors } = csv(
      [
        field('data.price', 'Price', { transforms: ['number'] }),
        field('reference', 'Ref', { required: true }),
        { destination: 'data.size', kind: 'lookup', source: 'Size', lookup: { S: 'small' } },
        field('data.ok', 'Ok'),
      ],
      ['Price', 'Ref', 'Size', 'Ok'],
      [`${'x'.repeat(300)}`, '  ', 'XXL', 'fine'],
    )
    expect(errors.map(({ path, code, value }) => [path, code, value])).to.deep.equal([
      ['data.price', 'not_number', 'x'.repeat(200)],
      ['reference', 'required', null],
      ['data.size', 'not_in_lookup', 'XXL'],
    ])
  })

  it('find columns by their name, else by it without blanks and capitals', () => {
    const rows = [field('reference', 'Artikel-Nr'), field('data.name', ' product NAME')]
    expect(csv(rows, ['ARTIKEL-NR ', 'Product Name'], ['1', '2']).body).to.deep.equal({
      reference: '1',
      data: { name: '2' },
    })
    expect(csv([field('reference', 'ref')], ['REF', 'ref'], ['1', '2']).body).to.deep.equal({ reference: '2' })
  })

  it('do not fit a file that lacks a column they need, or all of them', () => {
    expect(refusal([field('reference', 'SKU', { required: true }), field('data.a', 'A')], ['A', 'B'])).to.match(
      /^IMPORT_COLUMNS_MISSING .*"SKU".*It has "A", "B"/,
    )
    expect(refusal([field('reference', 'SKU'), field('data.a', 'A')], ['X'])).to.match(
      /^IMPORT_COLUMNS_MISSING .*"SKU", "A"/,
    )
    expect(refusal([field('reference', 'SKU'), field('data.a', 'A')], ['A'])).to.equal('')
    expect(
      refusal([field('reference', 'SKU', { required: true, transforms: ['default(x)'] }), field('data.a', 'A')], ['A']),
    ).to.equal('')
    const many = Array.from({ length: 30 }, (_, at) => field(`data.d${at}`, `c${at}`))
    expect(refusal(many, ['X']))
      .to.contain('"c9" and 20 more')
      .and.not.contain('"c10"')
  })

  it('do not fit a file where a name they use stands twice', () => {
    expect(refusal([field('reference', 'Name')], ['Name', 'Other', 'Name'])).to.match(
      /^IMPORT_COLUMN_TWICE .*2 columns.*"Name"/,
    )
    expect(refusal([field('reference', 'name')], ['Name', 'NAME'])).to.match(/^IMPORT_COLUMN_TWICE/)
    expect(refusal([field('reference', 'Other')], ['Name', 'Other', 'Name'])).to.equal('')
  })

  it("are refused where a destination leads nowhere, or two get in each other's way", () => {
    const to = (...paths: string[]) => faults(paths.map((path) => field(path, 'a')))
    for (const path of [
      'nonsense',
      'product.',
      '.product',
      'data..a',
      'data[',
      'data.a[x]',
      'data.a]b',
      '__proto__.x',
      'data.__proto__.x',
      'data.constructor',
      'reference.x',
      'id',
      'status',
      'data.a[100]',
      `data${'.a'.repeat(40)}`,
      'data.a[0]b',
    ]) {
      expect(to(path), path).to.deep.equal(['rows[0].destination unknown_path'])
    }
    expect(to('product', 'product.name')).to.deep.equal(['rows[1].destination clash'])
    expect(to('product.name', 'product')).to.deep.equal(['rows[1].destination clash'])
    expect(to('data.a', 'data.b', 'data.a')).to.deep.equal(['rows[2].destination clash'])
    expect(to('data.a[0]', 'data.a.b')).to.deep.equal(['rows[1].destination clash'])
    expect(to('product', 'data.a[99]', 'data.b[0][1].c', 'certifiedPaths[0]', 'fields.x', 'network')).to.deep.equal([])
  })

  it('are no more and no longer than the document says, also where a page has made them', () => {
    const long = 'x'.repeat(501)
    expect(
      faults([
        field(`data.${long}`, 'A'),
        field('data.b', long),
        field('data.c', 'C', { transforms: Array<string>(11).fill('trim') }),
      ]),
    ).to.deep.equal(['rows[0].destination too_long', 'rows[1].source too_long', 'rows[2].transforms max_items'])
    expect(faults(Array.from({ length: 501 }, (_, at) => field(`data.x${at}`, 'A')))).to.deep.equal(['rows max_items'])
  })

  it('are refused where their kind does not go with what they have', () => {
    const row = (more: object) => faults([{ destination: 'data.a', kind: 'field', ...more } as MapperRow])
    expect(row({})).to.deep.equal(['rows[0].source required'])
    expect(row({ source: ['a'] })).to.deep.equal(['rows[0].source type'])
    expect(row({ source: 'a', value: 'x' })).to.deep.equal(['rows[0].value unknown_member'])
    expect(row({ kind: 'constant' })).to.deep.equal(['rows[0].value required'])
    expect(row({ kind: 'constant', value: 'x', source: 'a' })).to.deep.equal(['rows[0].source unknown_member'])
    expect(row({ kind: 'template', value: 'x' })).to.deep.equal(['rows[0].value placeholder'])
    expect(row({ kind: 'template', value: '{{a' })).to.deep.equal(['rows[0].value placeholder'])
    expect(row({ kind: 'template', value: 5 })).to.deep.equal(['rows[0].value type'])
    expect(row({ kind: 'lookup', source: 'a' })).to.deep.equal(['rows[0].lookup required'])
    expect(row({ kind: 'concat', source: 'a' })).to.deep.equal(['rows[0].source type'])
    expect(row({ kind: 'concat', source: ['a'], value: 1 })).to.deep.equal(['rows[0].value type'])
    expect(row({ source: 'a', transforms: ['trim', 'shout', 'split'] })).to.deep.equal([
      'rows[0].transforms[1] transform',
      'rows[0].transforms[2] transform',
    ])
  })

  it('find again whatever was put, wherever it went', () => {
    const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,8}$/)
    const part = fc.oneof(
      name.map((one) => `.${one}`),
      fc.nat({ max: 99 }).map((place) => `[${place}]`),
    )
    const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `data.x${parts.join('')}`)
    const text = fc.string({ minLength: 1 }).filter((one) => one.trim() !== '')
    fc.assert(
      fc.property(path, text, (destination, value) => {
        const { body } = csv([field(destination, 'a')], ['a'], [value])
        // A list with one place closes up to its first.
        let found: unknown = body
        for (const [, member, place] of destination.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
          found = (found as Record<string, unknown>)[place === undefined ? String(member) : '0']
        }
        expect(found).to.equal(value)
      }),
    )
  })

  it('make no passport that outgrows its file: one value at hundreds of places ends the row', () => {
    const everywhere = (more: object) =>
      Array.from({ length: 500 }, (_, at) => ({ destination: `data.x${at}`, ...more }) as MapperRow)
    const long = 'y'.repeat(12_000)
    for (const [rows, item] of [
      [everywhere({ kind: 'field', source: 'v' }), { v: long }],
      [everywhere({ kind: 'field', source: 'v' }), { v: [{ [long]: [long] }] }],
      [everywhere({ kind: 'concat', source: Array<string>(20).fill('v') }), { v: long }],
      [everywhere({ kind: 'field', source: 'v' }), { v: Array<number>(20_000).fill(1) }],
    ] as const) {
      const { body, errors } = json([...rows], item)
      expect(errors.map(({ code }) => code)).to.deep.equal(['too_large'])
      expect(JSON.stringify(body).length).to.be.below(3_000_000)
    }
    const worked = json(everywhere({ kind: 'field', source: 'v', transforms: ['split(y)'] }), { v: long.repeat(20) })
    expect(worked.errors.map(({ code, path }) => `${code} ${path}`)).to.deep.equal(['too_large data.x8'])
    const wrong = json(everywhere({ kind: 'field', source: 'v', transforms: ['trim'] }), { v: { a: long } })
    expect(wrong.errors).to.have.length(50)
    expect(json(everywhere({ kind: 'field', source: 'v' }), { v: 'short' }).errors).to.deep.equal([])
  })

  it('never throw, whatever the item', () => {
    const map = compileMapper(
      [
        field('reference', '$.a'),
        field('data.b', '$..b', { transforms: ['number'] }),
        field('data.c', '$.c[?@.d == 1]'),
        { destination: 'data.t', kind: 'template', value: '{{a}}/{{b}}' },
        { destination: 'data.l', kind: 'lookup', source: 'a', lookup: { x: 'y' } },
      ],
      { format: 'json' },
      passportSink,
    )
    let deep: unknown = 1
    for (let level = 0; level < 5_000; level += 1) deep = { b: deep }
    map(deep)
    fc.assert(fc.property(fc.jsonValue(), (value) => void map(value)))
  })

  it('leaves a constant out with the value beside it, but no member of the product itself', () => {
    const map = compileMapper(
      [
        { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
        { destination: 'product.dimensions.weight.value', kind: 'field', source: '$.weight' },
        { destination: 'product.dimensions.weight.unit', kind: 'constant', value: 'KGM' },
        { destination: 'product.countryOfProduction.countryCode', kind: 'constant', value: 'IT' },
        { destination: 'data.parts[0].name', kind: 'field', source: '$.part' },
        { destination: 'data.parts[0].kind', kind: 'constant', value: 'main' },
      ],
      { format: 'json' },
      passportSink,
    )
    expect(map({ weight: 2, part: 'Strap' }).body).to.deep.equal({
      product: {
        idGranularity: 'item',
        dimensions: { weight: { value: 2, unit: 'KGM' } },
        countryOfProduction: { countryCode: 'IT' },
      },
      data: { parts: [{ name: 'Strap', kind: 'main' }] },
    })
    const [empty, again] = [map({ weight: '', part: null }).body, map({ weight: 1 }).body]
    expect(empty).to.deep.equal({ product: { idGranularity: 'item', countryOfProduction: { countryCode: 'IT' } } })
    expect(again['product']).to.deep.include({ dimensions: { weight: { value: 1, unit: 'KGM' } } })
  })
})
