import { expect } from 'chai'
import { countPoints, people, prepareGuests, sendPoints } from '../stage/assignments.ts'
import { followImport, isRising, openImporter, type Importer } from '../stage/imports.ts'

describe('Import job of assignments: a worker killed on the way', () => {
  let importer: Importer
  before(async () => {
    importer = await openImporter()
  })
  after(() => importer.stop())

  it('adds the points of each row once', async () => {
    const application = await prepareGuests(importer)
    const { worker } = importer.platform.children
    const { pid } = worker
    worker.arm('import.storing:2')
    const job = await sendPoints(importer, application, 3)
    const progress = await followImport(importer, job)
    await worker.ready()
    expect(worker.pid, 'the worker died').not.to.equal(pid)
    const { body } = await importer.api.get(`/v1/imports/${job}/report`)
    expect(body['counts']).to.deep.equal({ created: 0, updated: people, skipped: 0, failed: 0 })
    expect(isRising(progress), progress.join(' ')).to.equal(true)
    expect(await countPoints(importer, application)).to.deep.equal({ 5: people })
  })
}).timeout(180_000)
