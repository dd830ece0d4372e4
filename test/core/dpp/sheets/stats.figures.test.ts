import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { recordScan } from '../../../../core/features/dpp/index.ts'
import { rollUpScanCounts } from '../../../../core/features/events/index.ts'
import { endClaimsOf, insertClaim, removeClaims } from '../../../support/rows/dpp/claims.ts'
import { derivePassportFigures } from '../../../support/rows/dpp/counted-passports.ts'
import { insertSheetDrafts } from '../../../support/rows/dpp/new-passports.ts'
import {
  advancePassports,
  listSheetPassports,
  removePassports,
  rollUpCounts,
} from '../../../support/rows/dpp/passports.ts'
import { insertScanEvent } from '../../../support/rows/events/scan-events.ts'
import {
  buildBuyer,
  buildPassport,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import { runImport } from '../../imports/engine/job.maker.ts'
import { createSerial, waitForJob } from '../passports/fixtures.ts'

const statuses = ['draft', 'published', 'claimed', 'archived'] as const

describe('GET /v1/dpp/products/stats: figures are those of the rows', function () {
  this.timeout(240_000)
  let shop: Shop
  let sheets: string[]
  let db: Knex

  beforeEach(async () => {
    ;({ db } = await getOperator())
    shop = await buildShop()
    sheets = [await buildSheet(shop), await buildSheet(shop)]
  })

  /** Compares what the API answers with what the rows say. @param step what was done before */
  async function compare(step: string): Promise<void> {
    const { products, ...whole } = (await shop.api.get('/v1/dpp/products/stats')).body
    expect(whole, step).to.deep.equal(await derivePassportFigures(db, shop.organization))
    expect(products, step).to.include({ total: sheets.length })
    for (const sheet of sheets) {
      const derived = await derivePassportFigures(db, shop.organization, sheet)
      const { body } = await shop.api.get(`/v1/dpp/products/${sheet}/stats`)
      expect(body, step).to.deep.equal({ product: sheet, ...derived })
      for (const status of statuses) {
        const filters = `filters[product][eq]=${sheet}&filters[status][eq]=${status}`
        const { total } = (await shop.api.get(`/v1/dpp/passports?${filters}&pageSize=1`)).body
        expect(total, `${step}: the list of ${status}`).to.equal(derived.passports[status])
      }
    }
  }

  it('after a create, an import, a mint, a publish, a claim, a scan, an archive and a delete', async () => {
    const [first, second] = sheets as [string, string]
    const email = createEmail('buyer')
    const drafts = [
      await buildPassport(shop, first),
      await buildPassport(shop, first),
      await buildPassport(shop, second),
    ]
    await buildProductPassport(shop)
    await compare('create')

    const rows = [1, 2, 3].map(() => ({ fields: { serialNumber: createSerial() }, product: second }))
    expect((await runImport(shop, rows)).errorLines).to.deep.equal([])
    await compare('import')

    const minted = [1, 2, 3].map(() => ({ serialNumber: createSerial() }))
    const mint = await shop.api.post(`/v1/dpp/products/${first}/mint`, minted)
    await waitForJob(shop.api, `/v1/jobs/${mint.body.jobId}`)
    await compare('mint')

    const published = await buildPublishedPassport(shop, first, { allowedClaimEmail: email })
    await compare('publish')

    const buyer = await buildBuyer(shop, email)
    const claim = await buyer.post('/v1/dpp/claim', { passport: published.id })
    await compare('a claim is accepted')
    await waitForJob(buyer, `/v1/dpp/claim/${claim.body['jobId']}/status`)
    await compare('claim')

    const { settings } = await getOperator()
    await recordScan(
      { db, settings: { ...settings, sessionSecret: 'a secret of this test' } },
      published.id,
      '192.0.2.7',
    )
    await compare('scan')

    await shop.api.patch(`/v1/dpp/passports/${drafts[0]?.id}`, { status: 'archived' })
    await shop.api.patch(`/v1/dpp/products/${first}`, { status: 'ARCHIVED' })
    await compare('archive')

    expect((await shop.api.delete(`/v1/dpp/passports/${drafts[1]?.id}`)).status).to.be.below(300)
    await compare('delete')

    await rollUpCounts(db)
    await rollUpScanCounts(db)
    await compare('roll up')
  })

  it('after any changes of many at once, of which some are rolled back', async () => {
    const { organization, application } = shop
    const random = createRandom(20_26)
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
    const pickSome = async (trx: Knex, sheet: string) =>
      (await listSheetPassports(trx, sheet)).filter(() => random() < 0.3)
    const steps: Record<string, (trx: Knex, sheet: string) => Promise<unknown>> = {
      create: (trx, sheet) =>
        insertSheetDrafts(trx, { organization, application, sheet }, [randomUUID(), randomUUID(), randomUUID()]),
      advance: async (trx, sheet) =>
        advancePassports(trx, await pickSome(trx, sheet), {
          status: pick(['published', 'claimed', 'archived'] as const),
          isMinted: random() < 0.5,
        }),
      delete: async (trx, sheet) => removePassports(trx, await pickSome(trx, sheet)),
      claim: async (trx, sheet) => {
        const passports = await pickSome(trx, sheet)
        await removeClaims(trx, passports)
        for (const passport of passports) {
          await insertClaim(trx, { organization, application, passport, status: 'failed' })
          await insertClaim(trx, { organization, application, passport })
        }
      },
      'end claims': async (trx, sheet) =>
        endClaimsOf(trx, await pickSome(trx, sheet), pick(['completed', 'failed'] as const)),
      scan: (trx, sheet) =>
        insertScanEvent(trx, {
          organization,
          application,
          passport: randomUUID(),
          product: random() < 0.8 ? sheet : { name: 'Bag' },
          at: new Date(Date.now() - Math.floor(random() * 40) * 86_400_000),
        }),
    }
    const names = [...Object.keys(steps), 'create', 'roll up']
    const done: string[] = []
    for (let turn = 0; turn < 60; turn++) {
      const name = pick(names)
      const isKept = random() < 0.7
      done.push(`${name}${isKept ? '' : ', rolled back'}`)
      if (name === 'roll up') {
        await Promise.all([rollUpCounts(db), rollUpScanCounts(db), rollUpCounts(db)])
        continue
      }
      const trx = await db.transaction()
      await steps[name]?.(trx, pick(sheets))
      await (isKept ? trx.commit() : trx.rollback())
      if (turn % 10 === 9) await compare(done.join('; '))
    }
    await compare(done.join('; '))
  })
})

/** Creates a generator of numbers from 0 to below 1, the same for the same seed. Source: Steele and others, SplitMix. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
