import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { countUploads } from '../../../support/rows/imports/kept-uploads.ts'
import { buildOperator } from '../../identity/people.ts'
import { createForm, productRows } from './intake.maker.ts'
import {
  createWorkbook,
  createWorkbookFiles,
  createRow,
  createZip,
  type WorkbookSheet,
} from '../formats/workbook.maker.ts'

const mebibyte = 1024 * 1024
/**
 * MiB that a process may need more than before, whatever a file unpacks to: some of it is what was not collected yet.
 * A reader that holds what it unpacked needs the 256 of the limit at least (266 when it was tried).
 */
const flat = 250
/**
 * The same for rows of 16,384 cells in a few bytes each: the lists and lines that are made of them are garbage at once,
 * 157 to 212 MiB of it on machines more and less busy. A reader that holds the lines needs 375.
 */
const flatForWideRows = 300
const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Many times the same, packed once: deflate goes on with a stream of its own after each full flush. */
function repeated(unit: string | Buffer, bytes: number): Buffer {
  const piece = Buffer.alloc(Math.floor(mebibyte / unit.length) * unit.length, unit)
  const packed = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH, level: 6 })
  return Buffer.concat(Array<Buffer>(Math.ceil(bytes / piece.length)).fill(packed))
}

/** A part of a workbook that unpacks to a beginning and then the same again and again. */
const endless = (begin: string, unit: string, bytes = 300 * mebibyte) => ({
  packed: Buffer.concat([
    deflateRawSync(Buffer.from(begin), { finishFlush: constants.Z_FULL_FLUSH }),
    repeated(unit, bytes),
    deflateRawSync(''),
  ]),
  bytes,
})

describe('POST /v1/imports: decompression bombs', function () {
  this.timeout(120_000)
  let own: OwnPlatform
  let built: Awaited<ReturnType<typeof buildOperator>>
  let mapper: string
  let process: number | undefined
  before(async () => {
    own = await startPlatform()
    built = await buildOperator(own.database)
    const made = await createApiClient(own.apiKey, own.api).post('/v1/import/mappers', {
      application: own.application,
      name: 'Bombs',
      type: 'file',
      format: 'csv',
      rows: productRows,
    })
    mapper = String(made.body['id'])
    process = own.children.server.pid
  })
  after(async () => {
    await built.close()
    await own.stop()
  })

  /** The most memory that the API ever had, in MiB. */
  const peak = () =>
    Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${own.children.server.pid}/status`, 'utf8'))?.[1]) / 1024
  const send = (raw: Buffer, headers: Record<string, string>, query = '') =>
    createApiClient(own.apiKey, own.api).post(
      `/v1/imports?entityName=DppPassport&application=${own.application}&dryRun=true${query}`,
      undefined,
      { raw, headers },
    )
  async function refused(
    raw: Buffer,
    headers: Record<string, string>,
    code: string,
    query = '',
    most = flat,
  ): Promise<void> {
    expect(raw.length, 'bytes that are sent').to.be.lessThan(4 * mebibyte)
    // The highest so far becomes what there is now. Source: proc_pid_clear_refs(5).
    writeFileSync(`/proc/${own.children.server.pid}/clear_refs`, '5')
    const before = peak()
    const answer = await send(raw, headers, query)
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, code])
    expect(await countUploads(built.context.db, own.organization), 'files that are kept').to.equal(0)
    expect(own.children.server.pid, 'the process that answered').to.equal(process)
    expect(peak() - before, 'MiB more than before').to.be.lessThan(most)
  }

  const packedList = Buffer.concat([
    gzipSync('['),
    ...Array<Buffer>(5).fill(gzipSync(Buffer.alloc(64 * mebibyte, ' '), { level: constants.Z_BEST_SPEED })),
  ])

  it('end there when gzip packed them, as they are or in a form', async () => {
    await refused(packedList, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'IMPORT_TOO_LARGE')
    const { raw, type } = createForm([{ file: 'a.json', content: '[' }])
    const at = raw.indexOf('\r\n\r\n[') + 5
    const form = Buffer.concat([
      gzipSync(raw.subarray(0, at)),
      packedList.subarray(gzipSync('[').length),
      gzipSync(raw.subarray(at)),
    ])
    await refused(form, { 'content-type': type, 'content-encoding': 'gzip' }, 'IMPORT_TOO_LARGE')
  })

  it('are no file in a form when they are packed within it, or packed twice', async () => {
    const { raw, type } = createForm([{ file: 'a.json', type: 'application/json', content: packedList }])
    await refused(raw, { 'content-type': type }, 'INVALID_REQUEST')
    await refused(
      gzipSync(packedList),
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      'INVALID_REQUEST',
    )
  })

  const sheet: WorkbookSheet = { name: 'Bags', rows: createRow(1, ['ref', 'name']) + createRow(2, ['A', 'Bag']) }
  const files = createWorkbookFiles([sheet])
  const [first, strings] = ['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml']
  const rows = '<worksheet><sheetData>'
  for (const [what, book, code, most] of [
    ['blanks in a sheet', createZip({ ...files, [first]: endless(rows, ' ') }), 'IMPORT_TOO_LARGE'],
    [
      'a sheet that says it is small',
      createZip({ ...files, [first]: { ...endless(rows, ' '), bytes: 100 } }),
      'INVALID_REQUEST',
    ],
    [
      'a sheet that says it is small, and nothing else',
      createZip({ ...files, [first]: { ...endless(rows, ' '), bytes: 0 } }),
      'INVALID_REQUEST',
    ],
    [
      'rows whose only cell is the last one',
      createZip({ ...files, [first]: endless(rows, '<row><c r="XFD1"><v>1</v></c></row>') }),
      'IMPORT_TOO_LARGE',
      flatForWideRows,
    ],
    [
      'cells by the billion',
      createWorkbook([
        {
          ...sheet,
          rows:
            `<dimension ref="A1:XFD1048576"/>${createRow(1, ['ref', 'name']).replace('<row', '<row spans="1:16384"')}`
            + '<row r="1048576" spans="1:16384"><c r="XFD1048576"><v>1</v></c></row><row><c/></row>',
        },
      ]),
      'INVALID_REQUEST',
    ],
    ['rows of nothing', createZip({ ...files, [first]: endless(rows, '<row/>') }), 'INVALID_REQUEST'],
    ['a row of nothing', createZip({ ...files, [first]: endless(`${rows}<row>`, '<c/>') }), 'INVALID_REQUEST'],
    ['one cell', createZip({ ...files, [first]: endless(`${rows}<row><c><v>`, '1') }), 'IMPORT_TOO_LARGE'],
    ['elements within elements', createZip({ ...files, [first]: endless(rows, '<a>') }), 'INVALID_REQUEST'],
    [
      'an element of attributes',
      createZip({
        ...files,
        [first]: Buffer.from(`${rows}<row ${Array.from({ length: 400_000 }, (_, at) => `a${at}=""`).join(' ')}>`),
      }),
      'INVALID_REQUEST',
    ],
    ['an attribute', createZip({ ...files, [first]: endless(`${rows}<row r="`, '1') }), 'INVALID_REQUEST'],
    ['empty texts', createZip({ ...files, [strings]: endless('<sst>', '<si/>') }), 'IMPORT_TOO_LARGE'],
    [
      'texts that differ in nothing',
      createZip({ ...files, [strings]: endless('<sst>', `<si><t>${'abcdefghij'.repeat(20)}</t></si>`) }),
      'IMPORT_TOO_LARGE',
    ],
    ['one text', createZip({ ...files, [strings]: endless('<sst><si><t>', 'x') }), 'IMPORT_TOO_LARGE'],
    [
      'one text in many cells',
      createZip({
        ...files,
        [strings]: `<sst><si><t>${'x'.repeat(mebibyte)}</t></si></sst>`,
        [first]: `${rows}<row>${'<c t="s"><v>0</v></c>'.repeat(16_000)}</row></sheetData></worksheet>`,
      }),
      'IMPORT_TOO_LARGE',
    ],
    [
      'links',
      createZip({ ...files, '_rels/.rels': endless('<Relationships>', '<Relationship/>') }),
      'IMPORT_TOO_LARGE',
    ],
    ['sheets', createZip({ ...files, 'xl/workbook.xml': endless('<workbook>', '<sheet/>') }), 'IMPORT_TOO_LARGE'],
    [
      'formats',
      createZip({ ...files, 'xl/styles.xml': endless('<styleSheet><cellXfs>', '<xf/>') }),
      'IMPORT_TOO_LARGE',
    ],
    [
      'entities of entities',
      createZip({
        ...files,
        [strings]: `<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa">${[...'bcdefghij']
          .map((name, at) => `<!ENTITY ${name} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`)
          .join('')}]><sst><si><t>&j;</t></si></sst>`,
      }),
      'INVALID_REQUEST',
    ],
    [
      'an entity that is a file',
      createZip({
        ...files,
        [strings]: '<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]><sst><si><t>&a;</t></si></sst>',
      }),
      'INVALID_REQUEST',
    ],
    [
      'parts',
      createZip({ ...files, ...Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`a${at}`, ''])) }),
      'IMPORT_TOO_LARGE',
    ],
    [
      'workbooks in workbooks',
      createZip({ ...files, [first]: createZip({ ...files, [first]: endless(rows, ' ') }) }),
      'INVALID_REQUEST',
    ],
  ] as const) {
    it(`end there as a workbook with ${what}`, async () =>
      refused(book, { 'content-type': workbook }, code, `&mapperId=${mapper}`, most))
  }

  it('end there as a workbook that came packed once more, or in a form', async () => {
    const book = createZip({ ...files, '_rels/.rels': endless('<Relationships>', '<Relationship/>') })
    await refused(
      gzipSync(book),
      { 'content-type': workbook, 'content-encoding': 'gzip' },
      'IMPORT_TOO_LARGE',
      `&mapperId=${mapper}`,
    )
    const { raw, type } = createForm([{ file: 'a.xlsx', content: book }])
    await refused(raw, { 'content-type': type }, 'IMPORT_TOO_LARGE', `&mapperId=${mapper}`)
  })

  it('leave a process that takes the next file', async () => {
    expect((await send(createWorkbook([sheet]), { 'content-type': workbook }, `&mapperId=${mapper}`)).status).to.equal(
      202,
    )
  })
})
