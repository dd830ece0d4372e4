import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { insertClaim } from '../../../support/rows/dpp/claims.ts'
import { advancePassports, type PassportProgress } from '../../../support/rows/dpp/passports.ts'
import { insertScanEvent } from '../../../support/rows/events/scan-events.ts'
import { openDatabase, createTenant, type Tenant } from '../../applications/tenants.ts'

const none = {
  passports: { total: 0, draft: 0, published: 0, claimed: 0, archived: 0 },
  minted: 0,
  claims: { pending: 0, completed: 0, failed: 0 },
  scans: 0,
  lastActivityAt: null,
}

describe('GET /v1/dpp/products/stats: statistics', () => {
  let own: Tenant
  let application: string

  before(async () => {
    own = await createTenant()
    application = String((await own.api.post('/v1/applications', { name: 'Bags' })).body.id)
  })

  async function newSheet(status: string): Promise<string> {
    return String((await own.api.post('/v1/dpp/products', { application, name: 'Bag', status })).body.id)
  }

  async function newPassport(product: string, progress?: PassportProgress): Promise<string> {
    const id = String((await own.api.post('/v1/dpp/passports', { product, fields: {} })).body.id)
    if (progress) await advancePassports(openDatabase(), [id], progress)
    return id
  }

  const newClaim = (passport: string, status: 'pending' | 'completed' | 'failed') =>
    insertClaim(openDatabase(), { organization: own.organization, application, passport, status })

  const scan = (passport: string, product: unknown, at: Date) =>
    insertScanEvent(openDatabase(), { organization: own.organization, application, passport, product, at })

  it('are all zero for a new sheet and a new organization', async () => {
    const sheet = await newSheet('DRAFT')
    expect((await own.api.get(`/v1/dpp/products/${sheet}/stats`)).body).to.deep.equal({ product: sheet, ...none })
    const fresh = await createTenant()
    expect((await fresh.api.get('/v1/dpp/products/stats')).body).to.deep.equal({
      products: { total: 0, DRAFT: 0, ACTIVE: 0, UNLISTED: 0, ARCHIVED: 0 },
      ...none,
    })
  })

  it('count passports, tokens, claims and scans of the sheet, and of the organization together', async () => {
    const mine = (own = await createTenant())
    application = String((await mine.api.post('/v1/applications', { name: 'Bags' })).body.id)
    const [first, second] = [await newSheet('ACTIVE'), await newSheet('ARCHIVED')]
    const minted = { isMinted: true }
    const passports = [
      await newPassport(first),
      await newPassport(first, { status: 'published' }),
      await newPassport(first, { status: 'published', ...minted }),
      await newPassport(first, { status: 'claimed', ...minted }),
      await newPassport(first, { status: 'archived' }),
    ]
    const elsewhere = await newPassport(second, { status: 'claimed', ...minted })
    await newClaim(passports[1] as string, 'pending')
    await newClaim(passports[3] as string, 'completed')
    await newClaim(passports[3] as string, 'failed')
    await newClaim(elsewhere, 'completed')
    const last = new Date(Date.now() + 60_000)
    await scan(passports[1] as string, first, new Date())
    await scan(passports[3] as string, first, last)
    await scan(elsewhere, second, new Date())
    await scan(randomUUID(), { name: 'A product of no sheet', text: 'x'.repeat(20_000) }, new Date())

    expect((await mine.api.get(`/v1/dpp/products/${first}/stats`)).body).to.deep.equal({
      product: first,
      passports: { total: 5, draft: 1, published: 2, claimed: 1, archived: 1 },
      minted: 2,
      claims: { pending: 1, completed: 1, failed: 1 },
      scans: 2,
      lastActivityAt: last.toISOString(),
    })
    expect((await mine.api.get('/v1/dpp/products/stats')).body).to.deep.equal({
      products: { total: 2, DRAFT: 0, ACTIVE: 1, UNLISTED: 0, ARCHIVED: 1 },
      passports: { total: 6, draft: 1, published: 2, claimed: 2, archived: 1 },
      minted: 3,
      claims: { pending: 1, completed: 2, failed: 1 },
      scans: 4,
      lastActivityAt: last.toISOString(),
    })
  })

  it('need dpp:read', async () => {
    const sheet = await newSheet('ACTIVE')
    const limited = await own.limited({ dpp: ['create', 'update', 'delete'] })
    for (const path of ['/v1/dpp/products/stats', `/v1/dpp/products/${sheet}/stats`]) {
      expect((await limited.get(path)).status, path).to.equal(403)
      expect((await createApiClient().get(path)).status, path).to.equal(401)
    }
  })
})
