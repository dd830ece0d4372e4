import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { nameAccount, removePerson } from '../../../support/rows/accounts/accounts.ts'
import { buildApplication, buildMember, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createEmail, getOperator, getOwnClient, signInBuyer, signInMember } from '../../identity/people.ts'
import { countPassports, getAccountId, signInByPhone, storeFigures, type ShownAccount } from './accounts.maker.ts'

const getRows = (answer: Answer) => getBody<{ data: ShownAccount[] }>(answer).data

describe('GET /v1/accounts', () => {
  let shop: Shop
  let second: string
  let ids: string[]
  let emails: string[]
  let number: string

  before(async () => {
    const { db } = await getOperator()
    shop = await buildShop()
    const other = await buildShop()
    await signInBuyer(other.application)
    second = await buildApplication(shop.organization)
    emails = [createEmail('ann'), createEmail('bob'), createEmail('carl')]
    const [ann, bob] = [
      getAccountId(await signInBuyer(shop.application, emails[0])),
      getAccountId(await signInBuyer(shop.application, emails[1])),
    ]
    const byPhone = await signInByPhone(shop)
    number = byPhone.number
    const carl = getAccountId(await signInBuyer(second, emails[2], { 'x-network': 'BaseSepolia' }))
    ids = [ann, bob, byPhone.account, carl]
    await nameAccount(db, ann, 'Ann 100% Lee')
    await nameAccount(db, bob, 'Bob')
    await storeFigures(
      { account: carl, points: -5n, visits: 3 },
      { account: ann, points: 2n ** 60n, pending: 7n, settled: 2n ** 60n + 7n, visits: 3 },
      { account: bob, points: 2n ** 60n + 1n },
    )
    await countPassports(bob, 2, '2026-03-01T10:00:00.000Z')
    await countPassports(ann, 1, '2026-03-02T10:00:00.000Z')
  })

  const list = (query: string) => shop.api.get(`/v1/accounts?${query}`)
  /** Places in `ids` of what a query answers, in the order of the answer. */
  async function found(query: string): Promise<number[]> {
    const answer = await list(query)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body['total'], query).to.equal(getRows(answer).length)
    return getRows(answer).map(({ id }) => ids.indexOf(id))
  }
  const address = async (at: number) => String((await shop.api.get(`/v1/accounts/${ids[at]}`)).body['address'])

  it('has those of all applications, the newest first, each as its own route shows it', async () => {
    const answer = await list('')
    expect(getRows(answer).map(({ id }) => id)).to.deep.equal([...ids].reverse())
    expect(answer.body).to.deep.include({ total: 4, currentPage: 1, pageSize: 10, nextCursor: null })
    for (const row of getRows(answer)) expect((await shop.api.get(`/v1/accounts/${row.id}`)).body).to.deep.equal(row)
  })

  it('takes every filter that it declares', async () => {
    const [first, , third] = getRows(await list('sorters[0][field]=createdAt&sorters[0][order]=asc'))
    const of = await address(1)
    const expectations: Record<string, number[]> = {
      [`id][eq]=${ids[2]}`]: [2],
      [`createdAt][gt]=${first?.createdAt}`]: [3, 2, 1],
      [`createdAt][lte]=${first?.createdAt}`]: [0],
      [`createdAt][lt]=${third?.createdAt}`]: [1, 0],
      [`updatedAt][gte]=${first?.updatedAt}`]: [3, 2, 1, 0],
      [`application.id][eq]=${second}`]: [3],
      'network][eq]=BaseSepolia': [3],
      'network][eq]=EthereumAnvil': [2, 1, 0],
      [`address][eq]=${of}`]: [1],
      [`address][contains]=${of.slice(2, 20).toUpperCase()}`]: [1],
      'user.name][eq]=Bob': [1],
      'user.name][eq]=bob': [],
      'user.name][contains]=lee': [0],
      [`user.name][contains]=${encodeURIComponent('0%')}`]: [0],
      'user.name][contains]=_': [],
      [`user.email][eq]=${emails[0]?.toUpperCase()}`]: [0],
      [`user.email][contains]=${emails[1]?.slice(0, 12).toUpperCase()}`]: [1],
      [`user.phoneNumber][eq]=${encodeURIComponent(number)}`]: [2],
      [`user.phoneNumber][contains]=${number.slice(4)}`]: [2],
      'dpp.passportCount][eq]=0': [3, 2],
      'dpp.passportCount][gt]=1': [1],
      'dpp.passportCount][gte]=1': [1, 0],
      'dpp.passportCount][lt]=2': [3, 2, 0],
      'dpp.passportCount][lte]=9007199254740991': [3, 2, 1, 0],
    }
    for (const [query, places] of Object.entries(expectations))
      expect(await found(`filters[${query}`), query).to.deep.equal(places)
    expect(await found(`filters[dpp.passportCount][gte]=1&filters[user.email][contains]=ann`)).to.deep.equal([0])
  })

  it('finds nobody by an address that was made for them, or by the contact of another organization', async () => {
    expect(await found('filters[user.email][contains]=phone.invalid')).to.deep.equal([])
    const elsewhere = await buildShop()
    expect((await elsewhere.api.get(`/v1/accounts?filters[user.email][eq]=${emails[0]}`)).body['total']).to.equal(0)
    expect((await elsewhere.api.get(`/v1/accounts?filters[id][eq]=${ids[0]}`)).body['data']).to.deep.equal([])
  })

  it('sorts by every sorter that it declares, page by page with a cursor', async () => {
    // Of two equal values the id decides, in the direction of the sorter.
    const orders: Record<string, number[]> = {
      id: [0, 1, 2, 3],
      createdAt: [0, 1, 2, 3],
      'loyalty.optimisticBalance': [3, 2, 0, 1],
      'loyalty.visits': [1, 2, 0, 3],
      'dpp.passportCount': [2, 3, 0, 1],
      'dpp.lastActivityAt': [2, 3, 1, 0],
    }
    const addresses = await Promise.all(ids.map((_, at) => address(at)))
    orders['address'] = [0, 1, 2, 3].sort((a, b) => ((addresses[a] ?? '') < (addresses[b] ?? '') ? -1 : 1))
    for (const [field, places] of Object.entries(orders)) {
      for (const order of ['asc', 'desc']) {
        const expected = order === 'asc' ? places : [...places].reverse()
        const query = `sorters[0][field]=${field}&sorters[0][order]=${order}`
        expect(await found(query), query).to.deep.equal(expected)
        const seen: number[] = []
        for (let cursor: string | null = ''; cursor !== null;) {
          const { body } = await list(`${query}&pageSize=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
          const page = body as unknown as { data: ShownAccount[]; nextCursor: string | null }
          seen.push(...page.data.map(({ id }) => ids.indexOf(id)))
          cursor = page.nextCursor
        }
        expect(seen, query).to.deep.equal(expected)
      }
    }
    const updated = getRows(await list('sorters[0][field]=updatedAt')).map(({ updatedAt }) => updatedAt)
    expect(updated).to.deep.equal([...updated].sort())
  })

  it('answers the members that are asked for', async () => {
    const { body } = await list('fields=user.email,loyalty.optimisticBalance&filters[user.name][eq]=Bob')
    expect(body['data']).to.deep.equal([
      { id: ids[1], user: { email: emails[1] }, loyalty: { optimisticBalance: '1152921504606846977' } },
    ])
    expect(formatVerdict(await list('fields=user.birthday'))).to.equal('400 INVALID_REQUEST')
  })

  it('refuses filters and sorters that it has not', async () => {
    for (const query of [
      'user.id][eq]=x',
      'network][eq]=Atlantis',
      'network][contains]=Base',
      'dpp.passportCount][eq]=x',
    ])
      expect(formatVerdict(await list(`filters[${query}`)), query).to.equal('400 INVALID_FILTER')
    for (const field of ['user.email', 'network', 'loyalty.pending'])
      expect(formatVerdict(await list(`sorters[0][field]=${field}`)), field).to.equal('400 INVALID_SORTER')
  })

  it('is for members who may read, and for no buyer', async () => {
    const viewer = getOwnClient(await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization))
    expect((await viewer.get('/v1/accounts')).body['total']).to.equal(4)
    const { body } = await signInBuyer(shop.application, emails[0])
    const buyer = createApiClient({ bearer: String(body['token']) })
    expect(formatVerdict(await buyer.get('/v1/accounts'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
  })

  it('shows no account whose person was erased', async () => {
    const own = await buildShop()
    const [erased, kept] = [
      getAccountId(await signInBuyer(own.application)),
      getAccountId(await signInBuyer(own.application)),
    ]
    await removePerson((await getOperator()).db, erased)
    expect(getRows(await own.api.get('/v1/accounts')).map(({ id }) => id)).to.deep.equal([kept])
    expect(formatVerdict(await own.api.get(`/v1/accounts/${erased}`))).to.equal('404 NOT_FOUND')
  })
})
