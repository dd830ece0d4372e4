import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectDatabase } from '../../../core/database/connection.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { verifyByApi } from '../../core/certification/verify/verify.ts'
import { runAdmin } from '../../support/admin-command.ts'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { measureDatabase } from '../../support/database/server-activity.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { countPassports, readPassportTotals } from '../../support/rows/dpp/counted-passports.ts'
import { drawCertifiedPassports } from '../../support/rows/dpp/certified-passports.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import { signIn } from '../stage/buyers.ts'
import { createDrafts, expectDone, startPublishing } from '../stage/certificates.ts'
import { keepFigures } from '../../figures/keep-figures.ts'
import { followImport, openImporter, sendCatalogue, type Importer } from '../stage/imports.ts'
import { Shop } from '../stage/shop.ts'

/** Rows of a catalogue, of which one in a hundred is bad, and passports that are certified besides. */
const rows = Number(process.env['TEST_ROWS'] ?? 101_100)
const certified = Math.min(2_000, rows)
const passports = Math.floor(rows * 0.99) + certified
const whole = passports >= 100_000
/** Credentials that are compared and verified. */
const sampled = certified / 2

/** What is known of a certificate before the backup and has to be the same after it was restored. */
interface Certificate {
  text: string
  anchor: Json
}

describe(`admin backup of a busy instance with ${rows.toLocaleString('en')} imported rows`, function () {
  this.timeout(1_800_000)
  const [from, to, archives] = [createTemporaryFolder(), createTemporaryFolder(), createTemporaryFolder()]
  const file = join(archives, 'tessera.backup')
  const certificates = new Map<string, Certificate>()
  const figures: Record<string, unknown> = {}
  let ports: { PORT: string; BRIDGE_PORT: string }
  let importer: Importer | undefined
  let restored: OwnPlatform | undefined

  after(async () => {
    await importer?.stop()
    await restored?.stop()
    for (const folder of [from, to, archives]) await removeFolder(folder)
  })

  const certificateOf = async (api: Client, id: string): Promise<Certificate> => ({
    text: (await api.get(`/v1/dpp/passports/${id}/vc.jsonld`, { skipsDocumentCheck: true })).text,
    anchor: (await api.get(`/v1/dpp/passports/${id}/anchor`, { skipsDocumentCheck: true })).body,
  })

  it('is written while passports are made, minted and claimed', async () => {
    ports = { PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
    importer = await openImporter({ dataDir: from, ports, durable: true, env: { LOG_LEVEL: 'warn' } })
    const { platform, api, db } = importer
    const { job } = await sendCatalogue(importer, rows)
    await followImport(importer, job)
    const { job: certifying } = await startPublishing(api, await createDrafts(importer, certified))
    expectDone(await waitForJobEnd(() => api.get(`/v1/jobs/${certifying}`)), certified)
    const found = await drawCertifiedPassports(db, sampled)
    expect(found.length).to.equal(sampled)
    await inTurns(found, async (id) => {
      certificates.set(id, await certificateOf(api, id))
    })

    const shop = new Shop(platform, await signIn(platform, `buyer-${randomUUID()}@people.example`))
    await workOnce(shop)
    const ending = new AbortController()
    const working = work(shop, ending.signal)
    const making = makePassports(platform, ending.signal)
    const ran = await runAdmin(from, 'backup', file, '--json')
    ending.abort()
    figures['passportsMadeMeanwhile'] = await making
    await working
    expect(ran.code, ran.err).to.equal(0)
    const stored = await countPassports(db)
    expect(stored).to.be.at.least(passports)
    Object.assign(figures, {
      passports: stored,
      databaseBytes: await measureDatabase(db),
      archiveBytes: ran.json['bytes'],
      rows: ran.json['rows'],
      files: ran.json['files'],
      backupSeconds: ran.json['seconds'],
    })
    await importer.stop()
    importer = undefined
  })

  it('is restored elsewhere, where every sampled credential verifies with the receipt that it had', async () => {
    for (const name of ['secrets.json', 'signer.json', 'erased-persons.ndjson']) {
      if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
    }
    const ran = await runAdmin(to, 'restore', file, '--json')
    expect(ran.code, ran.err).to.equal(0)
    figures['restoreSeconds'] = ran.json['seconds']
    const platform = (restored = await startPlatform({ dataDir: to, ports, durable: true, env: { LOG_LEVEL: 'warn' } }))
    const api = createApiClient(platform.apiKey, platform.api)
    const open = createApiClient({}, platform.api)
    const wrong: string[] = []
    await inTurns([...certificates], async ([id, kept]) => {
      expect(await certificateOf(api, id)).to.deep.equal(kept)
      const { verdict } = await verifyByApi(JSON.parse(kept.text), open)
      if (verdict !== 'verified') wrong.push(id)
    })
    expect(wrong).to.deep.equal([])
    figures['credentialsVerified'] = certificates.size
  })

  it('is of one moment, and mints and claims go on', async () => {
    if (!restored) throw new Error('Nothing was restored')
    const db = connectDatabase({ url: restored.database, name: 'test', withoutTimeouts: true })
    const totals = await readPassportTotals(db).finally(() => db.destroy())
    expect(totals.passports).to.be.at.least(passports)
    expect(totals).to.include({ events: totals.passports, counted: totals.passports })
    await workOnce(new Shop(restored, await signIn(restored, `later-${randomUUID()}@people.example`)))
    if (whole)
      keepFigures('proof/backup', {
        command: 'npm run test:long -- test/proof/large/backup.long.ts',
        processors: cpus().length,
        ...figures,
      })
    process.stdout.write(`      ${JSON.stringify(figures)}\n`)
  })
})

/** A batch and two claims, each to its end. */
async function workOnce(shop: Shop): Promise<void> {
  for (const order of [await shop.batch(20), ...(await shop.claims(2))]) {
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    await order.check(job)
  }
}

async function work(shop: Shop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await workOnce(shop)
}

/** @returns how many were made */
async function makePassports({ api, apiKey, application }: OwnPlatform, signal: AbortSignal): Promise<number> {
  const restoredClient = createApiClient(apiKey, api)
  for (let at = 0; ; at++) {
    if (signal.aborted) return at
    const product = { name: 'Bag', idGranularity: 'item', modelNumber: 'LOAD', itemNumber: `L-${at}` }
    const made = await restoredClient.post('/v1/dpp/passports', { application, product }, { skipsDocumentCheck: true })
    expect(made.status, made.text).to.equal(201)
  }
}

/** Four at a time. */
async function inTurns<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...list]
  const turn = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await act(one)
  }
  await Promise.all(Array.from({ length: 4 }, turn))
}
