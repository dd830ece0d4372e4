import { expect } from 'chai'
import { countPieces } from '../../../support/rows/imports/uploads.ts'
import { hosts, startTestSources, type TestSources } from './sources.ts'

describe('POST /v1/import/mappers/{id}/run: a slow source', function () {
  this.timeout(180_000)
  let sources: TestSources
  before(async () => {
    sources = await startTestSources()
  })
  after(() => sources.stop())

  it('ends after the limits of time, whether nothing, a head or half a body came, and leaves nothing', async () => {
    sources.routes['/never'] = () => undefined
    sources.routes['/head'] = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/csv' }).flushHeaders()
    sources.routes['/half'] = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/csv' }).write('ref,name\nA,B\n')
    const took = await Promise.all(
      [`${hosts.good}/never`, `${hosts.good}/head`, `${hosts.good}/half`, `${hosts.silent}/`].map(async (at) => {
        const began = Date.now()
        const job = await sources.make(`https://${at}`).then(async ({ id }) => {
          const { body } = await sources.api.post(`/v1/import/mappers/${id}/run`)
          for (;;) {
            const found = await sources.ended(String(body.jobId)).catch((cause: Error) => cause)
            if (!(found instanceof Error)) return found
          }
        })
        expect([job.status, job.initError?.code, job.total], at).to.deep.equal(['failed', 'IMPORT_SOURCE_TIMEOUT', 0])
        return Date.now() - began
      }),
    )
    for (const one of took.slice(0, 3)) expect(one).to.be.within(29_000, 45_000)
    expect(took[3]).to.be.within(9_000, 25_000)
    expect(await countPieces(sources.db)).to.equal(0)
  })
})
