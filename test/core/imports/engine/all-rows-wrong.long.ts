import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildShop } from '../../../support/world.ts'
import { sendFile } from '../intake/intake.maker.ts'

describe('Import job: a file with an error in every row', function () {
  this.timeout(300_000)

  it('ends its import after a million failed rows, which are told of', async () => {
    const shop = await buildShop()
    const rows = 1_020_000
    const sent = await sendFile(shop, `[${'1,'.repeat(rows - 1)}1]`)
    expect(sent.status, sent.text).to.equal(202)
    const read = async () => (await shop.api.get(`/v1/imports/${sent.body.id}`)).body
    let job = await read()
    while (String(job.status) === 'pending') {
      await sleep(500)
      job = await read()
    }
    expect([String(job.status), job.initError?.['code']]).to.deep.equal(['failed', 'IMPORT_TOO_MANY_ERRORS'])
    expect(Number(job.total)).to.be.above(1_000_000).and.below(rows)
    expect(Number(job.failed)).to.equal(Number(job.total))
    const report = await shop.api.get(`/v1/imports/${sent.body.id}/report`)
    expect(Number(report.body.counts?.['failed'])).to.equal(Number(job.failed))
  })
})
