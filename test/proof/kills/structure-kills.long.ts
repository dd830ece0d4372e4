import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { startStructure } from '../../support/dpp/jobs.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { countStructureStates } from '../../support/rows/dpp/counted-passports.ts'
import { insertProductPassports } from '../../support/rows/dpp/new-passports.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'

describe('Structure job: a worker killed between two chunks', () => {
  let own: OwnPlatform | undefined
  after(() => own?.stop())

  it('leaves every passport looked at once, and each failure told once', async () => {
    own = await startPlatform({ faults: { worker: 'unit.between:2' } })
    const { organization, application, lines } = own
    const api = createApiClient(own.apiKey, own.api)
    await api.post('/v1/dpp/passports', {
      application,
      product: { idGranularity: 'batch', name: 'B', modelNumber: 'm', batchNumber: 'b' },
    })
    const { context, close } = await buildOperator(own.database)
    const { db } = context
    const items = Array.from({ length: 1_300 }, (_, at) => ({
      idGranularity: 'item',
      name: 'I',
      batchNumber: 'b',
      itemNumber: String(at + 1),
      modelNumber: (at + 1) % 130 === 0 ? 'other' : 'm',
    }))
    const passports = await insertProductPassports(db, { organization, application }, items)
    const job = await startStructure(context, organization, passports)
    const { status, total, completed, failed, errors, result } = await waitForJob(api, `/v1/jobs/${job}`)
    expect(lines.some((line) => line.includes('"struck"') && line.includes('structure'))).to.equal(true)
    expect({ status, total, completed, failed, result }).to.deep.equal({
      status: 'completed',
      total: 1_300,
      completed: 1_290,
      failed: 10,
      result: { linked: 0, unlinked: 1_290 },
    })
    expect(errors.map(({ line }) => line)).to.deep.equal(Array.from({ length: 10 }, (_, at) => at * 130 + 129))
    expect(await countStructureStates(db)).to.deep.equal({ completed: 1_290, failed: 10 })
    await close()
  })
}).timeout(180_000)
