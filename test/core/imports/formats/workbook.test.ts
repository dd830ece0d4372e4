import { expect } from 'chai'
import { createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { createForm, createMapper, productRows, sendFile } from '../intake/intake.maker.ts'
import { findByReference, waitForImport } from '../engine/job.maker.ts'
import {
  createWorkbook,
  createWorkbookFiles,
  createNumberCell,
  createRow,
  createSharedCell,
  createZip,
  type WorkbookCell,
  type WorkbookSheet,
} from './workbook.maker.ts'

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const header = createRow(1, ['ref', 'name', 'x'])

describe('POST /v1/imports: Excel workbooks', function () {
  this.timeout(60_000)
  let shop: Shop
  let mapper: string
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop, { rows: [...productRows, { destination: 'data.x', kind: 'field', source: 'x' }] })
  })

  const send = (raw: Buffer, query: Record<string, string> = {}) =>
    sendFile(shop, raw, { type, query: { mapperId: mapper, ...query } })
  const imported = async (raw: Buffer, query: Record<string, string> = {}) => {
    const sent = await send(raw, query)
    expect(sent.status, sent.text).to.equal(202)
    return waitForImport(shop, String(sent.body['id']))
  }
  const sheetOf = (rows: string, more: Partial<WorkbookSheet> = {}): WorkbookSheet => ({ name: 'Bags', rows, ...more })
  /** What `data.x` becomes of one cell; else the code of its error. */
  const valueOf = async (cell: WorkbookCell, options: Parameters<typeof createWorkbook>[1] = {}) => {
    const ref = createSerial()
    const { errorLines } = await imported(createWorkbook([sheetOf(header + createRow(2, [ref, 'Bag', cell]))], options))
    return errorLines.length > 0 ? `! ${errorLines.join()}` : (await findByReference(shop, ref)).data?.['x']
  }

  it('reads the first sheet that is shown, row by row as the sheet counts them', async () => {
    const ref = createSerial()
    const rows =
      createRow(3, ['ref', 'name', 'x', 'y'])
      + createRow(5, [`${ref}/1`, ' Bag & "hat" ', null, null])
      + createRow(6, [null, '  '])
      + createRow(9, [`${ref}/2`, 'Cap', 'a', 'b', 'c'])
    const book = createWorkbook([
      { name: 'Notes', rows: createRow(1, ['hidden']), hidden: true },
      sheetOf(rows),
      { name: 'More', rows: header },
    ])
    const { job, counts, errorLines } = await imported(book)
    expect([job.data.format, job.data.dialect]).to.deep.equal([
      'xlsx',
      { encoding: 'utf-8', bom: false, sheet: 'Bags' },
    ])
    expect([counts.created, errorLines]).to.deep.equal([1, ['9 too_many_cells']])
    expect(job.warnings.map(({ code, count }) => [code, count])).to.deep.equal([['sheets_unread', 2]])
    expect(job.unusedColumns).to.deep.equal(['y'])
    expect((await findByReference(shop, `${ref}/1`)).product).to.include({ name: ' Bag & "hat" ' })
  })

  it('reads the sheet that is named, and says which there are', async () => {
    const ref = createSerial()
    const book = createWorkbook([
      { name: 'One', rows: '' },
      { name: 'Two & more', rows: header + createRow(2, [ref, 'Bag']) },
    ])
    expect((await imported(book, { sheet: 'two & More' })).counts.created).to.equal(1)
    const sent = await send(book, { sheet: 'Three' })
    expect(formatVerdict(sent)).to.equal('400 INVALID_REQUEST')
    expect(sent.text).to.contain('Two & more')
    expect(formatVerdict(await sendFile(shop, '[]', { type: 'application/json', query: { sheet: 'One' } }))).to.equal(
      '400 INVALID_REQUEST',
    )
  })

  it('comes in a form by the end of its name', async () => {
    const ref = createSerial()
    const form = createForm([
      { file: 'bags.xlsx', content: createWorkbook([sheetOf(header + createRow(2, [ref, 'Bag']))]) },
    ])
    const sent = await sendFile(shop, form.raw, { type: form.type, query: { mapperId: mapper } })
    expect((await waitForImport(shop, String(sent.body['id']))).counts.created, sent.text).to.equal(1)
  })

  it('keeps numbers to the digit, and reads days and times as they are shown', async () => {
    for (const [cell, text, options] of [
      [createNumberCell('4006381333931'), '4006381333931'],
      [createNumberCell('12345678901234567890'), '12345678901234567890'],
      [createNumberCell('1.1000000000000001'), '1.1'],
      [createNumberCell('0.30000000000000004'), '0.30000000000000004'],
      [createNumberCell('4.0281710421510001E+12'), '4028171042151'],
      [createNumberCell('-2.50'), '-2.5'],
      [createNumberCell('42', 5), '0000000000042'],
      [createNumberCell('12.5', 6), '12.5'],
      [createNumberCell('46000', 1), '2025-12-09'],
      [createNumberCell('46000.43090277778', 2), '2025-12-09T10:20:30'],
      [createNumberCell('0.5', 3), '12:00:00'],
      [createNumberCell('1.25', 4), '30:00:00'],
      [createNumberCell('59', 1), '1900-02-28'],
      [createNumberCell('60', 1), '! 2 malformed x'],
      [createNumberCell('61', 1), '1900-03-01'],
      [createNumberCell('0', 1), '1904-01-01', { calendar: '<workbookPr date1904="1"/>' }],
      [{ type: 'b', xml: '<v>1</v>' }, 'true'],
      [{ type: 'd', xml: '<v>2026-01-31</v>' }, '2026-01-31'],
      [{ type: 'str', xml: '<f>A1</f><v>sum</v>' }, 'sum'],
      [createNumberCell('five'), '! 2 malformed x'],
    ] as [WorkbookCell, string, object?][]) {
      expect(await valueOf(cell, options), JSON.stringify(cell)).to.equal(text)
    }
  })

  it('reads text however it is written: in runs, with signs that XML has no place for, in character data', async () => {
    const strings = [
      '<r><t>Ba</t></r><r><rPr/><t xml:space="preserve">g </t></r><rPh sb="0" eb="1"><t>spoken</t></rPh>',
      '<t>a_x000D_b _x005F_x0041_</t>',
    ]
    for (const [cell, text] of [
      [createSharedCell(0), 'Bag '],
      [createSharedCell(1), 'a\rb _x0041_'],
      [{ type: 'inlineStr', xml: '<is><t>a<![CDATA[<b>]]><!-- no -->c&#233;</t></is>' }, 'a<b>cé'],
      [createSharedCell(2), '! 2 malformed x'],
    ] as [WorkbookCell, string][]) {
      expect(await valueOf(cell, { strings }), JSON.stringify(cell)).to.equal(text)
    }
  })

  it('fails rows with cells that hold errors, or formulas whose result was not saved', async () => {
    expect(await valueOf({ type: 'e', xml: '<f>1/0</f><v>#DIV/0!</v>' })).to.equal('! 2 cell_error x')
    expect(await valueOf({ type: 'n', xml: '<f>1+1</f>' })).to.equal('! 2 formula x')
    expect(await valueOf({ type: 'n', xml: '<f>1+1</f><v>2</v>' })).to.equal('2')
  })

  it('tells of cells that are merged', async () => {
    const rows = header + createRow(2, [createSerial(), 'Bag'])
    const { job } = await imported(
      createWorkbook([sheetOf(rows, { after: '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>' })]),
    )
    expect(job.warnings.map(({ code }) => code)).to.deep.equal(['cells_merged'])
  })

  it('reads elements with a prefix, and rows and cells that do not say where they stand', async () => {
    const ref = createSerial()
    const cell = (text: string) => `<x:c t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c>`
    const rows = `<x:row>${cell('ref')}${cell('name')}${cell('x')}</x:row><x:row>${cell(ref)}${cell('Bag')}</x:row>`
    expect((await imported(createWorkbook([sheetOf(rows)], { prefix: 'x:' }))).counts.created).to.equal(1)
  })

  const good = createWorkbook([sheetOf(header + createRow(2, ['A', 'Bag']))])
  const files = createWorkbookFiles([sheetOf(header)])
  const flipped = Buffer.from(good)
  flipped.writeUInt8((flipped[60] as number) ^ 0xff, 60)
  for (const [what, raw, expectedCode] of [
    ['is cut off', good.subarray(0, -40), 'INVALID_REQUEST'],
    ['was damaged', flipped, 'INVALID_REQUEST'],
    ['tells a wrong length', createZip(files, { lie: 10 }), 'INVALID_REQUEST'],
    ['is no workbook', Buffer.from('ref,name\n1,2\n'), 'INVALID_REQUEST'],
    ['is of the old kind', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'INVALID_REQUEST'],
    ['is empty', Buffer.alloc(0), 'IMPORT_BODY_MISSING'],
    ['is another archive', createZip({ 'a.txt': 'x' }), 'INVALID_REQUEST'],
    ['lacks its sheet', createZip({ ...files, 'xl/worksheets/sheet1.xml': '' }), 'INVALID_REQUEST'],
    [
      'has a sheet that breaks off',
      createZip({ ...files, 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row r="1">' }),
      'INVALID_REQUEST',
    ],
    [
      'has rows in a wrong order',
      createWorkbook([sheetOf(createRow(2, ['ref', 'name']) + createRow(1, ['A', 'Bag']))]),
      'INVALID_REQUEST',
    ],
    [
      'unpacks to more than is read',
      createZip({
        ...files,
        'xl/sharedStrings.xml': Buffer.concat([Buffer.from('<sst><si><t>'), Buffer.alloc(70 * 1024 * 1024, 'x')]),
      }),
      'IMPORT_TOO_LARGE',
    ],
    [
      'has entities that grow',
      createZip({
        ...files,
        'xl/sharedStrings.xml': '<!DOCTYPE s [<!ENTITY a "aaaa">]><sst><si><t>&a;&a;</t></si></sst>',
      }),
      'INVALID_REQUEST',
    ],
  ] as const) {
    it(`is refused, and not kept, when it ${what}`, async () => {
      const sent = await send(Buffer.from(raw))
      expect(formatVerdict(sent), sent.text).to.equal(`400 ${expectedCode}`)
      const { db } = await getOperator()
      expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
    })
  }
})
