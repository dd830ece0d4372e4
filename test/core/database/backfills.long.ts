import { expect } from 'chai'
import type { Knex } from 'knex'
import type { ContextHandle } from '../../../core/app/context.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import type { Readiness } from '../../../core/features/dpp/readiness/answers.types.ts'
import { createApiKey } from '../../../core/features/identity/index.ts'
import { toMultikey } from '../../../core/features/certification/formats/multikey.ts'
import { allPermissions } from '../../../core/kernel/permission.ts'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { checkDomain, listDomains, publishDomainRecord } from '../../support/network/domains.ts'
import { createSourceBefore } from '../../support/database/migrations.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { buildOperator } from '../identity/people.ts'
import { getBody } from '../dpp/passports/fixtures.ts'
import {
  insertOldGtins,
  insertOldKey,
  insertOldRecord,
  insertOldShop,
  type OldKey,
  type OldShop,
} from './backfills.rows.ts'

const hash = (digit: number) => `0x${String(digit).repeat(64)}`
const look = (status: string) => ({
  status,
  checkedAt: '2026-01-05T00:00:00.000Z',
  ...(status === 'failed' && { reason: 'key_missing' }),
})

describe('Migrations 019 and later: backfills of old rows', function () {
  this.timeout(180_000)
  let dataDir: string
  let platform: OwnPlatform
  let operator: ContextHandle
  let maker: OldShop & { api: Client }
  let seller: OldShop & { api: Client }
  let other: OldShop & { api: Client }
  let old: Awaited<ReturnType<typeof oldRows>>

  before(async () => {
    dataDir = createTemporaryFolder()
    const database = await startPostgres({
      dataDir,
      durable: false,
      giveUp: (cause) => {
        throw cause
      },
    })
    const db = connectDatabase({ url: database.url, name: 'tests', maxConnections: 2 })
    await db.migrate.latest({ migrationSource: createSourceBefore('019') })
    old = await oldRows(db)
    await db.destroy()
    await database.stop()
    platform = await startPlatform({ dataDir })
    operator = await buildOperator(platform.database)
    const signedIn = async (shop: OldShop) => {
      const { key } = await createApiKey(operator.context, {
        organization: shop.organization,
        name: 'Test',
        permissions: allPermissions,
      })
      return { ...shop, api: createApiClient(key, platform.api) }
    }
    ;[maker, seller, other] = [await signedIn(old.maker), await signedIn(old.seller), await signedIn(old.other)]
  })
  after(async () => {
    await operator?.close()
    await platform?.stop()
    await removeFolder(dataDir)
  })

  /** What three organizations had made, published and signed by then. */
  async function oldRows(db: Knex) {
    const makers = await insertOldShop(db, 'Maker', ['Shop.Old.Example', 'shop.old.example', '*.wild.example'])
    const sellers = await insertOldShop(db, 'Seller', ['shop.old.example'])
    const others = await insertOldShop(db, 'Other')
    const gtins = await insertOldGtins(db, makers, sellers)
    const keys = {
      revoked: await insertOldKey(db, makers.organization, {
        status: 'revoked',
        created_at: '2025-01-01',
        revoked_at: '2025-06-01',
        revoked_reason: 'lost',
        compromised_at: '2025-05-01',
      }),
      rotated: await insertOldKey(db, makers.organization, {
        status: 'rotated',
        created_at: '2025-06-01',
        rotated_at: '2025-09-01',
      }),
      active: await insertOldKey(db, makers.organization, { status: 'active', created_at: '2025-09-01' }),
      sellers: await insertOldKey(db, sellers.organization, { status: 'active', created_at: '2025-01-01' }),
      others: await insertOldKey(db, others.organization, { status: 'active', created_at: '2025-01-01' }),
    }
    const [network, elsewhere] = ['EthereumAnvil', 'BaseSepolia']
    await db('certification_key_registrations').insert([
      {
        key: keys.revoked.id,
        network,
        status: 'registered',
        transaction_hash: hash(1),
        revocation: 'final',
        revocation_hash: hash(2),
      },
      { key: keys.rotated.id, network, status: 'registered', transaction_hash: hash(3) },
      { key: keys.rotated.id, network: elsewhere, status: 'failed' },
      { key: keys.active.id, network, status: 'registered', transaction_hash: hash(4) },
      { key: keys.active.id, network: elsewhere, status: 'pending' },
    ])
    for (const [key, kind, at, status] of [
      [keys.revoked, 'registerKey', network, 'final'],
      [keys.rotated, 'registerKey', network, 'final'],
      [keys.rotated, 'registerKey', elsewhere, 'failed'],
      [keys.active, 'registerKey', network, 'final'],
      [keys.active, 'registerKey', elsewhere, 'queued'],
    ] as const)
      await insertOldRecord(db, makers.organization, key, { kind, network: at, status })
    await insertOldRecord(db, makers.organization, keys.revoked, {
      kind: 'revokeKey',
      network,
      status: 'final',
      compromisedAt: '2025-05-01T00:00:00.000Z',
    })
    await db('did_web_domains').insert([
      {
        organization: makers.organization,
        domain: 'brand.old.example',
        last_check: look('ok'),
        updated_at: '2026-01-05',
      },
      { organization: sellers.organization, domain: 'seller.old.example', last_check: look('failed') },
      { organization: others.organization, domain: 'never.old.example' },
    ])
    return { maker: makers, seller: sellers, other: others, gtins, keys }
  }

  /** Whether pages of an origin may read answers. */
  const believed = async (origin: string) =>
    (await createApiClient({}, platform.api).get('/v1/applications', { headers: { origin } })).headers[
      'access-control-allow-origin'
    ]

  it('keeps the domains that applications named, proven by nobody, and believes none of them', async () => {
    const [ofMaker, ofSeller] = [
      await listDomains(maker.api, maker.application),
      await listDomains(seller.api, seller.application),
    ]
    expect(ofMaker.map(({ domain }) => domain)).to.have.members(['shop.old.example', '*.wild.example'])
    expect(ofSeller.map(({ domain }) => domain)).to.deep.equal(['shop.old.example'])
    // They are looked at as soon as the worker runs.
    for (const { status, provenAt } of [...ofMaker, ...ofSeller]) {
      expect(status).to.be.oneOf(['pending', 'failed'])
      expect(provenAt).to.equal(null)
    }
    expect(await listDomains(other.api, other.application)).to.deep.equal([])
    expect(await believed('https://a.wild.example')).to.equal(undefined)
  })

  it('gives each application a proof of its own to publish, which then counts', async () => {
    const valueOf = async ({ api, application }: typeof maker) => {
      const values = (await listDomains(api, application)).map(({ record }) => String(record?.['value']))
      expect(new Set(values).size).to.equal(1)
      expect(values[0]).to.have.length.above(40)
      return values[0]
    }
    expect(await valueOf(maker)).to.not.equal(await valueOf(seller))
    await publishDomainRecord(seller.api, seller.application, 'shop.old.example')
    expect(await checkDomain(seller.api, seller.application, 'shop.old.example')).to.include({ status: 'proven' })
    expect((await listDomains(maker.api, maker.application)).map(({ status }) => status)).to.not.include('proven')
    expect(await believed('https://shop.old.example')).to.equal('https://shop.old.example')
  })

  it('knows for each GTIN who published it first, and nobody for one that was never published', async () => {
    const { gtin } = old.gtins
    /** Whether readiness says that the GTIN is somebody else's. */
    const isOfAnother = async ({ api, application }: typeof maker, digits: string) => {
      const product = { idGranularity: 'model', name: 'Bag', modelNumber: 'M', gtin: digits }
      const answer = await api.post('/v1/dpp/passports/validate', { application, product })
      return getBody<Readiness>(answer).findings.some(({ code }) => code === 'gtin_of_another')
    }
    const owners: Record<string, string> = {}
    for (const [name, digits] of Object.entries(gtin)) {
      const [ofMaker, ofSeller, ofOther] = [
        await isOfAnother(seller, digits),
        await isOfAnother(maker, digits),
        await isOfAnother(other, digits),
      ]
      expect(ofOther, name).to.equal(ofMaker || ofSeller)
      owners[name] = ofMaker ? 'maker' : ofSeller ? 'seller' : 'nobody'
    }
    expect(owners).to.deep.equal({
      publishedFirst: 'maker',
      drafted: 'nobody',
      archived: 'maker',
      neverOpen: 'maker',
      beforeEvents: 'maker',
      inAddress: 'maker',
      claimed: 'maker',
      wrong: 'nobody',
    })
    for (const [name, { api }] of [
      ['maker', maker],
      ['seller', seller],
    ] as const) {
      expect((await api.get('/v1/dpp/passports')).body['total']).to.equal(old.gtins.passports[name])
    }
  })

  it('signs under the domain whose document was found, and under no other that was named', async () => {
    const read = async ({ api }: typeof maker) => (await api.get('/v1/dpp/certification-key/did-web-config')).body
    expect(await read(maker)).to.include({
      domain: 'brand.old.example',
      status: 'active',
      did: 'did:web:brand.old.example',
    })
    for (const [shop, key, domain] of [
      [seller, old.keys.sellers, 'seller.old.example'],
      [other, old.keys.others, 'never.old.example'],
    ] as const) {
      const found = await read(shop)
      expect(found).to.include({ domain, status: 'pending', active: null, did: `did:key:${toMultikey(key.publicKey)}` })
      expect((await createApiClient({}, platform.api).get(`/v1/dpp/issuers/did:web:${domain}/keys`)).status).to.equal(
        404,
      )
    }
    expect((await read(seller))['lastCheck']).to.deep.equal(look('failed'))
    const {
      rows: [kept],
    } = await operator.context.db.raw<{ rows: { published: string[]; proven_at: Date }[] }>(
      `select published::text[], proven_at from did_web_domains where domain = 'brand.old.example'`,
    )
    expect(kept?.proven_at.toISOString()).to.equal('2026-01-05T00:00:00.000Z')
  })

  it('shows every key of an issuer with what networks were told of it', async () => {
    const { keys } = old
    const answer = await createApiClient({}, platform.api).get(
      `/v1/dpp/issuers/did:key:${toMultikey(keys.rotated.publicKey)}/keys`,
    )
    expect(answer.status, answer.text).to.equal(200)
    const found = new Map((answer.body as unknown as Json[]).map((key) => [String(key['kid']), key]))
    const shown = (key: OldKey) => {
      const { status, revokedAt, compromisedAt, receipts } = found.get(toMultikey(key.publicKey)) ?? {}
      return { status, revokedAt, compromisedAt, receipts }
    }
    const receipt = (act: string, transactionHash: string, compromisedAt: string | null = null) => ({
      network: 'EthereumAnvil',
      caip2: 'eip155:31337',
      act,
      compromisedAt,
      contract: null,
      transactionHash,
      blockNumber: null,
      at: null,
    })
    const moment = '2025-05-01T00:00:00.000Z'
    const plain = { revokedAt: null, compromisedAt: null }
    expect(found.size).to.equal(3)
    expect(shown(keys.active)).to.deep.equal({
      status: 'active',
      ...plain,
      receipts: [receipt('registerKey', hash(4))],
    })
    expect(shown(keys.rotated)).to.deep.equal({
      status: 'rotated',
      ...plain,
      receipts: [receipt('registerKey', hash(3))],
    })
    expect(shown(keys.revoked)).to.deep.equal({
      status: 'revoked',
      revokedAt: '2025-06-01T00:00:00.000Z',
      compromisedAt: moment,
      receipts: [receipt('registerKey', hash(1)), receipt('revokeKey', hash(2), moment)],
    })
    const { rows } = await operator.context.db.raw<{ rows: { network: string; status: string }[] }>(
      `select network, status from certification_key_receipts where network <> 'EthereumAnvil' order by status`,
    )
    expect(rows).to.deep.equal([
      { network: 'BaseSepolia', status: 'failed' },
      { network: 'BaseSepolia', status: 'pending' },
    ])
  })
})
