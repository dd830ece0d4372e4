import { randomUUID } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { findFreePort } from '../../../../core/start/ports.ts'
import { readAllPages, waitForJobEnd } from '../../../proof/stage/retried-requests.ts'
import { signIn } from '../../../proof/stage/buyers.ts'
import { checkMintedTokens, type AcceptedPassport } from '../../../proof/stage/minted-tokens.ts'
import { expectWhole } from '../../../proof/kills/kills.ts'
import { Shop } from '../../../proof/stage/shop.ts'
import { runAdmin, runAdminWithSettings, type CommandResult } from '../../../support/admin-command.ts'
import { createApiClient, type Json } from '../../../support/client.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { countRecordedPassports } from '../../../support/rows/dpp/recorded-passports.ts'
import { countUsers } from '../../../support/rows/identity/users.ts'
import { buildCertifiedPassport } from '../../../support/world.ts'
import { verifyByApi } from '../../certification/verify/verify.ts'

const gone = `gone-${randomUUID()}@people.example`

describe('admin backup and admin restore', function () {
  let ports: { PORT: string; BRIDGE_PORT: string }
  this.timeout(240_000)
  const [from, to, fresh, archives] = [
    createTemporaryFolder(),
    createTemporaryFolder(),
    createTemporaryFolder(),
    createTemporaryFolder(),
  ]
  const file = join(archives, 'tessera.backup')
  let platform: OwnPlatform | undefined
  let report: Json
  let accepted: AcceptedPassport[]
  let known: string[]
  const credentials = new Map<string, { text: string; anchor: Json }>()

  after(async () => {
    await platform?.stop()
    for (const folder of [from, to, fresh, archives]) await removeFolder(folder)
  })

  const readCertified = async ({ api, apiKey }: OwnPlatform, id: string) => {
    const client = createApiClient(apiKey, api)
    const credential = await client.get(`/v1/dpp/passports/${id}/vc.jsonld`)
    return { text: credential.text, anchor: (await client.get(`/v1/dpp/passports/${id}/anchor`)).body }
  }
  const formatOutcome = ({ code, out, err }: CommandResult) => `${code} ${out}${err}`

  it('writes one file while passports are created and minted, without any key', async () => {
    // Both have the same addresses, as an instance and the one that takes its place have: credentials name them.
    ports = { PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
    const first = (platform = await startPlatform({ dataDir: from, ports }))
    const api = createApiClient(first.apiKey, first.api)
    const shop = new Shop(first, await signIn(first, `buyer-${randomUUID()}@people.example`))
    await signIn(first, gone)
    const order = await shop.batch(30)
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    await order.check(job)
    for (const claim of await shop.claims(2)) {
      const { job: claimed } = await claim.send()
      await waitForJobEnd(() => claim.status(claimed))
      await claim.check(claimed)
    }
    for (let made = 0; made < 2; made++) {
      const id = await buildCertifiedPassport({ api, application: first.application } as Parameters<
        typeof buildCertifiedPassport
      >[0])
      credentials.set(id, await readCertified(first, id))
    }
    accepted = [...shop.accepted.values()]
    const stopLoad = new AbortController()
    const load = Promise.all([makePassports(first, stopLoad.signal), mintBatches(shop, stopLoad.signal)])
    const ran = await runAdmin(from, 'backup', file, '--json')
    stopLoad.abort()
    await load
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    report = ran.json
    known = [...shop.known(), ...accepted.map(({ passport }) => passport)]
    expect(report).to.include({ file, bytes: statSync(file).size })
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    const content = zstdDecompressSync(readFileSync(file))
    for (const name of ['secrets.json', 'signer.json', 'postgres.json']) {
      const secrets = Object.values(JSON.parse(readFileSync(join(from, name), 'utf8')) as Record<string, string>)
      for (const secret of secrets) {
        expect(content.includes(secret), name).to.equal(false)
        expect(content.includes(Buffer.from(secret, 'base64').toString('hex')), name).to.equal(false)
      }
    }
  })

  it('overwrites no file, and restores into no instance that runs or has data', async () => {
    const before = statSync(file).mtimeMs
    const again = await runAdmin(from, 'backup', file)
    expect(formatOutcome(again)).to.equal(`1 ${file} is there already; name another file\n`)
    expect(statSync(file).mtimeMs).to.equal(before)
    const running = await runAdmin(from, 'restore', file)
    expect(formatOutcome(running)).to.match(/^1 DATA_DIR \S+ is in use by process \d+/)
    // Where the database is somebody else's there is no folder that is in use.
    const given = { DATA_DIR: from, DATABASE_URL: platform?.database, SIGNER_DATABASE_URL: platform?.signerDatabase }
    expect(formatOutcome(await runAdminWithSettings(given, 'restore', file))).to.match(
      /^1 Processes work on the database \(tessera.*tessera-server.*\): stop them, then restore\n$/,
    )
    const blind = await runAdminWithSettings(
      { ...given, SIGNER_DATABASE_URL: undefined },
      'backup',
      join(archives, 'blind.backup'),
    )
    expect(formatOutcome(blind)).to.match(
      /^1 The tables of the signer are not here, or its role alone may read them: set SIGNER_DATABASE_URL/,
    )
    expect(readdirSync(archives)).to.deep.equal(['tessera.backup'])
    // Erased after the backup: the list is kept outside of it.
    expect((await runAdmin(from, 'person', 'erase', gone)).code).to.equal(0)
    await platform?.stop()
    platform = undefined
    const full = await runAdmin(from, 'restore', file)
    expect(formatOutcome(full)).to.match(/^1 DATA_DIR \S+ is not empty \(\S+.* have rows\)/)
    const stopped = await runAdmin(from, 'backup', join(archives, 'stopped.backup'), '--json')
    expect(stopped.code, formatOutcome(stopped)).to.equal(0)
    expect(Number(stopped.json['rows'])).to.be.above(0)
  })

  it('names missing keys on restore, and refuses a damaged archive', async () => {
    const without = await runAdmin(to, 'restore', file)
    const [key = ''] = (report['keys'] as unknown as { platform: string[] }).platform
    expect(formatOutcome(without)).to.contain('1 The backup is sealed with keys that are not here').and.to.contain(key)
    for (const name of ['secrets.json', 'signer.json', 'erased-persons.ndjson'])
      copyFileSync(join(from, name), join(fresh, name))
    const cut = join(archives, 'cut.backup')
    copyFileSync(file, cut)
    truncateSync(cut, statSync(file).size - 1000)
    const changed = join(archives, 'changed.backup')
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(changed, bytes)
    for (const bad of [cut, changed]) {
      const refused = await runAdmin(fresh, 'restore', bad)
      expect(refused.code).to.equal(1)
      expect(refused.err).to.contain(`${bad} is damaged or cut short`)
      expect(readdirSync(fresh), 'what was made').to.have.length(3)
    }
    const ran = await runAdmin(fresh, 'restore', file, '--json')
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    expect(ran.json).to.deep.include({
      rows: report['rows'],
      files: report['files'],
      listed: 1,
      erased: 1,
      signerKeysNeeded: [],
    })
    platform = await startPlatform({ dataDir: fresh, ports })
  })

  it('restores everything accepted, of one moment, and it verifies', async () => {
    const restored = platform
    if (!restored) throw new Error('Nothing was restored')
    for (const [id, kept] of credentials) {
      expect(await readCertified(restored, id)).to.deep.equal(kept)
      const found = await verifyByApi(JSON.parse(kept.text), createApiClient({}, restored.api))
      expect(found.verdict, JSON.stringify(found.checks)).to.equal('verified')
    }
    const db = connectDatabase({ url: restored.database, name: 'tests', maxConnections: 1 })
    try {
      const { passports, events, counted } = await countRecordedPassports(db)
      expect(passports).to.be.above(accepted.length)
      expect({ events, counted }).to.deep.equal({ events: passports, counted: passports })
      expect(await countUsers(db, gone)).to.equal(0)
      const there = new Set(await listPassportIds(restored))
      expect(there.size).to.equal(passports)
      expect(accepted.filter(({ passport }) => !there.has(passport))).to.deep.equal([])
    } finally {
      await db.destroy()
    }
  })

  it('mints and claims go on, and each token exists once', async () => {
    const restored = platform
    if (!restored) throw new Error('Nothing was restored')
    const shop = new Shop(restored, await signIn(restored, `later-${randomUUID()}@people.example`))
    const order = await shop.batch(10)
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    const made = await order.check(job)
    for (const claim of await shop.claims(2)) {
      const { job: claimed } = await claim.send()
      await waitForJobEnd(() => claim.status(claimed))
      await claim.check(claimed)
    }
    const all = [...accepted, ...made]
    const ids = await listPassportIds(restored)
    expectWhole(await checkMintedTokens(restored.rpc, all, [...known, ...ids]), 'the restored chain')
  })
})

async function listPassportIds({ api, apiKey }: OwnPlatform): Promise<string[]> {
  const passports = await readAllPages(createApiClient(apiKey, api), '/v1/dpp/passports?pageSize=100')
  return passports.map(({ id }) => String(id))
}

async function makePassports({ api, apiKey, application }: OwnPlatform, signal: AbortSignal): Promise<void> {
  const client = createApiClient(apiKey, api)
  for (let at = 0; !signal.aborted; at++) {
    const product = { name: 'Bag', idGranularity: 'item', modelNumber: 'LOAD', itemNumber: `L-${at}` }
    const made = await client.post('/v1/dpp/passports', { application, product })
    expect(made.status, made.text).to.equal(201)
  }
}

async function mintBatches(shop: Shop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const order = await shop.batch(10)
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    await order.check(job)
  }
}
