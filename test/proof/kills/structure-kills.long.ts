import { expect } from 'chai'
import { startStructureJob } from '../../../core/features/dpp/structure/structure.ts'
import { createApiClient } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'

describe('Structure job: a worker killed between two chunks', () => {
  let own: OwnPlatform | undefined
  after(() => own?.stop())

  it('leaves every passport looked at once, and each failure told once', async () => {
    own = await startPlatform({ faults: { worker: 'unit.between:2' } })
    const { application, lines } = own
    const api = createApiClient(own.apiKey, own.api)
    const { body } = await api.post('/v1/dpp/passports', {
      application,
      product: { idGranularity: 'batch', name: 'B', modelNumber: 'm', batchNumber: 'b' },
    })
    const { context, close } = await buildOperator(own.database)
    const { db } = context
    const { rows } = await db.raw<{ rows: { id: string; organization: string }[] }>(
      `insert into passports (id, organization, application, network, data, product)
       select gen_random_uuid(), organization, application, network, '{}', jsonb_build_object('idGranularity', 'item', 'name', 'I',
         'batchNumber', 'b', 'itemNumber', at::text, 'modelNumber', case at % 130 when 0 then 'other' else 'm' end)
       from passports, generate_series(1, 1300) at where id = ? order by at returning id, organization`,
      [String(body['id'])],
    )
    const organization = rows[0]?.organization ?? ''
    const job = await db.transaction((trx) =>
      startStructureJob(
        trx,
        context,
        organization,
        rows.map(({ id }) => id),
      ),
    )
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
    const states = await db('passports')
      .whereNotNull('structure_job')
      .groupBy('structure_job_status')
      .select('structure_job_status')
      .count({ count: '*' })
      .orderBy('structure_job_status')
    expect(states).to.deep.equal([
      { structure_job_status: 'completed', count: 1_290 },
      { structure_job_status: 'failed', count: 10 },
    ])
    await close()
  })
}).timeout(180_000)
