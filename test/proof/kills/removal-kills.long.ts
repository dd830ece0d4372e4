import { expect } from 'chai'
import { waitForJobEnd, readAllPages } from '../stage/retried-requests.ts'
import { createDrafts, openCertifier, type Certifier } from '../stage/certificates.ts'
import { keepPlatformLines } from './kills.ts'
import { waitForDeath } from '../stage/process-deaths.ts'

/** More than two portions of the job. */
const count = 1_100

const kills = [
  { step: 'delete', word: 'deleted', event: 'delete', left: 0, point: 'remove.storing', nth: 2 },
  { step: 'delete', word: 'deleted', event: 'delete', left: 0, point: 'unit.between', nth: 1 },
  { step: 'archive', word: 'archived', event: 'update', left: count, point: 'remove.storing', nth: 2 },
] as const

describe('Jobs that delete or archive many passports: a worker killed on the way', () => {
  let certifier: Certifier | undefined

  const open = () => {
    if (!certifier) throw new Error('there is no platform')
    return certifier
  }

  before(async () => {
    certifier = await openCertifier()
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier?.platform)
  })

  for (const { step, word, event, left, point, nth } of kills) {
    it(`${step}s each passport once, with one event, after a kill at ${point}`, async () => {
      const {
        api,
        platform: { children, lines },
      } = open()
      const sheet = await createDrafts(open(), count)
      const listed = await readAllPages(api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`)
      const ids = new Set(listed.map(({ id }) => id))
      const { pid } = children.worker
      const from = lines.length
      children.worker.arm(`${point}:${nth}`)
      const struck = waitForDeath(() => lines.slice(from), point)
      const started = await api.post(`/v1/dpp/passports/${step}?filters[product][eq]=${sheet}`)
      expect(started.status, started.text).to.equal(202)
      const done = await waitForJobEnd(() => api.get(String(started.headers['location'])))
      expect(done).to.deep.include({ status: 'completed', total: count, completed: count, failed: 0 })
      expect(done['result']).to.deep.equal({ [word]: count, skipped: 0 })
      expect((await struck.death).pid).to.equal(pid)
      struck.stop()
      const after = await readAllPages(api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`)
      expect(after.filter(({ status }) => status === 'archived').length).to.equal(left)
      expect(after.length).to.equal(left)
      const events = await readAllPages(api, `/v1/events?filters[type][eq]=${event}&pageSize=100`)
      const subjects = events
        .map(({ passport }) => (passport as unknown as { id: string }).id as never)
        .filter((id) => ids.has(id))
      expect([subjects.length, new Set(subjects).size]).to.deep.equal([count, count])
    })
  }
}).timeout(240_000)
