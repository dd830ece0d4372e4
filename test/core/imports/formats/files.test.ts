import { expect } from 'chai'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import { getBody, waitForJob, createSerial } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { createForm, createMapper, sendFile } from '../intake/intake.maker.ts'

interface Reported {
  line: number
  path: string
  code: string
  message: string
  value: string | null
}

/** One file of a kind that people really send: what is in it, and what has to become of it. */
interface Wild {
  what: string
  /** The file; `ref` makes references that no other test has. */
  file(ref: (name: string) => string): string | Buffer
  dialect: object
  /** References and names of the passports. */
  made: [ref: string, name: string][]
  failed?: [line: number, code: string][]
  initError?: RegExp
}

const wild: Wild[] = [
  {
    what: 'semicolons, decimal commas and a mark, as a spreadsheet of Europe writes it',
    file: (ref) => `\ufeffref;name;price\r\n${ref('1')};"Sac ""Été""; grand";12,50\r\n${ref('2')};Bag;3,00\r\n;;\r\n`,
    dialect: { encoding: 'utf-8', bom: true, delimiter: ';', columns: 3 },
    made: [
      ['1', 'Sac "Été"; grand'],
      ['2', 'Bag'],
    ],
  },
  {
    what: 'tabs in UTF-16, as a spreadsheet writes “Unicode text”',
    file: (ref) => Buffer.from(`\ufeffref\tname\r\n${ref('1')}\tGrün, größer\r\n`, 'utf16le'),
    dialect: { encoding: 'utf-16le', bom: true, delimiter: '\t', columns: 2 },
    made: [['1', 'Grün, größer']],
  },
  {
    what: 'UTF-16 the other way round, without a mark',
    file: (ref) => Buffer.from(`ref,name\n${ref('1')},Borsa più bella\n`, 'utf16le').swap16(),
    dialect: { encoding: 'utf-16be', bom: false, delimiter: ',', columns: 2 },
    made: [['1', 'Borsa più bella']],
  },
  {
    what: 'Windows-1252',
    file: (ref) => Buffer.from(`ref;name\n${ref('1')};Bag\n${ref('2')};caf\xe9 \x80 \x93x\x94\n`, 'latin1'),
    dialect: { encoding: 'windows-1252', bom: false, delimiter: ';', columns: 2 },
    made: [
      ['1', 'Bag'],
      ['2', 'café € “x”'],
    ],
  },
  {
    what: 'one line that is not UTF-8, after the first MiB',
    file: (ref) =>
      Buffer.concat([
        Buffer.from(`ref;name\n${ref('1')};Bag\n`),
        Buffer.alloc(1_100_000, '\n'),
        Buffer.from(`${ref('2')};caf\xe9 x\n`, 'latin1'),
        Buffer.from(`${ref('3')};café\n`),
      ]),
    dialect: { encoding: 'utf-8', bom: false, delimiter: ';', columns: 2 },
    made: [
      ['1', 'Bag'],
      ['3', 'café'],
    ],
    failed: [[1_100_003, 'invalid_encoding']],
  },
  {
    what: 'the line ends of old machines, line breaks in cells, and the header again',
    file: (ref) => `ref,name\r${ref('1')},"two\rlines"\r\rref,name\r${ref('2')},Bag`,
    dialect: { encoding: 'utf-8', bom: false, delimiter: ',', columns: 2 },
    made: [
      ['1', 'two\rlines'],
      ['2', 'Bag'],
    ],
    failed: [[5, 'header_repeated']],
  },
  {
    what: 'quotation marks in the middle, records too short and too long, and one that is no text',
    file: (ref) => `ref,name\n${ref('1')},3" pipe\nshort\n${ref('x')},a,b\n${ref('y')},\0\n${ref('2')},"6"" pipe"\n`,
    dialect: { encoding: 'utf-8', bom: false, delimiter: ',', columns: 2 },
    made: [
      ['1', '3" pipe'],
      ['2', '6" pipe'],
    ],
    failed: [
      [3, 'too_few_cells'],
      [4, 'too_many_cells'],
      [5, 'text'],
    ],
  },
  {
    what: 'a quotation mark that is never closed, after rows that are right',
    file: (ref) => `ref,name\n${ref('1')},Bag\n${ref('2')},"Sac\n${ref('3')},Bag\n`,
    dialect: { encoding: 'utf-8', bom: false, delimiter: ',', columns: 2 },
    made: [['1', 'Bag']],
    initError: /^The record on line 3 opens a quotation mark that is never closed\.$/,
  },
  {
    what: 'nothing but a header',
    file: () => 'ref,name\n',
    dialect: { encoding: 'utf-8', bom: false, delimiter: ',', columns: 2 },
    made: [],
  },
  {
    what: '10,000 columns, and a cell of 1 MiB',
    file: (ref) => {
      const more = Array.from({ length: 9_998 }, (_, at) => `c${at}`)
      return `ref,name,${more.join()}\n${ref('1')},Bag,${'x'.repeat(1024 * 1024)}${','.repeat(9_997)}\n`
    },
    dialect: { encoding: 'utf-8', bom: false, delimiter: ',', columns: 10_000 },
    made: [['1', 'Bag']],
  },
]

describe('POST /v1/imports: real-world files', function () {
  this.timeout(60_000)
  let shop: Shop
  let mapper: string
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop)
  })

  for (const { what, file, dialect, made, failed = [], initError } of wild) {
    it(`${initError ? 'are refused' : 'are imported'} with ${what}`, async () => {
      const serial = createSerial()
      const ref = (name: string) => `${serial}/${name}`
      const form = createForm([{ file: 'wild.csv', content: file(ref) }])
      const sent = await sendFile(shop, form.raw, { type: form.type, query: { mapperId: mapper } })
      expect(sent.status, sent.text).to.equal(202)
      expect(sent.body['data']?.['dialect']).to.deep.equal(dialect)
      await waitForJob(shop.api, `/v1/imports/${sent.body['id']}`)
      const job = getBody<ImportJob>(await shop.api.get(`/v1/imports/${sent.body['id']}`))
      const report = await shop.api.get(`/v1/imports/${sent.body['id']}/report`)
      const errors = getBody<{ errors: Reported[] }>(report).errors
      expect(
        errors.map(({ line, code }) => [line, code]),
        report.text,
      ).to.deep.equal(failed)
      expect(
        errors.every(({ message }) => /^[A-Z].*\.$/.test(message)),
        report.text,
      ).to.equal(true)
      expect(job.initError?.message ?? '').to.match(initError ?? /^$/)
      expect([job.status, job.completed, job.failed]).to.deep.equal([
        initError ? 'failed' : 'completed',
        made.length,
        failed.length,
      ])
      for (const [name, shown] of made) {
        const found = await shop.api.get(`/v1/dpp/passports?filters[reference][eq]=${encodeURIComponent(ref(name))}`)
        const [passport] = getBody<{ data: { source: string; product: { name: string } }[] }>(found).data
        expect([passport?.source, passport?.product.name]).to.deep.equal(['import', shown])
      }
    })
  }

  it('are refused with more columns than anybody has', async () => {
    const header = Array.from({ length: 10_001 }, (_, at) => `c${at}`).join()
    const sent = await sendFile(shop, `${header}\n`, { type: 'text/csv', query: { mapperId: mapper } })
    await waitForJob(shop.api, `/v1/imports/${sent.body['id']}`)
    const { initError } = getBody<ImportJob>(await shop.api.get(`/v1/imports/${sent.body['id']}`))
    expect(initError).to.deep.include({ code: 'IMPORT_TOO_MANY_COLUMNS' })
  })
})
