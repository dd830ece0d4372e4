import { expect } from 'chai'
import type { Json } from '../../support/client.ts'
import { readSheetRecords } from '../../support/rows/dpp/certified-passports.ts'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd, readAllPages } from '../stage/retried-requests.ts'
import { createDrafts, openCertifier, startPublishing, type Certifier } from '../stage/certificates.ts'
import { keepPlatformLines } from './kills.ts'
import { waitForDeath } from '../stage/process-deaths.ts'

/** More than two portions of the job. */
const count = 1_100
/** Passports that do not fit the later definitions. */
const unfit = 2

describe('Sheet migration job: a worker killed on the way', () => {
  let certifier: Certifier | undefined
  let sheet = ''

  const open = () => {
    if (!certifier) throw new Error('there is no platform')
    return certifier
  }

  before(async () => {
    certifier = await openCertifier()
    sheet = await createDrafts(certifier, count)
    for (let at = 0; at < unfit; at++) {
      const made = await certifier.api.post('/v1/dpp/passports', {
        product: sheet,
        fields: { serialNumber: `much too long for the second version ${at}` },
      })
      expect(made.status, made.text).to.equal(201)
    }
    const { job } = await startPublishing(certifier.api, sheet)
    const published = await waitForJobEnd(() => open().api.get(`/v1/jobs/${job}`))
    expect(published['result']).to.include({ published: count + unfit, certified: count + unfit })
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier?.platform)
  })

  const definitions = (version: number) => [
    { name: 'serialNumber', type: 'string', required: true, maxLength: 20 },
    { name: 'story', type: 'text' },
    ...Array.from({ length: version - 1 }, (_, at) => ({ name: `chapter${at + 2}`, type: 'string', default: 'told' })),
  ]

  /** How often each list of events, and each number of versions, is there. */
  const found = () => readSheetRecords(open().db, sheet)

  for (const [version, point, nth] of [
    [2, 'migrate.storing', 2],
    [3, 'migrate.stored', 1],
  ] as const) {
    it(`migrates and certifies each passport once after a kill at ${point}`, async () => {
      const {
        api,
        platform: { children, lines },
      } = open()
      const { pid } = children.worker
      const from = lines.length
      children.worker.arm(`${point}:${nth}`)
      const struck = waitForDeath(() => lines.slice(from), point)
      const certifiedPaths = definitions(version).map(({ name }) => name)
      const started = await api.patch(`/v1/dpp/products/${sheet}`, {
        passportsFields: definitions(version),
        certifiedPaths,
        migrate: true,
      })
      expect(started.status, started.text).to.equal(202)
      const done = await waitForJobEnd(() => api.get(String(started.headers['location'])))
      expect(done).to.deep.include({ status: 'completed', total: count + unfit, completed: count, failed: unfit })
      expect(done['result']).to.deep.equal({ migrated: count, changed: count, recertified: count, failed: unfit })
      expect(
        (done['errors'] as unknown as Json[]).map(({ path, code }) => `${String(path)} ${String(code)}`),
      ).to.deep.equal(Array.from({ length: unfit }, () => 'fields.serialNumber max_length'))
      expect((await struck.death).pid).to.equal(pid)
      struck.stop()
      await waitUntil('every certificate stands again', async () => (await found()).uncertified === 0, 60_000)
      const again = ' update update'.repeat(version - 1)
      expect(await found()).to.deep.equal({
        versions: { 1: unfit, [version]: count },
        credentials: { 1: unfit, [version]: count },
        uncertified: 0,
        events: { 'create publish update': unfit, [`create publish update${again}`]: count },
      })
      const listed = await readAllPages(api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`)
      const migratedPassports = listed.filter(
        ({ fields }) => (fields as unknown as Json)[`chapter${version}`] === ('told' as unknown),
      )
      expect(migratedPassports.length).to.equal(count)
    })
  }
}).timeout(240_000)
