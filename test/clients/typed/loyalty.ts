import type { Client } from 'tessera-client'
import { assertThat, unwrap, waitForJob, type Stage } from './stage.ts'

/** The people of an application. @param email of one who has signed in there @returns the account of that person */
export async function callAccounts(api: Client, { application }: Stage, email: string): Promise<string> {
  const filters = api.toQuery([
    { field: 'application.id', operator: 'eq', value: application },
    { field: 'user.email', operator: 'eq', value: email },
  ])
  const sorters = api.toQuery([{ field: 'loyalty.optimisticBalance', order: 'desc' }])
  const { data, total } = await unwrap(api.GET('/v1/accounts', { params: { query: { filters, sorters } } }))
  const [account] = data
  assertThat(total === 1 && account !== undefined, 'the person is found by e-mail')
  const read = await unwrap(api.GET('/v1/accounts/{id}', { params: { path: { id: account.id } } }))
  assertThat(read.user.email === email && read.loyalty.optimisticBalance === '0', 'the person has no points yet')
  await callTiers(api, application, account.id)
  await callPoints(api, account.id)
  await callAssignments(api, application)
  await callPointsOfSale(api, application)
  await callMetrics(api, application)
  return account.id
}

/** What has been counted: the figures of both operations. */
async function callMetrics(api: Client, application: string): Promise<void> {
  const params = { query: { application, interval: 'month' as const, from: '2026-01-01', to: '2026-03-31' } }
  const passports = await unwrap(api.GET('/v1/admin/metrics/dpp', { params }))
  assertThat(passports.series.length === 3 && passports.totals.passportsByStatus.draft >= 0, 'a quarter has three months')
  const loyalty = await unwrap(api.GET('/v1/admin/metrics/loyalty', { params }))
  assertThat(loyalty.series[0]?.at === '2026-01-01' && loyalty.totals.conversionRate === null, 'the first month is January')
}

/** The levels of the programme. @param account that reaches one of them */
async function callTiers(api: Client, application: string, account: string): Promise<void> {
  const body = { application, name: 'Gold', requiredVisits: 3, currencyToPointRatio: '1.5' }
  const { id } = await unwrap(api.POST('/v1/loyalty/reward-tiers', { body }))
  const params = { path: { id } }
  const changed = await unwrap(api.PATCH('/v1/loyalty/reward-tiers/{id}', { params, body: { name: 'Golden' } }))
  assertThat(changed.name === 'Golden' && changed.currencyToPointRatio === 1.5, 'the name changes')
  const listed = await unwrap(api.GET('/v1/loyalty/reward-tiers'))
  assertThat(
    listed.data.some((tier) => tier.id === id),
    'the list has it',
  )
  const visited = await unwrap(
    api.PATCH('/v1/accounts/{id}', { params: { path: { id: account } }, body: { loyalty: { visits: 3 } } }),
  )
  assertThat(visited.loyalty.rewardTier?.id === id, 'the visits lead to it')
  const read = await unwrap(api.GET('/v1/loyalty/reward-tiers/{id}', { params }))
  assertThat(read.requiredVisits === 3, 'it is read')
  const deleted = await unwrap(api.DELETE('/v1/loyalty/reward-tiers/{id}', { params }))
  assertThat('id' in deleted && deleted.id === id, 'it is answered as it was')
}

/** Where customers pay, and the settings of the POS, of which one restaurant is bound. */
async function callPointsOfSale(api: Client, application: string): Promise<void> {
  const body = { application, name: 'Centre', timeZone: 'Europe/Rome' }
  const { id } = await unwrap(api.POST('/v1/points-of-sale', { body }))
  const params = { path: { id } }
  const changed = await unwrap(api.PATCH('/v1/points-of-sale/{id}', { params, body: { status: 'inactive' } }))
  assertThat(changed.status === 'inactive', 'the status changes')
  const listed = await unwrap(api.GET('/v1/points-of-sale'))
  assertThat(
    listed.data.some((one) => one.id === id),
    'the list has it',
  )
  const read = await unwrap(api.GET('/v1/points-of-sale/{id}', { params }))
  assertThat(read.timeZone === 'Europe/Rome', 'it is read')
  const deleted = await unwrap(api.DELETE('/v1/points-of-sale/{id}', { params }))
  assertThat(deleted.id === id, 'it is answered as it was')
  const set = await unwrap(api.PATCH('/v1/loyalty/pos-integration/settings', { body: {} }))
  assertThat(set.hasWebhookSecret, 'the secret is kept and not shown')
  const settings = await unwrap(api.GET('/v1/loyalty/pos-integration/settings'))
  assertThat(settings.restaurants.length === 1, 'a restaurant is bound')
}

/** Points for people who have no account yet. */
async function callAssignments(api: Client, application: string): Promise<void> {
  const email = `guest-${Date.now()}@people.example`
  const body = { application, email, optimisticBalance: 25 }
  const { id, status } = await unwrap(api.POST('/v1/account-assignments', { body }))
  assertThat(status === 'pending', 'nobody has the points yet')
  const params = { path: { id } }
  const changed = await unwrap(api.PATCH('/v1/account-assignments/{id}', { params, body: { optimisticBalance: '30' } }))
  assertThat(changed.optimisticBalance === '30', 'the points change')
  const listed = await unwrap(api.GET('/v1/account-assignments', { params: { query: { network: 'EthereumAnvil' } } }))
  assertThat(
    listed.data.some((one) => one.id === id),
    'the list has it',
  )
  const read = await unwrap(api.GET('/v1/account-assignments/{id}', { params }))
  assertThat(read.email === email, 'it is for the e-mail')
  const deleted = await unwrap(api.DELETE('/v1/account-assignments/{id}', { params }))
  assertThat(deleted.id === id, 'it is answered as it was')
}

/** Ends what a person has in an application. @param id of the account */
export async function callDeletion(api: Client, id: string): Promise<void> {
  const deleted = await unwrap(api.DELETE('/v1/accounts/{id}', { params: { path: { id } } }))
  assertThat('user' in deleted && deleted.id === id, 'the account is answered as it was')
}

/** The points of an account. @param id of the account */
export async function callPoints(api: Client, id: string): Promise<void> {
  const params = { path: { id } }
  const reference = `typed-${Date.now()}`
  const minted = await unwrap(api.POST('/v1/loyalty/account/{id}/mint', { params, body: { amount: 120, reference } }))
  assertThat(minted.optimisticBalance === '120', 'the points are credited at once')
  const burned = await unwrap(
    api.POST('/v1/loyalty/account/{id}/burn', { params, body: { amount: '20', reason: 'A coffee' } }),
  )
  await waitForJob(api, burned.jobId)
  const {
    data: [newest],
  } = await unwrap(api.GET('/v1/loyalty/account/{id}/ledger', { params }))
  assertThat(newest?.operationId === burned.operationId && newest.kind === 'burn', 'the newest entry comes first')
  const {
    data: [order],
  } = await unwrap(api.GET('/v1/loyalty/orders', { params: { query: { walletId: id } } }))
  assertThat(order?.account === id && order.points === '-20', 'the newest order comes first')
}
