import { expect } from 'chai'
import { createMintSource } from '../../../support/dpp/jobs.ts'
import { getOperator } from '../../identity/people.ts'
import { waitForJob } from '../passports/fixtures.ts'
import { buildSheet, buildShop } from '../../../support/world.ts'

describe('Event streams (SSE) of a mint job', () => {
  it('read each state of the job and its rows once for all who follow it', async () => {
    const context = await getOperator()
    const shop = await buildShop()
    const sheet = await buildSheet(shop)
    const started = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'F-1' }])
    const job = String(started.body['jobId'])
    await waitForJob(shop.api, `/v1/jobs/${job}`)
    const sources = Array.from({ length: 50 }, () => createMintSource(context, job))
    const stops = sources.map((source) => source.subscribe(() => undefined))
    let statements = 0
    const count = () => {
      statements++
    }
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
