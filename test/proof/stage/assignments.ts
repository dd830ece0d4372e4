import { expect } from 'chai'
import { followImport, type Importer } from './imports.ts'

/** The number of people who are given points by each import. */
export const people = 2_500

/** Sends points for all people to an application, to be added to what waits for them. @returns the id of the import */
export async function sendPoints({ api }: Importer, application: string, points: number): Promise<string> {
  const items = Array.from({ length: people }, (_, at) => ({ email: `k${at}@a.example`, optimisticBalance: points }))
  const query = new URLSearchParams({ entityName: 'AccountAssignment', application, onDuplicate: 'update' })
  const sent = await api.post(`/v1/imports?${query}`, items)
  expect(sent.status, sent.text).to.equal(202)
  return String(sent.body.id)
}

/** Creates an application in which 2 points wait for all people. @returns its id */
export async function prepareGuests(importer: Importer): Promise<string> {
  const body = { name: 'Guests', features: ['loyalty'], defaultNetwork: 'EthereumAnvil' }
  const named = await importer.api.post('/v1/applications', body)
  expect(named.status, named.text).to.equal(201)
  const application = String(named.body.id)
  await followImport(importer, await sendPoints(importer, application, 2))
  return application
}

/** Counts the people for whom so many points wait, by their points. */
export async function countPoints({ api }: Importer, application: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let page = 1; page <= people / 100; page++) {
    const query = `pageSize=100&currentPage=${page}&filters[application.id][eq]=${application}`
    const { body } = await api.get(`/v1/account-assignments?${query}`)
    for (const { optimisticBalance } of body['data'] as unknown as { optimisticBalance: string }[])
      counts[optimisticBalance] = (counts[optimisticBalance] ?? 0) + 1
    expect(body['total']).to.equal(people)
  }
  return counts
}
