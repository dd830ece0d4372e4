import { loadavg, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ContextHandle } from '../../../core/app/context.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { startNode, type AnvilNode } from '../../support/node.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { countPendingJobs } from '../../support/rows/queue/job-rows.ts'
import { waitUntil } from '../../support/processes.ts'
import { signIn } from '../stage/buyers.ts'
import { keepFigures } from '../../figures/keep-figures.ts'
import type { FloodFigures, FloodName } from './floods.ts'
import { createNeighbour, type Neighbour } from './neighbours.ts'
import { startNoise } from './noisy-process.ts'
import { createCertified, createClaimable, openProbes, probeNames, type ProbeName } from './probes.ts'

/** Samples of the probes that take longest; of the others there are more. So many that a p99 is not the worst of them. */
const samples = Number(process.env['TEST_SAMPLES'] ?? 100)
/** What is promised: so many times the time alone, and so many milliseconds. */
const bound = { times: 1.5, milliseconds: 250 }

const floodWords: Record<FloodName, string> = {
  jobs: '1,500 jobs',
  tokens: '24,000 tokens in mints',
  streams: '3,000 streams',
  uploads: '100 uploads',
  verifications: '30 hostile verifications a second',
}

type Times = Record<ProbeName, number[]>
interface Measured {
  p50: number
  p99: number
  samples: number
}

const say = (line: string) => process.stdout.write(`      ${line}\n`)
const load = () =>
  loadavg()
    .map((each) => each.toFixed(2))
    .join(' ')

describe('Fairness: an organization beside one that floods the platform', function () {
  this.timeout(3_600_000)
  const wanted = (process.env['TEST_FLOODS'] ?? Object.keys(floodWords).join(',')).split(',') as FloodName[]
  const measured = new Map<FloodName, { times: Record<ProbeName, Measured>; flood: FloodFigures; load: string }>()
  let node: AnvilNode
  let platform: OwnPlatform
  let operator: ContextHandle
  let a: Neighbour
  let b: Neighbour
  let alone: Record<ProbeName, Measured>
  let credential: string
  let probes: ReturnType<typeof openProbes>

  before(async () => {
    // The node of the platform saves its state now and then and answers nobody meanwhile, which no public node does. States of
    // earlier blocks would fill the disk.
    node = await startNode()
    // Limits of requests as they are where nothing is set.
    platform = await startPlatform({
      env: { ANVIL_RPC_URL: node.url, RATE_LIMIT_KEY_PER_MINUTE: '6000', RATE_LIMIT_ADDRESS_PER_MINUTE: '1200' },
    })
    operator = await buildOperator(platform.database)
    a = await createNeighbour(platform, operator)
    b = await createNeighbour(platform, operator)
    const buyer = await signIn({ ...platform, application: b.application }, 'buyer@people.example')
    const tokens = await createClaimable(b, operator, (wanted.length + 2) * samples * 2)
    credential = await createCertified(b, platform.api)
    probes = openProbes({ b, base: platform.api, buyer, tokens, credential })
  })
  after(async () => {
    await probes?.close()
    await operator?.close()
    await platform?.stop()
    await node?.stop()
  })

  it('works alone', async () => {
    await measure(5)
    alone = figuresOf(await measure(samples))
    say(`alone, load ${load()}: ${wordsOf(alone)}`)
  })

  for (const name of wanted) {
    it(`works beside ${floodWords[name]}`, async () => {
      const flood = startNoise({
        name,
        a,
        base: platform.api,
        credential: JSON.parse(credential) as Record<string, unknown>,
      })
      let figures: FloodFigures | undefined
      const times = await flood.atFullRate
        .then(() => measure(samples))
        .then(figuresOf)
        .finally(async () => {
          figures = await flood.stop()
        })
      if (!figures) throw new Error('The flood did not say what came of it')
      measured.set(name, { times, flood: figures, load: load() })
      say(
        `beside ${floodWords[name]}, load ${load()}: ${wordsOf(times)}; it was answered ${JSON.stringify(figures.answers)}`,
      )
      await calm()
    })
  }

  it('keeps the figures', () => {
    expect(measured.size).to.equal(wanted.length)
    keepFigures('proof/noisy-neighbour', {
      command: 'npm run test:long -- test/proof/large/noisy-neighbour.long.ts',
      processors: cpus().length,
      bound,
      alone,
      floods: [...measured].map(([name, { times, flood, load: then }]) => ({
        flood: floodWords[name],
        load: then,
        answers: flood.answers,
        probes: probeNames.map((probe) => ({ probe, ...times[probe], limit: limitOf(probe) })),
      })),
    })
  })

  const limitOf = (probe: ProbeName) => Math.round(bound.times * alone[probe].p99 + bound.milliseconds)

  const wordsOf = (times: Record<ProbeName, Measured>) =>
    probeNames
      .map((probe) => {
        const { p50, p99, samples: count } = times[probe]
        const verdict =
          alone === undefined || times === alone ? '' : p99 <= limitOf(probe) ? ' good' : ` MISSED ${limitOf(probe)}`
        return `${probe} ${p50} / ${p99} ms of ${count}${verdict}`
      })
      .join(', ')

  /** All probes beside each other, until the slowest has its samples. The quick ones rest in between, as people do. */
  async function measure(count: number): Promise<Times> {
    const times: Times = { 'one-row mint': [], claim: [], verify: [], list: [] }
    const isDone = () => times['one-row mint'].length >= count && times.claim.length >= count
    const probeRepeatedly = async (probe: ProbeName, rest: number, maxProbes: number) => {
      while ((times[probe].length < count || !isDone()) && times[probe].length < maxProbes) {
        const began = performance.now()
        await probes[probe]()
        times[probe].push(performance.now() - began)
        await sleep(rest)
      }
    }
    await Promise.all([
      probeRepeatedly('one-row mint', 50, 2 * count),
      probeRepeatedly('claim', 50, count),
      probeRepeatedly('verify', 100, Infinity),
      probeRepeatedly('list', 100, Infinity),
    ])
    return times
  }

  /** Waits until nothing of A is left to do, so that the next flood comes alone. */
  async function calm(): Promise<void> {
    await waitUntil(
      'the jobs of A end',
      async () => (await countPendingJobs(operator.context.db, a.organization)) === 0,
      900_000,
    )
  }
})

function figuresOf(times: Times): Record<ProbeName, Measured> {
  return Object.fromEntries(
    probeNames.map((probe) => {
      const sorted = times[probe].toSorted((one, other) => one - other)
      const at = (share: number) => Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
      return [probe, { p50: at(0.5), p99: at(0.99), samples: sorted.length }]
    }),
  ) as Record<ProbeName, Measured>
}
