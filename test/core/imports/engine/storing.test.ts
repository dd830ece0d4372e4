import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { passportSink } from '../../../../core/features/dpp/index.ts'
import {
  RepeatTransactionError,
  type RecordWriter,
  type SinkState,
  type WriterOptions,
} from '../../../../core/kernel/ports/record-sink.ts'
import { ProblemError } from '../../../../core/kernel/problem.ts'
import { getOperator } from '../../identity/people.ts'
import { createSerial } from '../../dpp/passports/fixtures.ts'
import { buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { findByReference, createItemRow } from './job.maker.ts'

type PassportRow = Awaited<ReturnType<typeof passportSink.validate>>[number]

/** What only happens between the validation of a row and its storing, and cannot be timed from outside. */
describe('Import job: storing validated rows', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  const options = (): WriterOptions => ({
    organization: shop.organization,
    application: shop.application,
    network: null,
    onDuplicate: 'skip',
    dryRun: false,
    job: randomUUID(),
    seenKeys: { find: async () => new Set(), add: async () => undefined },
    repeatableCalls: 8,
  })
  const createWriter = async (more: Partial<WriterOptions> = {}) =>
    passportSink.createWriter(await getOperator(), { ...options(), ...more })
  const prepared = async (bodies: readonly unknown[]) =>
    passportSink.validate(
      await getOperator(),
      options(),
      bodies.map((body, line) => ({ line, body, errors: [] })),
    )
  const storeWith = async (writer: RecordWriter<PassportRow>, rows: readonly PassportRow[], before: SinkState = {}) => {
    const { db } = await getOperator()
    return db.transaction(async (trx) => {
      const { result, state } = await writer.store(trx, rows, before)
      await writer.flush(trx)
      return { ...result, state }
    })
  }
  const stored = async (rows: readonly PassportRow[], more: Partial<WriterOptions> = {}) =>
    storeWith(await createWriter(more), rows)
  /** Creates a writer that expects only new rows, because the first ones were new. */
  const createExpectingWriter = async () => {
    const writer = await createWriter()
    const first = await prepared([createItemRow(createSerial())])
    expect(await storeWith(writer, first)).to.deep.include({ created: 1 })
    return writer
  }

  it('validates rows again whose sheet has changed meanwhile', async () => {
    const sheet = await buildSheet(shop)
    const references = [createSerial(), createSerial()]
    const rows = await prepared([
      { product: sheet, reference: references[0], fields: { serialNumber: 'short' } },
      { product: sheet, reference: references[1], fields: { serialNumber: 'far too long' } },
    ])
    const passportsFields = [
      { name: 'serialNumber', type: 'string', required: true, maxLength: 5 },
      { name: 'more', type: 'string', default: 'x' },
    ]
    expect((await shop.api.patch(`/v1/dpp/products/${sheet}`, { passportsFields })).status).to.equal(200)
    const { created, failed, errors } = await stored(rows)
    expect({ created, failed }).to.deep.equal({ created: 1, failed: 1 })
    expect(errors.map(({ line, path, code }) => ({ line, path, code }))).to.deep.equal([
      { line: 1, path: 'fields.serialNumber', code: 'max_length' },
    ])
    expect((await findByReference(shop, String(references[0]))).fields).to.deep.equal({
      serialNumber: 'short',
      more: 'x',
    })
  })

  it('fails a row alone that the database refuses, and none beside it', async () => {
    const rows = await prepared(Array.from({ length: 40 }, () => createItemRow(createSerial())))
    const broken = rows.map((row): PassportRow =>
      row.line % 20 === 7 && row.content?.flow === 'product'
        ? { ...row, content: { ...row.content, data: '{"broken":' } }
        : row,
    )
    const { created, failed, errors } = await stored(broken)
    expect({ created, failed }).to.deep.equal({ created: 38, failed: 2 })
    expect(errors.map(({ line, code }) => [line, code])).to.deep.equal([
      [7, 'not_storable'],
      [27, 'not_storable'],
    ])
    expect((await stored(rows)).skipped).to.equal(38)
  })

  it('says so where what was hoped to be new is there, and leaves the transaction to be undone', async () => {
    const rows = await prepared(Array.from({ length: 5 }, () => createItemRow(createSerial())))
    await stored(rows.slice(1, 3))
    const writer = await createExpectingWriter()
    const lost = await storeWith(writer, rows).catch((cause: unknown) => cause)
    expect(lost).to.be.instanceOf(RepeatTransactionError)
    expect(await storeWith(writer, rows)).to.deep.include({ created: 3, skipped: 2, failed: 0 })
  })

  it('says so too where that shows when all has been sent, with the last row of many', async () => {
    const rows = await prepared(Array.from({ length: 800 }, () => createItemRow(createSerial())))
    await stored(rows.slice(-1))
    const writer = await createExpectingWriter()
    const lost = await storeWith(writer, rows).catch((cause: unknown) => cause)
    expect(lost).to.be.instanceOf(RepeatTransactionError)
    expect(await storeWith(writer, rows)).to.deep.include({ created: 799, skipped: 1, failed: 0 })
  })

  it('hangs items onto models as they are now, however often it has seen them before', async () => {
    const [modelNumber, writer] = [createSerial(), await createWriter()]
    const model = (
      await shop.api.post('/v1/dpp/passports', {
        application: shop.application,
        product: { name: 'Before', idGranularity: 'model', modelNumber },
      })
    ).body
    const item = async () => {
      const reference = createSerial()
      const product = { name: 'Item', idGranularity: 'item', modelNumber, itemNumber: createSerial() }
      const { created, state } = await storeWith(writer, await prepared([{ reference, product }]))
      expect([created, state['hung']]).to.deep.equal([1, { linked: 1, alone: 0, waiting: 0 }])
      return (await findByReference(shop, reference)).model
    }
    expect(await item()).to.deep.nested.include({ 'product.name': 'Before' })
    expect(await item()).to.deep.nested.include({ 'product.name': 'Before' })
    const changed = await shop.api.patch(`/v1/dpp/passports/${String(model.id)}`, {
      product: { name: 'After', idGranularity: 'model', modelNumber },
    })
    expect(changed.status).to.equal(200)
    expect(await item()).to.deep.nested.include({ 'product.name': 'After' })
  })

  it('waits for whoever is storing the same, and then finds it', async () => {
    const context = await getOperator()
    const rows = await prepared([createItemRow(createSerial())])
    const [first, writer] = [await context.db.transaction(), await createWriter()]
    expect((await writer.store(first, rows, {})).result).to.deep.include({ created: 1 })
    const second = stored(rows)
    await first.commit()
    expect(await second).to.deep.include({ created: 0, skipped: 1, failed: 0 })
  })

  it('is refused for an application that is gone', async () => {
    const rows = await prepared([createItemRow(createSerial())])
    const refusal = await stored(rows, { application: randomUUID() }).catch((cause: unknown) => cause)
    expect(refusal).to.be.instanceOf(ProblemError).and.to.include({ code: 'NOT_FOUND' })
  })
})
