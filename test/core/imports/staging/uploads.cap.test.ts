import { expect } from 'chai'
import type { ImportJob } from '../../../../core/features/imports/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildOperator } from '../../identity/people.ts'
import { getBody, waitForJob, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createMapper, productRows } from '../intake/intake.maker.ts'

describe('POST /v1/imports: maximum of rows', function () {
  this.timeout(60_000)
  let own: OwnPlatform
  let mapper: string
  before(async () => {
    own = await startPlatform({ env: { IMPORT_CSV_SYNC_ROW_CAP: '1000' } })
    mapper = await createMapper({ api: createApiClient(own.apiKey, own.api), application: own.application })
  })
  after(() => own.stop())

  const send = (raw: string, type: string, more = '') =>
    createApiClient(own.apiKey, own.api).post(
      `/v1/imports?entityName=DppPassport&application=${own.application}&dryRun=true${more}`,
      undefined,
      {
        raw,
        headers: { 'content-type': type },
      },
    )
  /** A table of so many records, each of which has two physical lines. */
  const table = (rows: number) =>
    `ref,name\n${Array.from({ length: rows }, (_, at) => `C-${at},"two\nlines"\n`).join('')}`
  const items = (rows: number) => JSON.stringify(Array.from({ length: rows }, (_, at) => ({ reference: `C-${at}` })))

  it('refuses CSV of more records at once, and keeps nothing of it', async () => {
    expect(formatVerdict(await send(table(1_001), 'text/csv', `&mapperId=${mapper}`))).to.equal(
      '400 IMPORT_ROW_CAP_EXCEEDED',
    )
    const sent = await send(table(1_000), 'text/csv', `&mapperId=${mapper}`)
    expect(sent.status, sent.text).to.equal(202)
    const { body } = await createApiClient(own.apiKey, own.api).get('/v1/imports?filters[name][eq]=batch')
    expect(body.total).to.equal(1)
    const {
      context: { db },
      close,
    } = await buildOperator(own.database)
    expect(await countStagedFiles(db, own.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
    await close()
  })

  it('refuses a table of more records that would be imported, and keeps nothing of it', async () => {
    const api = createApiClient(own.apiKey, own.api)
    const body = { application: own.application, text: table(1_001), mapping: productRows }
    expect((await api.post('/v1/imports/table', { ...body, dryRun: true })).status).to.equal(200)
    expect(formatVerdict(await api.post('/v1/imports/table', body))).to.equal('400 IMPORT_ROW_CAP_EXCEEDED')
    const { context, close } = await buildOperator(own.database)
    expect(await countStagedFiles(context.db, own.organization)).to.deep.equal({ uploads: 0, pieces: 0 })
    await close()
  })

  it('accepts JSON of more rows, and says so in the job', async () => {
    const api = createApiClient(own.apiKey, own.api)
    const sent = await send(items(1_001), 'application/json')
    expect(sent.status, sent.text).to.equal(202)
    await waitForJob(api, `/v1/imports/${sent.body.id}`)
    const job = getBody<ImportJob>(await api.get(`/v1/imports/${sent.body.id}`))
    expect([job.status, job.total, job.initError?.code]).to.deep.equal(['failed', 0, 'IMPORT_ROW_CAP_EXCEEDED'])
  })
})
