import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import {
  buildDescribedPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createSerial, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createEmail, createUniqueName, signInBuyer, signInMember } from '../../identity/people.ts'
import { createImport, createMapper } from '../../imports/intake/intake.maker.ts'
import { getAccountId } from '../../loyalty/accounts/accounts.maker.ts'
import { assignNew } from '../../loyalty/assignments/fixtures.ts'
import { createDraft } from '../../loyalty/campaigns/fixtures.ts'
import { getAccepted, mint } from '../../loyalty/points/fixtures.ts'
import { createTier } from '../../loyalty/tiers/fixtures.ts'
import { listFaults } from './rows.ts'

const document = JSON.parse(
  readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'),
) as OpenApi.Document

const getParameters = (path: string) => (document.paths?.[path]?.get?.parameters ?? []) as OpenApi.ParameterObject[]
const pathsWith = (name: string) =>
  Object.keys(document.paths ?? {}).filter((path) => getParameters(path).some((one) => one.name === name))
/** The summary of readiness takes the filters of a list, and answers no rows. */
const lists = pathsWith('filters').filter((path) => path !== '/v1/dpp/readiness')

type Row = Record<string, unknown>
const rowsOf = ({ body }: Answer) => body['data'] as unknown as Row[]
const selectedOf = (rows: readonly Row[]) => rows.map((row) => Object.keys(row))

/** A shop with a row in every list. */
async function buildFullShop(): Promise<Shop & { member: Client; passport: string; account: string }> {
  const shop = await buildShop()
  await shop.api.patch(`/v1/applications/${shop.application}`, { domains: [`${createUniqueName('fields')}.example`] })
  const { id: passport } = await buildPublishedPassport(shop, await buildSheet(shop))
  await createMapper(shop)
  await createImport(shop)
  const account = getAccountId(await signInBuyer(shop.application, createEmail('buyer')))
  getAccepted(await mint(shop.api, account, { amount: 1 }))
  await assignNew(shop, { email: createEmail('guest') })
  await createTier(shop, { name: 'Gold' })
  await createDraft(shop)
  const guest = { email: createEmail('guest'), role: 'viewer' }
  const invited = await shop.api.post(`/v1/organizations/${shop.organization}/invitations`, guest)
  expect(invited.status, invited.text).to.equal(201)
  const { application } = shop
  const opened = await shop.api.post('/v1/points-of-sale', { application, name: 'Shop', timeZone: 'Europe/Rome' })
  expect(opened.status, opened.text).to.equal(201)
  return {
    ...shop,
    passport,
    account,
    member: createApiClient({ cookie: await signInMember(shop.owner, shop.organization) }),
  }
}

describe('fields', () => {
  let shop: Awaited<ReturnType<typeof buildFullShop>>
  let other: Awaited<ReturnType<typeof buildFullShop>>
  before(async () => {
    ;[shop, other] = [await buildFullShop(), await buildFullShop()]
  })

  const ask = (
    { api, member, organization, application, passport, account }: typeof shop,
    path: string,
    query: string,
  ) => {
    const below = path.startsWith('/v1/organizations/') ? organization : passport
    const id = path.startsWith('/v1/loyalty/account/') ? account : below
    const address = path.replace('{appId}', application).replace('{id}', id)
    return (path.startsWith('/v1/auth/') ? member : api).get(`${address}?${query}`)
  }

  it('is a parameter of every list, of one passport and of one account, and of nothing else', () => {
    expect(lists).to.have.length.above(7)
    expect(pathsWith('fields')).to.have.members([...lists, '/v1/accounts/{id}', '/v1/dpp/passports/{id}'])
  })

  for (const path of lists) {
    describe(`GET ${path}`, () => {
      it('answers only ids, in the order and with the total and the cursor of the whole rows', async () => {
        const whole = await ask(shop, path, 'pageSize=1')
        const ids = await ask(shop, path, 'pageSize=1&fields=id')
        const [first] = rowsOf(whole)
        expect(rowsOf(ids), ids.text).to.deep.equal([{ id: first?.['id'] }])
        expect({ ...ids.body, data: [] }).to.deep.equal({ ...whole.body, data: [] })
      })

      it('adds the id to other members, each as the whole row has it', async () => {
        const whole = rowsOf(await ask(shop, path, ''))
        const [, name = ''] = Object.keys(whole[0] ?? {})
        const selected = rowsOf(await ask(shop, path, `fields=${name}`))
        expect(selected).to.deep.equal(whole.map((row) => ({ id: row['id'], [name]: row[name] })))
      })

      it('has no row of another organization', async () => {
        const mine = rowsOf(await ask(shop, path, 'pageSize=100&fields=id')).map(({ id }) => id)
        const theirs = rowsOf(await ask(other, path, 'pageSize=100&fields=id')).map(({ id }) => id)
        expect(theirs).not.to.deep.equal([])
        expect(mine.filter((id) => theirs.includes(id))).to.deep.equal([])
      })

      it('answers 400 to a member that it does not have, among others that it has', async () => {
        const answer = await ask(shop, path, 'fields=id,nonsense')
        expect(answer.status).to.equal(400)
        expect(listFaults(answer)).to.deep.equal(['INVALID_REQUEST', 'fields unknown_member'])
      })

      it('answers 400 to an unknown filter or sorter, and says which there are', async () => {
        const [filters = '', sorters = ''] =
          /(Filters: .*\.) (Sorters: .*\.)$/.exec(document.paths?.[path]?.get?.description ?? '')?.slice(1) ?? []
        expect(filters).not.to.equal('')
        const [, fields = ''] = /^Filters: (\S+?),? /.exec(filters) ?? []
        const unknownFilter = await ask(shop, path, `filters[${fields}z][eq]=x`)
        expect(formatVerdict(unknownFilter)).to.equal('400 INVALID_FILTER')
        expect(unknownFilter.body['detail'])
          .to.contain(`did you mean ${fields}?`)
          .and.to.match(/ Filters: .*\.$/)
        expect(String(unknownFilter.body['detail'])).to.contain(filters)
        const [, sorter = ''] = /^Sorters: (\w+)/.exec(sorters) ?? []
        const unknownSorter = await ask(shop, path, `sorters[0][field]=${sorter}z`)
        expect(formatVerdict(unknownSorter)).to.equal('400 INVALID_SORTER')
        expect(unknownSorter.body['detail']).to.equal(
          `sorters[0].field names "${sorter}z", which is no sorter here; did you mean ${sorter}? ${sorters}`,
        )
      })
    })
  }

  it('selects below members, through lists, and any path of values that callers define', async () => {
    const product = {
      idGranularity: 'item',
      name: 'Bag',
      itemNumber: createSerial(),
      relatedParty: [
        { role: 'manufacturer', party: { id: 'https://mill.example/', name: 'Mill' } },
        { role: 'recycler', party: { id: 'https://again.example/', name: 'Again' } },
      ],
    }
    const { id, application } = await buildDescribedPassport(shop, product, {
      data: { parts: [{ weight: 1, name: 'a' }, { name: 'b' }, 'c', null], color: 'red' },
    })
    const read = async (fields: string) => (await shop.api.get(`/v1/dpp/passports/${id}?fields=${fields}`)).body
    expect(await read('product.relatedParty.party.name,product.name')).to.deep.equal({
      id,
      product: { name: 'Bag', relatedParty: [{ party: { name: 'Mill' } }, { party: { name: 'Again' } }] },
    })
    expect(await read('data.parts.weight')).to.deep.equal({ id, data: { parts: [{ weight: 1 }, {}, null] } })
    expect(await read('data.color.none,data.none')).to.deep.equal({ id, data: {} })
    expect(await read('application.name')).to.deep.equal({ id, application: { name: application.name } })
    expect(await read('token.owner,model,status')).to.deep.equal({ id, status: 'draft', model: null, token: null })
    const { product: whole } = await read('product')
    expect(await read('product,product.name')).to.deep.equal({ id, product: whole })
    expect(await read('product.name,product')).to.deep.equal({ id, product: whole })
    const [row] = rowsOf(await shop.api.get(`/v1/dpp/passports?filters[id][eq]=${id}&fields=status,product.name`))
    expect(row).to.deep.equal({ id, status: 'draft', product: { name: 'Bag' } })
  })

  it('leaves a member out whose value has no such part, as the sheet of a passport has no product.name', async () => {
    const rows = rowsOf(await shop.api.get('/v1/dpp/passports?fields=product.name&filters[source][eq]=manual'))
    expect(selectedOf(rows)).to.deep.include(['id'])
  })

  it('keeps what only the organization sees from everybody else, also where it is asked for', async () => {
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop), {
      reference: createUniqueName('private'),
      allowedClaimEmail: 'ann@people.example',
    })
    const path = `/v1/dpp/passports/${id}?fields=status,reference,allowedClaimEmail,structureJob,certifyJob,mintedTo.id`
    expect(Object.keys((await shop.api.get(path)).body)).to.include.members(['reference', 'allowedClaimEmail'])
    for (const stranger of [createApiClient(), other.api])
      expect((await stranger.get(path)).body).to.deep.equal({ id, status: 'published', mintedTo: null })
    expect(formatVerdict(await other.api.get(`/v1/dpp/passports/${await draftOf()}?fields=id`))).to.equal(
      '404 NOT_FOUND',
    )
  })
  const draftOf = async () =>
    (await buildDescribedPassport(shop, { idGranularity: 'item', name: 'Bag', itemNumber: createSerial() })).id

  it('is 400 with the nearest members where one is unknown', async () => {
    const detailOf = async (fields: string) => {
      const answer = await shop.api.get(`/v1/dpp/passports?fields=${fields}`)
      expect(formatVerdict(answer), fields).to.equal('400 INVALID_REQUEST')
      return String(answer.body['detail'])
    }
    expect(await detailOf('staus')).to.match(
      /^fields names "staus", which is no member of the answer; did you mean status/,
    )
    expect(await detailOf('created_at')).to.contain('did you mean createdAt')
    expect(await detailOf('minted')).to.contain('mintedTo')
    expect(await detailOf('application.title')).to.contain('application.')
    expect(await detailOf('status.code')).to.contain('"status.code"')
    expect(await detailOf('zzz')).to.match(/; its members are id, tokenId, application, .*updatedAt\.$/)
    for (const malformed of ['', 'id,', '.id', 'product..name', 'id,,status', `data.${'x'.repeat(101)}`])
      expect(await detailOf(malformed), malformed).to.contain('dotted names')
  })

  it('is 400 past its limits: 50 members, 6 names deep', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `data.m${at}`).join(',')
    const deep = (levels: number) => ['data', ...Array.from({ length: levels - 1 }, () => 'a')].join('.')
    for (const [fields, verdict] of [
      [many(50), '200'],
      [many(51), '400 INVALID_REQUEST'],
      [deep(6), '200'],
      [deep(7), '400 INVALID_REQUEST'],
    ] as const)
      expect(formatVerdict(await shop.api.get(`/v1/dpp/passports?fields=${fields}`)), fields).to.equal(verdict)
  })

  it('is one parameter of an operation that has it, and unknown to others', async () => {
    const answer = await shop.api.get(`/v1/dpp/passports?fields=status&fields=id,source`)
    expect(selectedOf(rowsOf(answer))[0]).to.have.members(['id', 'status', 'source'])
    expect(formatVerdict(await shop.api.get('/v1/dpp/certification-key?fields=id'))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/publish?fields=id&dryRun=true'))).to.equal(
      '400 INVALID_REQUEST',
    )
  })

  describe('ETag', () => {
    it('is one of its own for each selection, whatever the order of the members, and none of the whole', async () => {
      const path = `/v1/dpp/passports/${await draftOf()}`
      const etagOf = async (query: string) => String((await shop.api.get(`${path}${query}`)).headers['etag'])
      const etags = [await etagOf(''), await etagOf('?fields=id'), await etagOf('?fields=status,product.name')]
      expect(new Set(etags).size).to.equal(3)
      expect(await etagOf('?fields=product.name,id,status')).to.equal(etags[2])
      const again = (query: string, etag: string) =>
        shop.api.get(`${path}${query}`, { headers: { 'if-none-match': etag } })
      expect((await again('?fields=id', String(etags[1]))).status).to.equal(304)
      expect((await again('?fields=id', String(etags[0]))).status).to.equal(200)
      expect((await again('', String(etags[1]))).status).to.equal(200)
    })

    it('names the version in If-Match, so that a change is 412 whatever was read of the passport', async () => {
      const path = `/v1/dpp/passports/${await draftOf()}`
      const change = (etag: string) =>
        shop.api.patch(path, { reference: createUniqueName('match') }, { headers: { 'if-match': etag } })
      for (const coding of ['identity', 'br', 'gzip']) {
        const read = await shop.api.get(`${path}?fields=id`, { headers: { 'accept-encoding': coding } })
        const etag = String(read.headers['etag'])
        expect((await change(etag)).status, coding).to.equal(200)
        expect(formatVerdict(await change(etag)), 'reference is not among the members that were read').to.equal(
          '412 PRECONDITION_FAILED',
        )
      }
    })
  })
})
