import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import {
  buildBuyer,
  buildCertifiedPassport,
  buildKey,
  buildPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createEmail } from '../../identity/people.ts'
import { formatVerdict, getBody, listOwners, readPassport, waitForJob } from '../passports/fixtures.ts'

interface Entry {
  id: string
  at: string
  kind: string
  type?: string
  summary: string
  version?: number
  contentHash?: string
  network?: string
  transactionHash?: string
}
interface History {
  data: Entry[]
  total: number
  nextCursor: string | null
}

const pathOf = (id: string, query = '') => `/v1/dpp/passports/${id}/history${query}`
const formatEntry = ({ kind, type, version }: Entry) => [kind, type ?? version].join(' ')

describe('GET /v1/dpp/passports/{id}/history', () => {
  const read = async ({ api }: Shop, id: string, query = '?pageSize=100'): Promise<History> => {
    const answer = await api.get(pathOf(id, query))
    expect(answer.status, answer.text).to.equal(200)
    return getBody<History>(answer)
  }

  /** A certified passport of two versions that a buyer has claimed, somebody has read, and that is archived. */
  async function buildEventful(shop: Shop): Promise<string> {
    const email = createEmail('buyer')
    const id = await buildCertifiedPassport(shop, { allowedClaimEmail: email })
    const { data } = await readPassport(shop.api, id)
    const [name] = Object.keys(data ?? {})
    const changed = await shop.api.patch(`/v1/dpp/passports/${id}`, { data: { [String(name)]: 'other' } })
    expect(changed.status, changed.text).to.equal(200)
    await waitForJob(shop.api, `/v1/jobs/${(await readPassport(shop.api, id)).certifyJob?.id}`)
    expect((await createApiClient().get(`/v1/dpp/passports/${id}/vc.jsonld`)).status).to.equal(200)
    const buyer = await buildBuyer(shop, email)
    const claim = await buyer.post('/v1/dpp/claim', { passport: id })
    const ended = await waitForJob(buyer, `/v1/dpp/claim/${claim.body['jobId']}/status`)
    expect(ended.status).to.equal('completed')
    expect((await shop.api.patch(`/v1/dpp/passports/${id}`, { status: 'archived' })).status).to.equal(200)
    return id
  }

  it('tells events, owners, versions and anchors, the newest first, with what each of them names', async () => {
    const shop = await buildShop()
    const id = await buildEventful(shop)
    const { data, total, nextCursor } = await read(shop, id)
    expect([total, nextCursor]).to.deep.equal([data.length, null])
    const counted = (text: string) => data.filter((entry) => formatEntry(entry) === text).length
    const expected = ['event create', 'event publish', 'event claim', 'event scan', 'owner claim']
    const versions = ['version 1', 'version 2', 'anchor 1', 'anchor 2']
    for (const text of [...expected, ...versions]) expect(counted(text), text).to.equal(1)
    expect(data.map(({ at }) => at)).to.deep.equal(
      data
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    const oldest = data.findIndex(({ summary }) => summary === 'The passport was created.')
    // A block has whole seconds, so what it holds may stand before the creation in the same second, and nothing else may.
    const second = `${data[oldest]?.at.slice(0, 19)}.000Z`
    for (const entry of data.slice(oldest + 1)) expect(entry.at, entry.summary).to.equal(second)
    expect(data[0]?.summary).to.equal('The passport was archived, or changed while archived.')
    const passport = await readPassport(shop.api, id)
    const find = (text: string) => data.find((entry) => formatEntry(entry) === text)
    const { network, contentHash } = passport
    expect(find('version 2')).to.include({
      network,
      contentHash,
      summary: 'Version 2 of the credential was signed.',
    })
    const anchor = getBody<{ transactionHash: string; anchoredAt: string }>(
      await shop.api.get(`/v1/dpp/passports/${id}/anchor`),
    )
    // Blocks have whole seconds, so a version may have been signed after the time of its own block.
    const times = [anchor.anchoredAt, String(find('version 2')?.at)].sort()
    expect(find('anchor 2')).to.include({
      network,
      at: times[1],
      transactionHash: anchor.transactionHash,
      summary: `The hash of version 2 was anchored on ${network}.`,
    })
    const [owner] = await listOwners(id)
    expect(find('owner claim')).to.include({
      at: owner?.at,
      transactionHash: owner?.transactionHash,
      summary: `The token went to the buyer ${owner?.to}.`,
    })
    expect(find('event scan')).to.have.all.keys('id', 'at', 'kind', 'type', 'summary')
  }).timeout(60_000)

  it('goes on from a cursor, and takes filters and orders', async () => {
    const shop = await buildShop()
    const id = await buildCertifiedPassport(shop)
    const whole = await read(shop, id)
    const paged: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(shop, id, `?pageSize=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.data)
      cursor = page.nextCursor
    }
    expect(paged).to.deep.equal(whole.data)
    const formatted = async (query: string) => (await read(shop, id, query)).data.map(formatEntry)
    expect(await formatted('?filters[kind][eq]=anchor')).to.deep.equal(['anchor 1'])
    expect(await formatted('?filters[type][eq]=publish')).to.deep.equal(['event publish'])
    expect((await formatted('?filters[kind][ne]=event')).toSorted()).to.deep.equal(['anchor 1', 'version 1'])
    expect(await formatted(`?filters[id][eq]=${whole.data[0]?.id}`)).to.have.length(1)
    expect((await read(shop, id, '?sorters[0][field]=at&sorters[0][order]=asc')).data[0]?.type).to.equal('create')
    expect(await formatted('?filters[at][gt]=2100-01-01T00:00:00Z')).to.deep.equal([])
    expect(formatVerdict(await shop.api.get(pathOf(id, '?filters[summary][eq]=x')))).to.equal('400 INVALID_FILTER')
    expect(formatVerdict(await shop.api.get(pathOf(id, '?sorters[0][field]=kind')))).to.equal('400 INVALID_SORTER')
    expect(formatVerdict(await shop.api.get(pathOf(id, '?cursor=abc')))).to.equal('400 INVALID_PAGINATION')
  }).timeout(60_000)

  it('is told to the organization of the passport alone, with the permission to read', async () => {
    const [shop, other] = [await buildShop(), await buildShop()]
    const { id } = await buildPassport(shop, await buildSheet(shop))
    expect((await read(shop, id)).data.map(formatEntry)).to.deep.equal(['event create'])
    for (const api of [other.api, shop.api])
      expect(formatVerdict(await api.get(pathOf(api === shop.api ? randomUUID() : id)))).to.equal('404 NOT_FOUND')
    const weak = createApiClient((await buildKey(shop.organization, { dpp: ['create'] })).key)
    expect(formatVerdict(await weak.get(pathOf(id)))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await createApiClient().get(pathOf(id)))).to.equal('401 AUTH_UNAUTHENTICATED')
  })
})
