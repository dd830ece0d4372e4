import { expect } from 'chai'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { signIn } from '../stage/buyers.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { keepPlatformLines } from '../kills/kills.ts'

const people = 5

describe('Job that ranks the accounts of an application: a worker killed on the way', () => {
  let platform: OwnPlatform | undefined
  let api: Client

  const open = () => {
    if (!platform) throw new Error('there is no platform')
    return platform
  }

  before(async () => {
    platform = await startPlatform({ env: { TESSERA_FAULT: 'none' }, keeperDelays: { maxMs: 200 } })
    api = createApiClient(platform.apiKey, platform.api)
    for (let at = 0; at < people; at++) await signIn(platform, `rank-${at}@people.example`)
  })
  after(() => platform?.stop())
  afterEach(function () {
    keepPlatformLines(this, platform)
  })

  /** The tiers that the list of accounts shows, by how many accounts have them. */
  async function countTiers(): Promise<Record<string, number>> {
    const path = `/v1/accounts?pageSize=100&filters[application.id][eq]=${open().application}`
    const data = (await api.get(path)).body['data'] as unknown as { loyalty: { rewardTier: Json | null } }[]
    return Object.fromEntries(
      [...Map.groupBy(data, ({ loyalty }) => String(loyalty.rewardTier?.['name'] ?? 'none'))].map(([name, own]) => [
        name,
        own.length,
      ]),
    )
  }

  for (const [name, requiredVisits, point] of [
    ['Base', 0, 'rank.storing'],
    ['none', 5, 'unit.between'],
  ] as const) {
    it(`gives every account the tier ${name} after a kill at ${point}`, async () => {
      const { children, lines } = open()
      const total = Object.values(await countTiers()).reduce((sum, count) => sum + count, 0)
      expect(total).to.be.at.least(people)
      const from = lines.length
      children.worker.arm(`${point}:1`)
      const struck = waitForDeath(() => lines.slice(from), point)
      const path = '/v1/loyalty/reward-tiers'
      const [tier] = (await api.get(path)).body['data'] as unknown as { id: string }[]
      const changed = tier
        ? await api.patch(`${path}/${tier.id}`, { requiredVisits })
        : await api.post(path, { application: open().application, name, requiredVisits, currencyToPointRatio: 1 })
      expect(changed.status, changed.text).to.be.oneOf([200, 201])
      await struck.death
      struck.stop()
      await waitUntil('every account has the tier', async () => (await countTiers())[name] === total)
    })
  }
}).timeout(240_000)
