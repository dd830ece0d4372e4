import { expect } from 'chai'
import { createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { createForm, createMapper, sendFile } from '../intake/intake.maker.ts'
import { findByReference, waitForImport } from '../engine/job.maker.ts'

/** What a file holds: text, or bytes that stand for themselves. */
const bytesOf = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))

describe('POST /v1/imports: character encodings', function () {
  this.timeout(60_000)
  let shop: Shop
  let mapper: string
  before(async () => {
    shop = await buildShop()
    mapper = await createMapper(shop)
  })

  const send = (raw: string | Buffer, query: Record<string, string> = {}, type = 'text/csv') =>
    sendFile(shop, raw, { type, query: { mapperId: mapper, ...query } })
  const imported = async (raw: string | Buffer, query: Record<string, string> = {}, type = 'text/csv') => {
    const sent = await send(raw, query, type)
    expect(sent.status, sent.text).to.equal(202)
    return waitForImport(shop, String(sent.body['id']))
  }
  const nameOf = async (reference: string) => (await findByReference(shop, reference)).product as { name: string }

  it('is UTF-8 where one line of many is not: that line fails with its bytes, the others keep their letters', async () => {
    const ref = createSerial()
    const lines = Array.from({ length: 200 }, (_, at) =>
      at === 99 ? bytesOf(`${ref}/99,caf`, [0xe9], ' x\n') : bytesOf(`${ref}/${at},Café ${at}\n`),
    )
    const { job, counts, errors } = await imported(Buffer.concat([bytesOf('ref,name\n'), ...lines]))
    expect([job.status, counts.created, counts.failed]).to.deep.equal(['completed', 199, 1])
    expect(errors.map(({ line, code, value }) => [line, code, value])).to.deep.equal([[101, 'invalid_encoding', 'e9']])
    expect(await nameOf(`${ref}/98`)).to.include({ name: 'Café 98' })
  })

  it('is UTF-8 also in a small file of which most lines that need it are', async () => {
    const ref = createSerial()
    const { counts, errorLines } = await imported(
      bytesOf(`ref,name\n${ref}/1,Café\n${ref}/2,Été\n${ref}/3,caf`, [0xe9], '\n'),
    )
    expect([counts.created, errorLines]).to.deep.equal([2, ['4 invalid_encoding']])
  })

  it('is Windows-1252 where most such lines are no UTF-8, which is told as a guess', async () => {
    const ref = createSerial()
    const { job, counts } = await imported(Buffer.from(`ref,name\n${ref}/1,caf\xe9\n${ref}/2,\x93x\x94\n`, 'latin1'))
    expect([job.data.dialect?.encoding, counts.created, job.warnings.map(({ code }) => code)]).to.deep.equal([
      'windows-1252',
      2,
      ['encoding_guessed'],
    ])
    expect(await nameOf(`${ref}/2`)).to.include({ name: '“x”' })
  })

  it('fails lines in UTF-8 of a file that is guessed to be Windows-1252', async () => {
    const ref = createSerial()
    const { counts, errorLines } = await imported(
      bytesOf(`ref,name\n${ref}/1,caf`, [0xe9], `\n${ref}/2,ol`, [0xe9], `\n${ref}/3,Été\n`),
    )
    expect([counts.created, errorLines]).to.deep.equal([2, ['4 invalid_encoding']])
  })

  it('is refused where more than one line in a hundred is not what the first MiB was', async () => {
    const bad = Array.from({ length: 300 }, (_, at) => bytesOf(`B-${at},caf`, [0xe9], '\n'))
    const raw = Buffer.concat([
      bytesOf('ref,name\n'),
      Buffer.from('A-1,Bag of some length\n'.repeat(1000)),
      Buffer.alloc(1_100_000, 'x'),
      bytesOf('\n'),
      ...bad,
    ])
    const sent = await send(raw)
    expect(formatVerdict(sent), sent.text).to.equal('400 IMPORT_ENCODING_INVALID')
    expect(sent.text).to.contain('300 of 1302 lines are not UTF-8, the first of them line 1003')
    const { db } = await getOperator()
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
  })

  it('is refused where it is neither UTF-8 nor Windows-1252', async () => {
    expect(
      formatVerdict(await send(bytesOf('ref,name\n1,', [0x83, 0x4a, 0x83, 0x6f, 0x83, 0x93, 0x81, 0x45], '\n'))),
    ).to.equal('400 IMPORT_ENCODING_INVALID')
  })

  for (const [how, query, type] of [
    ['the query', { encoding: 'sjis' }, 'text/csv'],
    ['the content type', {}, 'text/csv; charset="Shift_JIS"'],
  ] as const) {
    it(`is the one that ${how} names`, async () => {
      const ref = createSerial()
      const { job } = await imported(
        bytesOf(`ref,name\n${ref},`, [0x83, 0x4a, 0x83, 0x6f, 0x83, 0x93], '\n'),
        query,
        type,
      )
      expect([job.data.dialect?.encoding, job.warnings]).to.deep.equal(['shift_jis', []])
      expect(await nameOf(ref)).to.include({ name: 'カバン' })
    })
  }

  it('is the one that the part of a form names', async () => {
    const ref = createSerial()
    const form = createForm([
      {
        file: 'a.csv',
        type: 'text/csv; charset=iso-8859-2',
        content: bytesOf(`ref,name\n${ref},`, [0xb1, 0xe6], '\n'),
      },
    ])
    const { job } = await imported(form.raw, {}, form.type)
    expect(job.data.dialect?.encoding).to.equal('iso-8859-2')
    expect(await nameOf(ref)).to.include({ name: 'ąć' })
  })

  it('fails rows with bytes that the named encoding has no character for', async () => {
    const ref = createSerial()
    const { counts, errorLines } = await imported(
      Buffer.from(`\ufeffref,name\n${ref}/1,Bag\n${ref}/2,\ud800x\n`, 'utf16le'),
      { encoding: 'utf-16' },
    )
    expect([counts.created, errorLines]).to.deep.equal([1, ['3 invalid_encoding']])
  })

  for (const [what, raw, query, type] of [
    ['a label that names none', 'ref,name\n1,a\n', { encoding: 'klingon' }, 'text/csv'],
    ['a label of a content type that names none', 'ref,name\n1,a\n', {}, 'text/csv; charset=utf-7'],
    ['the mark of another one', '\ufeffref,name\n1,a\n', { encoding: 'windows-1252' }, 'text/csv'],
    ['a header that is not text in it', bytesOf('ref,n', [0xe9], 'name\n1,Été\n2,É\n'), {}, 'text/csv'],
    [
      'lines that are not in the named one',
      bytesOf('ref,name\n1,', [0xe9], '\n2,', [0xe9], '\n'),
      {},
      'text/csv; charset=utf-8',
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      expect(formatVerdict(await send(Buffer.from(raw as string), query, type))).to.equal('400 IMPORT_ENCODING_INVALID')
    })
  }

  it('refuses JSON in another encoding than UTF-8, and fails an item alone that is not UTF-8', async () => {
    const sent = await sendFile(shop, Buffer.from('\ufeff[{"reference": "1"}]', 'utf16le'), {
      type: 'application/json',
    })
    expect(formatVerdict(sent)).to.equal('400 IMPORT_ENCODING_INVALID')
    const latin = await sendFile(shop, '[]', { type: 'application/json', query: { encoding: 'latin1' } })
    expect(formatVerdict(latin)).to.equal('400 IMPORT_ENCODING_INVALID')
    const ref = createSerial()
    const item = (name: string, text: string) =>
      `{"reference": "${ref}/${name}", "product": {"name": "${text}", "idGranularity": "item", "itemNumber": "${name}"}}`
    for (const [type, open, joint, close] of [
      ['application/json', '[', ',\n', ']'],
      ['application/x-ndjson', '', '\n', ''],
    ] as const) {
      const kind = type.slice(-6)
      const raw = bytesOf(
        `${open}${item(`${kind}1`, 'Été')}${joint}${item(`${kind}2`, 'caf')}`.slice(0, -3),
        [0xe9],
        `"}}${joint}${item(`${kind}3`, 'Café')}${close}`,
      )
      const broken = Buffer.from(raw)
      const sentAgain = await sendFile(shop, broken, { type })
      expect(sentAgain.status, sentAgain.text).to.equal(202)
      const { counts, errors } = await waitForImport(shop, String(sentAgain.body['id']))
      expect([counts.created, errors.map(({ code, value }) => [code, value])], type).to.deep.equal([
        2,
        [['invalid_encoding', 'e9']],
      ])
    }
  })

  it('leaves the delimiter to be found out, or takes the one that is named', async () => {
    const ref = createSerial()
    const { job, counts } = await imported(`ref|name\n${ref}/1|"a|b"\n`, { delimiter: '|' })
    expect([job.data.dialect?.delimiter, counts.created]).to.deep.equal(['|', 1])
    expect(await nameOf(`${ref}/1`)).to.include({ name: 'a|b' })
    expect((await imported(`ref\tname\n${ref}/2\ta,b\n`, { delimiter: 'tab' })).counts.created).to.equal(1)
    expect((await send('a,b\n1,2\n', { delimiter: '"' })).status).to.equal(400)
    expect(formatVerdict(await sendFile(shop, '[]', { type: 'application/json', query: { delimiter: ',' } }))).to.equal(
      '400 INVALID_REQUEST',
    )
  })
})
