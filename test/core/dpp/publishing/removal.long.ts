import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { DryRun } from '../../../../core/kernel/dry-run.ts'
import type { MintJob, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { rehearse } from '../../../support/dpp/dry-runs.ts'
import { insertClaim } from '../../../support/rows/dpp/claims.ts'
import { insertSheetDrafts } from '../../../support/rows/dpp/new-passports.ts'
import { handPassportToShop, queueUnknownMint } from '../../../support/rows/dpp/passports.ts'
import {
  buildBuyer,
  buildCertifiedPassport,
  buildKey,
  buildModelTree,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createEmail, getOperator } from '../../identity/people.ts'
import {
  formatVerdict,
  getRows,
  listEventTypes,
  listFaultPaths,
  readPassport,
  waitForJob,
} from '../passports/fixtures.ts'

type Step = 'delete' | 'archive'
const words = { delete: 'deleted', archive: 'archived' } as const
const pathOf = (step: Step, query = '') => `/v1/dpp/passports/${step}${query}`

/** Starts the removal, and waits for its job. */
async function remove({ api }: Shop, step: Step, query = ''): Promise<{ matched: unknown; job: MintJob }> {
  const { status, body, headers, text } = await api.post(pathOf(step, query))
  expect(status, text).to.equal(202)
  expect(headers['location']).to.equal(`/v1/jobs/${body['jobId']}`)
  return { matched: body['matched'], job: await waitForJob(api, `/v1/jobs/${body['jobId']}`) }
}

const preview = (shop: Shop, step: Step, query = '?'): Promise<DryRun> =>
  rehearse(shop, 'post', pathOf(step, `${query}${query.endsWith('?') ? '' : '&'}dryRun=true`))

async function listStatuses({ api }: Shop): Promise<Record<string, string>> {
  const rows = getRows(await api.get('/v1/dpp/passports?pageSize=100'))
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]))
}

/** Passports in every state that a removal has a rule for, with the same beginning of their references. */
async function buildStates(shop: Shop) {
  const sheet = await buildSheet(shop)
  const { db } = await getOperator()
  const build = (name: string) => buildPassport(shop, sheet, { reference: `set-${name}` })
  const [draft, ofShop, queued] = [await build('draft'), await build('ofShop'), await build('queued')]
  const archived = await build('archived')
  await shop.api.patch(`/v1/dpp/passports/${archived.id}`, { status: 'archived' })
  const published = await buildPublishedPassport(shop, sheet, { reference: 'set-published' })
  const email = createEmail('buyer')
  const claimed = await buildPublishedPassport(shop, sheet, { reference: 'set-claimed', allowedClaimEmail: email })
  const buyer = await buildBuyer(shop, email)
  const claim = await buyer.post('/v1/dpp/claim', { passport: claimed.id })
  await waitForJob(buyer, `/v1/dpp/claim/${claim.body['jobId']}/status`)
  await handPassportToShop(db, ofShop.id)
  await queueUnknownMint(db, queued.id)
  const other = await buildPassport(shop, sheet, { reference: 'another' })
  return { draft, ofShop, queued, archived, published, claimed, other }
}

const mapErrors = ({ errors }: MintJob) => errors.map(({ code, message }) => `${code} ${message.split(':')[0]}`)
const formatRefusal = (code: string, { id }: Passport) => `${code} Passport ${id}`

describe('POST /v1/dpp/passports/delete', () => {
  it('deletes what a single deletion would, tells the rest with its reason, and is what its dry run says', async () => {
    const shop = await buildShop()
    const made = await buildStates(shop)
    const query = '?filters[reference][contains]=set-'
    const dryRun = await preview(shop, 'delete', query)
    expect(dryRun).to.deep.include({ matched: 6, willChange: 3 })
    expect(new Set(dryRun.samples.map(({ id }) => id))).to.deep.equal(
      new Set([made.draft.id, made.archived.id, made.published.id]),
    )
    expect(dryRun.samples.map(({ name }) => name)).to.include('Bag, set-draft')
    expect(dryRun.skipped).to.deep.equal([
      { reason: 'Their tokens are minted, or about to be; they can only be archived', count: 2 },
      { reason: 'A shop keeps them; change them there', count: 1 },
    ])
    expect(dryRun.warnings).to.deep.equal([
      'The public pages of 1 passport would be gone, and the codes on their products would lead nowhere.',
    ])
    const { matched, job } = await remove(shop, 'delete', query)
    expect(matched).to.equal(6)
    expect(job).to.deep.include({ type: 'delete', status: 'completed', total: 6, completed: 3, failed: 3 })
    expect(job.result).to.deep.equal({ deleted: 3, skipped: 3 })
    expect(mapErrors(job).sort()).to.deep.equal(
      [
        formatRefusal('DPP_PASSPORT_ALREADY_MINTED', made.claimed),
        formatRefusal('DPP_PASSPORT_ALREADY_MINTED', made.queued),
        formatRefusal('DPP_PASSPORT_SOURCE_READ_ONLY', made.ofShop),
      ].sort(),
    )
    const left = [made.ofShop, made.queued, made.claimed, made.other].map(({ id }) => id)
    expect(Object.keys(await listStatuses(shop)).sort()).to.deep.equal(left.sort())
    expect(await listEventTypes(shop, made.draft.id)).to.deep.equal(['create', 'delete'])
    expect(await listEventTypes(shop, made.published.id)).to.deep.equal(['create', 'publish', 'delete'])
    expect(await listEventTypes(shop, made.other.id)).to.deep.equal(['create'])
  }).timeout(60_000)

  it('leaves a passport that somebody is claiming, and deletes it once the claim has failed', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    const { organization, application } = shop
    const [claimed, failed] = [await buildPassport(shop, sheet), await buildPassport(shop, sheet)]
    const { db } = await getOperator()
    await insertClaim(db, { organization, application, passport: claimed.id })
    await insertClaim(db, { organization, application, passport: failed.id, status: 'failed' })
    expect(await preview(shop, 'delete')).to.include({ matched: 2, willChange: 1 })
    const { job } = await remove(shop, 'delete')
    expect(mapErrors(job)).to.deep.equal([formatRefusal('DPP_PASSPORT_ALREADY_MINTED', claimed)])
    expect(Object.keys(await listStatuses(shop))).to.deep.equal([claimed.id])
  })

  it('ends failed where nothing could be deleted, and completed where nothing matches', async () => {
    const shop = await buildShop()
    const { id } = await buildPassport(shop, await buildSheet(shop))
    await handPassportToShop((await getOperator()).db, id)
    const { job } = await remove(shop, 'delete')
    expect(job).to.deep.include({ status: 'failed', total: 1, completed: 0, failed: 1 })
    expect(mapErrors(job)).to.include(`DPP_PASSPORT_SOURCE_READ_ONLY Passport ${id}`)
    const nothing = await remove(shop, 'delete', '?filters[status][eq]=published')
    expect([nothing.matched, nothing.job.status, nothing.job.result]).to.deep.equal([
      0,
      'completed',
      { deleted: 0, skipped: 0 },
    ])
  })

  it('leaves the batches and items of a model, as a single deletion does', async () => {
    const shop = await buildShop()
    const tree = await buildModelTree(shop)
    const { matched } = await remove(shop, 'delete', `?filters[id][eq]=${tree.model.id}`)
    expect(matched).to.equal(1)
    expect(Object.keys(await listStatuses(shop)).sort()).to.deep.equal([tree.batch.id, tree.item.id].sort())
  })

  it('deletes a certified passport with everything that hangs on it', async () => {
    const shop = await buildShop()
    const id = await buildCertifiedPassport(shop)
    expect((await remove(shop, 'delete')).job.result).to.deep.equal({ deleted: 1, skipped: 0 })
    expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${id}`))).to.equal('404 NOT_FOUND')
    expect(formatVerdict(await createApiClient().get(`/v1/dpp/passports/${id}/vc.jsonld`))).to.equal('404 NOT_FOUND')
  })

  it('refuses more than 100,000, its dry run too', async () => {
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    const { db } = await getOperator()
    for (const count of [...Array.from({ length: 10 }, () => 10_000), 1])
      await insertSheetDrafts(
        db,
        { ...shop, sheet },
        Array.from({ length: count }, () => randomUUID()),
      )
    for (const query of ['', '?dryRun=true']) {
      const refused = await shop.api.post(pathOf('delete', query))
      expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['filters']])
    }
    expect((await preview(shop, 'delete', '?pageSize=10')).matched).to.equal(10)
  }).timeout(60_000)
})

describe('POST /v1/dpp/passports/archive', () => {
  it('archives what a single change would, tells the rest, and is what its dry run says', async () => {
    const shop = await buildShop()
    const made = await buildStates(shop)
    const query = '?filters[reference][contains]=set-'
    const dryRun = await preview(shop, 'archive', query)
    expect(dryRun).to.deep.include({ matched: 6, willChange: 4 })
    expect(dryRun.skipped).to.have.deep.members([
      { reason: 'They are archived already', count: 1 },
      { reason: 'A shop keeps them; change them there', count: 1 },
    ])
    expect(dryRun.warnings).to.deep.equal([
      'The credentials of 2 passports would not be served any more. Nothing brings an archived passport back.',
    ])
    const { matched, job } = await remove(shop, 'archive', query)
    expect(matched).to.equal(6)
    expect(job).to.deep.include({ type: 'archive', status: 'completed', total: 6, completed: 5, failed: 1 })
    expect(job.result).to.deep.equal({ archived: 4, skipped: 2 })
    expect(mapErrors(job)).to.deep.equal([formatRefusal('DPP_PASSPORT_SOURCE_READ_ONLY', made.ofShop)])
    expect(await listStatuses(shop)).to.deep.equal({
      [made.draft.id]: 'archived',
      [made.queued.id]: 'archived',
      [made.archived.id]: 'archived',
      [made.published.id]: 'archived',
      [made.claimed.id]: 'archived',
      [made.ofShop.id]: 'draft',
      [made.other.id]: 'draft',
    })
    expect(await listEventTypes(shop, made.draft.id)).to.deep.equal(['create', 'update'])
    expect(await listEventTypes(shop, made.archived.id)).to.deep.equal(['create', 'update'])
    expect((await preview(shop, 'archive', query)).willChange).to.equal(0)
    expect((await remove(shop, 'archive', query)).job.result).to.deep.equal({ archived: 0, skipped: 6 })
    expect(await listEventTypes(shop, made.draft.id)).to.deep.equal(['create', 'update'])
  }).timeout(60_000)

  it('leaves a certificate as a single change does: kept, and no longer served', async () => {
    const shop = await buildShop()
    const [one, many] = [await buildCertifiedPassport(shop), await buildCertifiedPassport(shop)]
    expect((await shop.api.patch(`/v1/dpp/passports/${one}`, { status: 'archived' })).status).to.equal(200)
    await remove(shop, 'archive', `?filters[id][eq]=${many}`)
    const [expected, passport] = [await readPassport(shop.api, one), await readPassport(shop.api, many)]
    const { status, certificationStatus } = expected
    expect(passport).to.include({ status, certificationStatus, certifiedAt: passport.certifiedAt })
    expect(passport.certifiedAt).to.be.a('string')
    expect(passport.updatedAt > passport.createdAt).to.equal(true)
    for (const id of [one, many])
      expect(formatVerdict(await createApiClient().get(`/v1/dpp/passports/${id}/vc.jsonld`))).to.equal('404 NOT_FOUND')
  })
})

for (const step of ['delete', 'archive'] as const) {
  describe(`POST /v1/dpp/passports/${step}: what it takes`, () => {
    it('takes exactly the page that is asked for', async () => {
      const shop = await buildShop()
      const sheet = await buildSheet(shop)
      const made: Passport[] = []
      for (let at = 0; at < 5; at++) made.push(await buildPassport(shop, sheet))
      const query = '?currentPage=2&pageSize=2&sorters[0][field]=createdAt&sorters[0][order]=asc'
      expect((await preview(shop, step, query)).samples.map(({ id }) => id)).to.deep.equal([made[2]?.id, made[3]?.id])
      expect((await remove(shop, step, query)).job.result).to.deep.equal({ [words[step]]: 2, skipped: 0 })
      const statuses = await listStatuses(shop)
      const removed = step === 'delete' ? undefined : 'archived'
      const expected = [0, 1, 2, 3, 4].map((at) => (at === 2 || at === 3 ? removed : 'draft'))
      expect(made.map(({ id }) => statuses[id])).to.deep.equal(expected)
    })

    it('removes each passport once, however many remove it at once', async () => {
      const shop = await buildShop()
      const sheet = await buildSheet(shop)
      const made = await Promise.all(Array.from({ length: 12 }, () => buildPassport(shop, sheet)))
      const jobs = await Promise.all(Array.from({ length: 5 }, () => remove(shop, step)))
      const sum = jobs.reduce((count, { job }) => count + Number(job.result?.[words[step]]), 0)
      expect(sum).to.equal(12)
      const last = step === 'delete' ? 'delete' : 'update'
      for (const { id } of made) expect(await listEventTypes(shop, id)).to.deep.equal(['create', last])
    })

    it('does not reach the passports of another organization', async () => {
      const [shop, other] = [await buildShop(), await buildShop()]
      const { id } = await buildPassport(other, await buildSheet(other))
      expect((await remove(shop, step, `?filters[id][eq]=${id}`)).matched).to.equal(0)
      expect((await preview(shop, step)).matched).to.equal(0)
      expect((await readPassport(other.api, id)).status).to.equal('draft')
    })

    it('needs the permission, the filters of the list and no body, its dry run too', async () => {
      const shop = await buildShop()
      await buildPassport(shop, await buildSheet(shop))
      const actions = (['read', 'create', 'update', 'delete'] as const).filter(
        (action) => action !== (step === 'delete' ? 'delete' : 'update'),
      )
      const weak = createApiClient((await buildKey(shop.organization, { dpp: [...actions] })).key)
      const send = (query: string, body?: object): Promise<Answer> => shop.api.post(pathOf(step, query), body)
      for (const parameter of ['', 'dryRun=true']) {
        expect(formatVerdict(await weak.post(pathOf(step, `?${parameter}`)))).to.equal(
          '403 AUTH_INSUFFICIENT_PERMISSIONS',
        )
        expect(formatVerdict(await send(`?filters[nothing][eq]=1&${parameter}`))).to.equal('400 INVALID_FILTER')
        expect(formatVerdict(await send(`?filters=&${parameter}`))).to.equal('400 INVALID_FILTER')
        const wrong = await send(`?${parameter}`, { filters: [] })
        expect([formatVerdict(wrong), listFaultPaths(wrong)]).to.deep.equal(['422 VALIDATION_FAILED', ['filters']])
      }
      expect(formatVerdict(await send('?dryRun=perhaps'))).to.equal('400 INVALID_REQUEST')
      expect(Object.values(await listStatuses(shop))).to.deep.equal(['draft'])
    })
  })
}
