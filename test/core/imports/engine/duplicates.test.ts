import { expect } from 'chai'
import { createBody } from '../../certification/credentials/certified.ts'
import {
  buildCertifiedPassport,
  buildDescribedPassport,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { handPassportToShop } from '../../../support/rows/dpp/passports.ts'
import { listEventPassports } from '../../../support/rows/events/stored-passports.ts'
import { getOperator } from '../../identity/people.ts'
import { waitForJob, listEventTypes, createSerial, readPassport } from '../../dpp/passports/fixtures.ts'
import { publishPassports } from '../../dpp/passports/products.ts'
import { findByReference, runImport, createItemRow } from './job.maker.ts'

const counts = (created: number, updated: number, skipped: number, failed: number) => ({
  created,
  updated,
  skipped,
  failed,
})
const code = 'DPP_PASSPORT_DUPLICATE_REFERENCE'

describe('Import job: a row whose passport exists already', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('is skipped when the same file comes again, reported where that was asked for', async () => {
    const rows = Array.from({ length: 1_100 }, () => createItemRow(createSerial()))
    expect((await runImport(shop, rows)).counts).to.deep.equal(counts(1_100, 0, 0, 0))
    const again = await runImport(shop, rows)
    expect(again.counts).to.deep.equal(counts(0, 0, 1_100, 0))
    expect(again.job).to.include({ status: 'completed', total: 1_100, completed: 1_100 })
    const refused = await runImport(shop, rows, { onDuplicate: 'fail' })
    expect(refused.counts).to.deep.equal(counts(0, 0, 0, 1_100))
    expect(refused.job.status).to.equal('failed')
    expect(refused.errorLines).to.deep.equal(rows.map((_, line) => `${line} ${code} reference`))
    expect(refused.errors[3]).to.include({
      message: 'The application already has a passport with this reference.',
      value: rows[3]?.reference,
    })
    expect((await runImport(shop, rows, { onDuplicate: 'update' })).counts).to.deep.equal(counts(0, 0, 1_100, 0))
  })

  it('is found by its numbers as well, and fails where reference and numbers are of two', async () => {
    const [one, two] = [createSerial(), createSerial()]
    await runImport(shop, [createItemRow(one), createItemRow(two)])
    const unnamed = { product: { name: 'Bag', idGranularity: 'item', itemNumber: one } }
    for (const onDuplicate of ['skip', 'fail', 'update']) {
      const { errors, counts: found } = await runImport(shop, [unnamed, createItemRow(one, { itemNumber: two })], {
        onDuplicate,
      })
      expect(found.failed).to.equal(onDuplicate === 'fail' ? 2 : 1)
      expect(errors.at(-1)).to.include({
        line: 1,
        code,
        path: 'reference',
        message: 'has the reference of one passport and the numbers of another',
        value: one,
      })
      if (onDuplicate === 'fail')
        expect(errors[0]).to.include({ line: 0, code, path: 'product', value: `item / ${one}` })
    }
    expect((await findByReference(shop, one)).product).to.include({ itemNumber: one })
  })

  it('may have come in the same slice: the first counts, or the last where rows update', async () => {
    const name = (each: string) => ({ name: each })
    const rows = (ref: string) => [
      createItemRow(ref, name('first')),
      createItemRow(ref, name('second')),
      createItemRow(ref, name('third')),
    ]
    const [skipped, failed, updated] = [createSerial(), createSerial(), createSerial()]
    expect((await runImport(shop, rows(skipped))).counts).to.deep.equal(counts(1, 0, 2, 0))
    expect((await findByReference(shop, skipped)).product).to.include(name('first'))
    const refused = await runImport(shop, rows(failed), { onDuplicate: 'fail' })
    expect(refused.errorLines).to.deep.equal([`1 ${code} reference`, `2 ${code} reference`])
    expect(refused.errors[0]?.message).to.equal('The row at line 0 has this reference already.')
    expect((await runImport(shop, rows(updated), { onDuplicate: 'update' })).counts).to.deep.equal(counts(1, 2, 0, 0))
    const made = await findByReference(shop, updated)
    expect(made.product).to.include(name('third'))
    expect(await listEventTypes(shop, made.id)).to.deep.equal(['create', 'update'])
  })

  it('changes what differs by the rules of a patch: objects merge, null removes, lists are replaced', async () => {
    const reference = createSerial()
    const body = createItemRow(
      reference,
      { description: 'old', countryOfProduction: { countryCode: 'FR', countryName: 'France' } },
      {
        data: { a: 1, list: [1, 2], deep: { x: 1, y: 2 } },
        allowedClaimEmail: 'buyer@example.com',
        certifiedPaths: ['a'],
      },
    )
    await runImport(shop, [body])
    const before = await findByReference(shop, reference)
    const change = createItemRow(
      reference,
      { countryOfProduction: { countryCode: 'DE' } },
      {
        data: { list: [3], deep: { y: null } },
        allowedClaimEmail: null,
        allowedClaimPhoneNumber: '+33612345678',
      },
    )
    expect((await runImport(shop, [change, change], { onDuplicate: 'update' })).counts).to.deep.equal(
      counts(0, 1, 1, 0),
    )
    const after = await findByReference(shop, reference)
    expect(after).to.deep.equal({
      ...before,
      product: { ...body.product, countryOfProduction: { countryCode: 'DE', countryName: 'France' } },
      data: { a: 1, list: [3], deep: { x: 1 } },
      allowedClaimEmail: null,
      allowedClaimPhoneNumber: '+33612345678',
      updatedAt: after.updatedAt,
    })
    const { db } = await getOperator()
    const { application } = shop
    const [event] = await listEventPassports(db, { application, type: 'update', references: [reference] })
    expect(event?.passport).to.deep.equal({ id: after.id })
  })

  it('cannot become another one: flow, sheet, network and numbers of what is published stay, as does what a shop keeps', async () => {
    const [sheet, other] = [await buildSheet(shop), await buildSheet(shop)]
    const refs = Array.from({ length: 6 }, () => createSerial())
    await buildPassport(shop, sheet, { reference: refs[0] })
    await buildPassport(shop, sheet, { reference: refs[1] })
    const published = await buildProductPassport(shop, {}, { reference: refs[2] })
    await publishPassports(shop, published.id)
    const kept = await buildProductPassport(shop, { itemNumber: refs[3] }, { reference: refs[3] })
    const { db } = await getOperator()
    await handPassportToShop(db, kept.id)
    await buildProductPassport(shop, { itemNumber: refs[4] }, { reference: refs[4] })
    const fields = { serialNumber: 'S' }
    const { errorLines, counts: found } = await runImport(
      shop,
      [
        createItemRow(String(refs[0])),
        { product: other, reference: refs[1], fields },
        createItemRow(String(refs[2]), { itemNumber: createSerial() }),
        createItemRow(String(refs[3]), { name: 'Other' }),
        createItemRow(String(refs[4]), {}, { certifiedPaths: ['gone.'] }),
        { product: sheet, reference: refs[4], fields },
        { product: sheet, reference: refs[0], fields },
      ],
      { onDuplicate: 'update' },
    )
    expect(errorLines).to.deep.equal([
      '0 flow product',
      '1 fixed product',
      '2 DPP_PASSPORT_IDENTITY_FIXED product',
      '3 DPP_PASSPORT_SOURCE_READ_ONLY',
      '4 unknown_path certifiedPaths[0]',
      '5 fixed product',
      '5 flow fields',
    ])
    expect(found).to.deep.equal(counts(0, 1, 0, 6))
    expect((await findByReference(shop, String(refs[0]))).fields).to.deep.equal(fields)
  })

  it('gets its new parents when its numbers change', async () => {
    const [ref, model] = [createSerial(), createSerial()]
    await buildDescribedPassport(shop, { idGranularity: 'model', name: 'M', modelNumber: model })
    await runImport(shop, [createItemRow(ref)])
    const { structureJob } = await findByReference(shop, ref)
    expect(
      (await runImport(shop, [createItemRow(ref, { modelNumber: model })], { onDuplicate: 'update' })).counts.updated,
    ).to.equal(1)
    const moved = await findByReference(shop, ref)
    expect(moved.structureJob?.id).to.not.equal(structureJob?.id)
    expect((await waitForJob(shop.api, `/v1/jobs/${moved.structureJob?.id}`)).result).to.deep.equal({
      linked: 1,
      unlinked: 0,
    })
    expect(moved.model?.product).to.include({ modelNumber: model })
  })

  it('is certified again where what is certified has changed, by one job', async () => {
    const references = [createSerial(), createSerial(), createSerial()]
    const ids: string[] = []
    for (const reference of references) ids.push(await buildCertifiedPassport(shop, { reference }))
    const shown = await Promise.all(ids.map((id) => readPassport(shop.api, id)))
    const rows = (data: (at: number) => object) =>
      shown.map(({ reference, product }, at) => ({ reference, product, data: data(at) }))
    const { counts: found } = await runImport(
      shop,
      rows((at) => (at === 2 ? { notes: 'new' } : { color: 'blue' })),
      { onDuplicate: 'update' },
    )
    expect(found).to.deep.equal(counts(0, 3, 0, 0))
    const [one, two, three] = await Promise.all(ids.map((id) => readPassport(shop.api, id)))
    expect(one?.certifyJob?.id).to.equal(two?.certifyJob?.id).and.to.not.equal(shown[0]?.certifyJob?.id)
    expect(three?.certifyJob?.id).to.equal(shown[2]?.certifyJob?.id)
    expect(await waitForJob(shop.api, `/v1/jobs/${one?.certifyJob?.id}`)).to.deep.include({
      type: 'certify',
      total: 2,
      completed: 2,
    })
    const again = await Promise.all(ids.map((id) => readPassport(shop.api, id)))
    expect(again.map(({ certificationStatus }) => certificationStatus)).to.deep.equal([
      'certified',
      'certified',
      'certified',
    ])
    expect(again.map(({ contentHash }, at) => contentHash === shown[at]?.contentHash)).to.deep.equal([
      false,
      false,
      true,
    ])
  })

  it('is not certified any more where nothing is left to certify', async () => {
    const reference = createSerial()
    const id = await buildCertifiedPassport(shop, { reference })
    const { product } = await readPassport(shop.api, id)
    const data = { color: null, origin: null }
    expect((await runImport(shop, [{ reference, product, data }], { onDuplicate: 'update' })).errorLines).to.deep.equal(
      [],
    )
    expect(await readPassport(shop.api, id)).to.include({ certificationStatus: 'none', contentHash: null })
  })

  it('ignores passports of another application', async () => {
    const other = await buildShop()
    const reference = createSerial()
    await buildPublishedPassport(other, await buildSheet(other), { reference })
    expect((await runImport(shop, [createItemRow(reference)], { onDuplicate: 'fail' })).counts).to.deep.equal(
      counts(1, 0, 0, 0),
    )
  })

  it('is dry-run as it would be updated, and stays as it is', async () => {
    const body = { ...createBody(shop), reference: createSerial() }
    await runImport(shop, [body])
    const rows = [
      { ...body, data: { ...body.data, notes: 'new' } },
      { ...body, certifiedPaths: ['gone.'] },
    ]
    const { counts: found, errorLines } = await runImport(shop, rows, { onDuplicate: 'update', dryRun: 'true' })
    expect(found).to.deep.equal(counts(0, 1, 0, 1))
    expect(errorLines).to.deep.equal(['1 unknown_path certifiedPaths[0]'])
    expect((await findByReference(shop, body.reference)).data).to.deep.equal(body.data)
  })
})
