import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import {
  createDrafts,
  expectDone,
  readCertifiedBatch,
  openCertifier,
  startPublishing,
  createWholeBatch,
  type CertifiedBatch,
  type Certifier,
} from '../stage/certificates.ts'
import { keepFigures, roundToHundredths, computeSpread, sumBy } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { outages, type Outage } from './outages.ts'
import { createRandom } from '../../support/values/random.ts'
import { drawBetween } from '../stage/kill-plans.ts'

const count = Number(process.env['TEST_PASSPORTS'] ?? 2_000)
const each = Number(process.env['TEST_OUTAGES'] ?? 3)
const seed = Number(process.env['TEST_SEED'] ?? 20_261_120)
/** Seconds that PostgreSQL is stopped. */
const stopped = 10

const planned: Record<string, Outage> = {
  ...outages,
  'the worker is asked to end': async ({ children: { worker } }) => {
    const { pid } = worker
    if (pid === undefined) throw new Error('there is no worker')
    process.kill(pid, 'SIGTERM')
    await waitUntil('another one runs', () => ![undefined, pid].includes(worker.pid), 30_000)
    await worker.ready()
  },
}

interface Endured {
  away: number
  done: number
  proven: number
  roots: number
  found: CertifiedBatch[]
}
interface Batch {
  sheet: string
  job: string
}

describe(`Certify job during outages: ${count} passports, ${each} times, seed ${seed}`, function () {
  this.bail(true)
  const random = createRandom(seed)
  const batches: Batch[] = []
  const endured = new Map<string, Endured[]>()
  let certifier: Certifier

  before(async () => {
    certifier = await openCertifier()
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier?.platform)
  })

  for (const [what, outage] of Object.entries(planned)) {
    for (let round = 1; round <= each; round++) {
      it(`certifies each passport once when ${what}, ${round}`, async () => {
        const one = await endure(outage, drawBetween(random, 0, 1_500))
        endured.set(what, [...(endured.get(what) ?? []), one])
        process.stdout.write(
          `      away ${roundToHundredths(one.away)} s, job done ${roundToHundredths(one.done)} s later, all proven after ${roundToHundredths(one.proven)} s\n`,
        )
        expect(one.found).to.deep.equal(batches.map(() => createWholeBatch(count)))
      })
    }
  }

  /** Takes a part away while a batch is certified. Resolves when this batch and all before it are right, or after a minute. */
  async function endure(outage: Outage, delay: number): Promise<Endured> {
    const { api, platform } = certifier
    const sheet = await createDrafts(certifier, count)
    const { job } = await startPublishing(api, sheet)
    await sleep(delay)
    expect((await api.get(`/v1/jobs/${job}`)).body['status'], 'the job when the outage begins').to.equal('pending')
    const begin = Date.now()
    await outage(platform, stopped)
    const end = Date.now()
    expectDone(await waitForJobEnd(() => api.get(`/v1/jobs/${job}`)), count)
    const done = Date.now()
    batches.push({ sheet, job })
    const found = await readBatches()
    return {
      away: (end - begin) / 1_000,
      done: (done - end) / 1_000,
      proven: (Date.now() - end) / 1_000,
      roots: batches.length,
      found,
    }
  }

  /** What a node says that has just come back, or that has to be told everything again, does not count yet. */
  async function readBatches(): Promise<CertifiedBatch[]> {
    for (const end = Date.now() + 60_000; ;) {
      const found: CertifiedBatch[] = []
      for (const { sheet, job } of batches) found.push(await readCertifiedBatch(certifier, sheet, job))
      const isRight = found.every((one) => JSON.stringify(one) === JSON.stringify(createWholeBatch(count)))
      if (isRight || Date.now() > end) return found
      await sleep(200)
    }
  }

  it('are kept as figures', () => {
    const all = [...endured.values()].flat()
    expect(all).to.have.length(each * Object.keys(planned).length)
    keepFigures('proof/certify-outages', {
      command: 'npm run test:long -- test/proof/outages/certify-outages.long.ts',
      seed,
      processors: cpus().length,
      passportsEach: count,
      outages: [...endured].map(([outage, times]) => ({
        outage,
        times: times.length,
        secondsAway: computeSpread(times.map(({ away }) => away)),
        secondsUntilJobDone: computeSpread(times.map(({ done }) => done)),
        secondsUntilProven: computeSpread(times.map(({ proven }) => proven)),
        roots: times.at(-1)?.roots,
        rootsTwice: sumBy(times, ({ found }) => sumBy(found, ({ anchors, onChain }) => onChain - anchors)),
        unproven: sumBy(times, ({ found }) => sumBy(found, ({ unproven }) => unproven)),
        wrong: sumBy(times, ({ found }) =>
          sumBy(found, ({ without, twice, wrongEvents }) => without + twice + wrongEvents),
        ),
      })),
    })
  })
}).timeout(600_000)
