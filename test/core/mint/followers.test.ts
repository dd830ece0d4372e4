import { expect } from 'chai'
import { jobEvents, type JobRow } from '../../../core/features/jobs/index.ts'
import { sharedMintView } from '../../../core/features/dpp/mint.status.ts'
import { operator } from '../identity/people.ts'
import { ended, newSheet, newShop } from '../passports/fixtures.ts'

describe('streams of a mint job', () => {
  it('read each state of the job and its rows once for all who follow it', async () => {
    const context = await operator()
    const shop = await newShop()
    const sheet = await newSheet(shop)
    const started = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'F-1' }])
    const job = String(started.body['jobId'])
    await ended(shop.api, `/v1/jobs/${job}`)
    const sources = Array.from({ length: 50 }, () =>
      jobEvents(context, job, (row: JobRow) => sharedMintView(context.db, row, {})))
    const stops = sources.map((source) => source.subscribe(() => undefined))
    let statements = 0
    const count = () => { statements++ }
    context.db.on('query', count)
    const states = await Promise.all(sources.map((source) => source.read()))
    context.db.off('query', count)
    stops.forEach((stop) => stop())
    expect(statements, 'statements').to.equal(2)
    for (const state of states) {
      expect(state?.value).to.include({ id: job, status: 'completed' })
      expect((state?.value as { results: unknown[] }).results).to.have.length(1)
    }
  })
})
