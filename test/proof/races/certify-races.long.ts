import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../../core/database/connection.ts'
import { hashContent, parseCertifiedContent } from '../../../core/features/certification/index.ts'
import { createApiClient, type Json } from '../../support/client.ts'
import { countWrongStatusPlaces, insertLargePassports } from '../../support/rows/dpp/certified-passports.ts'
import { countPendingJobsOfTypes } from '../../support/rows/queue/job-records.ts'
import { waitForJobEnd, postUntilAccepted, readUntilAnswered, readAllPages } from '../stage/retried-requests.ts'
import { createDrafts, isProven, openCertifier, type Certifier } from '../stage/certificates.ts'
import { openFleet, type Fleet } from './fleet.ts'

const count = 600

describe('Certify job: publishes, changes and key rotations at once, over two APIs and two workers', () => {
  let fleet: Fleet
  let certifier: Certifier

  before(async () => {
    fleet = await openFleet()
    const db = connectDatabase({ url: fleet.platform.database, name: 'test', maxConnections: 2, withoutTimeouts: true })
    certifier = {
      platform: fleet.platform,
      api: createApiClient(fleet.platform.apiKey, fleet.apis[0]),
      db,
      stop: () => db.destroy(),
    }
  })
  after(async () => {
    await certifier.stop()
    await fleet.stop()
  })

  it('leave each passport with one certificate that says what the passport says, and a receipt of it', async () => {
    const apis = fleet.apis.map((address) => createApiClient(fleet.platform.apiKey, address))
    const [one, other] = [apis[0] ?? certifier.api, apis[1] ?? certifier.api]
    const sheet = await createDrafts(certifier, count)
    const path = `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`
    const ids = (await readAllPages(one, path)).map(({ id }) => String(id))
    const publish = (api: typeof one) =>
      postUntilAccepted(api, `/v1/dpp/passports/publish?filters[product][eq]=${sheet}`)
    const certify = (api: typeof one) =>
      postUntilAccepted(api, `/v1/dpp/passports/certify?filters[product][eq]=${sheet}`)
    const begun = [publish(one), publish(other)]
    const changes = async (api: typeof one, from: number) => {
      for (let at = from; at < ids.length; at += 20) {
        const { status, text } = await api.patch(`/v1/dpp/passports/${ids[at]}`, { fields: { story: `changed ${at}` } })
        expect(status, text).to.equal(200)
      }
    }
    const rest = Promise.all([
      changes(one, 0),
      changes(other, 7),
      changes(other, 14),
      (async () => {
        for (let round = 0; round < 3; round++) {
          begun.push(certify(one), certify(other))
          await one.patch(`/v1/dpp/products/${sheet}`, { name: `Bag ${round}` })
          await other.post('/v1/dpp/certification-key/rotate')
          await sleep(400)
        }
      })(),
    ])
    await rest
    for (const { job } of await Promise.all(begun)) {
      const done = await waitForJobEnd(() => one.get(`/v1/jobs/${job}`))
      expect(done).to.include({ status: 'completed', failed: 0 })
      expect(Number(done['completed'])).to.equal(Number(done['total']))
    }
    expect(await eventuallyNone()).to.equal(0)
    const passports = await readAllPages(one, path)
    expect(passports.filter((row) => String(row['certificationStatus']) !== 'certified')).to.deep.equal([])
    for (const row of passports.filter((_, at) => at % 5 === 0)) await assertCertified(row)
    expect(await countWrongStatusPlaces(certifier.db, ids)).to.deep.equal({ without: 0, shared: 0 })
  })

  async function eventuallyNone(): Promise<number> {
    for (const end = Date.now() + 60_000; ;) {
      const pending = await countPendingJobsOfTypes(certifier.db, ['certify', 'publish'])
      if (pending === 0 || Date.now() > end) return pending
      await sleep(100)
    }
  }

  async function assertCertified({ id, contentHash: statedHash, fields }: Json): Promise<void> {
    const credential = (
      await readUntilAnswered(createApiClient({}, fleet.apis[0]), `/v1/dpp/passports/${String(id)}/vc.jsonld`)
    ).body
    const content = parseCertifiedContent(credential)
    expect(content && hashContent(content)).to.equal(statedHash)
    expect(content?.data).to.deep.equal(fields)
    expect(content?.product['name']).to.equal('Bag 2')
    expect(
      await isProven(
        fleet.platform.rpc,
        (await readUntilAnswered(certifier.api, `/v1/dpp/passports/${String(id)}/anchor`)).body,
      ),
    ).to.equal(true)
  }
}).timeout(300_000)

describe('Certify job: 500 incompressible passports of 240 kB', () => {
  it('are published and certified without a statement that takes too long, in less than 900 MB', async () => {
    const certifier = await openCertifier({ env: {} })
    try {
      const { db, api, platform } = certifier
      const story = Array.from({ length: 7_000 }, () => Math.random().toString(36).slice(2))
        .join(' ')
        .slice(0, 60_000)
      await insertLargePassports(db, platform, { count: 500, text: story })
      const { job } = await postUntilAccepted(api, '/v1/dpp/passports/publish?filters[product.idGranularity][eq]=item')
      const done = await waitForJobEnd(() => api.get(`/v1/jobs/${job}`))
      expect(done['result']).to.deep.equal({
        published: 500,
        skipped: 0,
        certified: 500,
        unchanged: 0,
        nothingToCertify: 0,
        failed: 0,
      })
      expect(platform.lines.filter((line) => line.includes('a run of a job has failed'))).to.deep.equal([])
      const [, kilobytes] =
        /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${platform.children.worker.pid}/status`, 'utf8')) ?? []
      expect(Number(kilobytes)).to.be.lessThan(900_000)
    } finally {
      await certifier.stop()
    }
  })
}).timeout(180_000)
