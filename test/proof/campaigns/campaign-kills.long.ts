import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { computeSpread, keepFigures, sumBy } from '../../figures/keep-figures.ts'
import { ageCampaign, countSending, countSlices, hastenCampaigns } from '../../support/rows/loyalty/campaigns.ts'
import { addSecondPhones, insertCardHolders, listNoticedCards } from '../../support/rows/loyalty/cards.ts'
import { waitUntil } from '../../support/processes.ts'
import { createRandom } from '../../support/values/random.ts'
import type { ShownCampaign } from '../../core/loyalty/campaigns/fixtures.ts'
import { readServerTime } from '../../support/database/server-activity.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { longOutages, outages } from '../outages/outages.ts'
import { postUntilAccepted, readUntilAnswered } from '../stage/retried-requests.ts'
import { campaignPoints, hauntWorkers, type WorkerKill } from './haunting.ts'
import {
  countByAccount,
  countMostInADay,
  countNoticesSince,
  isNoted,
  isSent,
  judgeCampaign,
  type CampaignOutcome,
} from './judge.ts'
import { openPhones, type AwakePhone } from './phones.ts'
import {
  createApplication,
  createCampaign,
  openCampaignStage,
  prepareApplication,
  type CampaignStage,
} from './stage.ts'

const seed = Number(process.env['TEST_SEED'] ?? 20_261_129)
const wanted = Number(process.env['TEST_KILLS'] ?? 200)
/** Every outage has its round. */
const minRounds = 3
/** The round in which the clock goes back: what is scheduled then waits an hour longer, as it should. */
const clockRound = 1
const people = 24

/** An application, how many customers it has, the cap of its cards, and the campaigns of one round. */
interface Programme {
  application: string
  cap: number
  campaigns: readonly Record<string, unknown>[]
  accounts: string[]
}

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Campaigns: three workers killed ${wanted} times while they are sent, seed ${seed}`, function () {
  this.bail(true)
  const random = createRandom(seed)
  const kills: WorkerKill[] = []
  const found = {
    campaigns: 0,
    deliveries: 0,
    sent: 0,
    fetched: 0,
    failed: 0,
    excluded: 0,
    held: 0,
    replaced: 0,
    resumed: 0,
  }
  let rounds = 0
  let shown = 0
  let stage: CampaignStage
  let phones: AwakePhone[] = []
  let programmes: Programme[] = []

  before(async () => {
    stage = await openCampaignStage({ workers: 3 })
    const { api, platform } = stage
    await prepareApplication(api, platform.application, { frequencyCapPer24h: 2 })
    const second = await createApplication(api, { frequencyCapPer24h: 3 })
    programmes = [
      {
        application: platform.application,
        cap: 2,
        campaigns: [{}, { targeting: { holdoutPercent: 10 } }, {}, {}],
        accounts: await addHolders(platform.application, 2_400, 600),
      },
      { application: second, cap: 3, campaigns: [{}, {}], accounts: await addHolders(second, 1_600, 0) },
    ]
    phones = await openPhones(stage, people)
  })
  after(() => stage?.stop())
  afterEach(function () {
    keepPlatformLines(this, stage?.platform)
  })

  async function addHolders(application: string, count: number, withTwo: number): Promise<string[]> {
    const { db, keyEncryptionKey, platform } = stage
    const own = { organization: platform.organization, application, keyEncryptionKey }
    const accounts = await insertCardHolders(db, { ...own, count, channel: 'apple-wallet' })
    await addSecondPhones(db, accounts.slice(0, withTwo))
    return accounts
  }

  it('send each message once to each card, and no card more than its cap, whatever dies', async () => {
    for (; rounds < minRounds || kills.length < wanted; rounds++) {
      const limit = rounds < minRounds ? Math.ceil((wanted * (rounds + 1)) / minRounds) : wanted
      const seconds = await playRound(limit)
      say(`round ${rounds + 1}, ${seconds} s: ${kills.length} kills, ${found.sent} sent of ${found.deliveries}`)
    }
    expect(await countSlices(stage.db), 'slices that are left').to.equal(0)
  })

  async function playRound(limit: number): Promise<number> {
    const { db, apns } = stage
    const began = performance.now()
    const startedAt = (await readServerTime(db)).getTime() - (rounds === clockRound ? 3_700_000 : 0)
    const before = new Map([...apns.tokens].map(([token, { pushes, quiet }]) => [token, pushes - quiet]))
    const cardsBefore = await Promise.all(programmes.map(({ application }) => listNoticedCards(db, application)))
    const spoken = phones.map(({ device }) => device.notifications.length)
    let isOver = false
    const trouble = Promise.all([
      hauntWorkers({
        ...stage,
        lines: stage.platform.lines,
        random,
        isOver: () => isOver || kills.length >= limit,
        isSending: async () => (await countSending(db)) > 0,
        onKill: (kill) => kills.push(kill),
      }),
      breakPushes(() => isOver),
    ])
    const campaigns = await Promise.all(programmes.map(startCampaigns))
    const outage = suffer(rounds)
    await awaitSent(campaigns.flat()).finally(() => (isOver = true))
    await Promise.all([trouble, outage])
    for (const phone of phones) await phone.settle()
    for (const [at, programme] of programmes.entries()) {
      const outcomes: CampaignOutcome[] = []
      for (const id of campaigns[at] ?? []) outcomes.push(await judgeCampaign(stage.api, id))
      count(outcomes)
      const tokens = new Map(cardsBefore[at]!.map((card) => [card.account, card.tokens]))
      await judgeCards(programme, { outcomes, startedAt, tokens, before })
      if (at === 0) judgePhones(programme, outcomes, spoken)
      await ageCampaign(db, outcomes[0]!.id, 2)
    }
    return Math.round((performance.now() - began) / 1_000)
  }

  /** Starts the campaigns of a round, as close together as requests can; every third one is scheduled. */
  async function startCampaigns({ application, campaigns }: Programme): Promise<string[]> {
    const { api } = stage
    const ids: string[] = []
    for (const [at, more] of campaigns.entries())
      ids.push(await createCampaign(api, application, { headline: `Round ${rounds} campaign ${at}`, ...more }))
    await Promise.all(
      ids.map(async (id, at) => {
        const sendAt = new Date((await readServerTime(stage.db)).getTime() + 1_500).toISOString()
        const isScheduled = at % 3 === 2 && rounds !== clockRound
        const [verb, body] = isScheduled ? ['schedule', { sendAt }] : ['send', {}]
        await postUntilAccepted(api, `/v1/loyalty/campaigns/${id}/${String(verb)}`, body)
      }),
    )
    return ids
  }

  /** Waits until campaigns are sent, and resumes those that are stranded, as their owner would. */
  async function awaitSent(ids: readonly string[]): Promise<void> {
    const { api, db } = stage
    const read = async (id: string) =>
      (await readUntilAnswered(api, `/v1/loyalty/campaigns/${id}`)).body as unknown as ShownCampaign
    let left = [...ids]
    await waitUntil(
      'all campaigns are sent',
      async () => {
        await hastenCampaigns(db)
        const states = await Promise.all(left.map(read))
        for (const { id, isStranded } of states)
          if (isStranded) {
            await postUntilAccepted(api, `/v1/loyalty/campaigns/${id}/resume`, {})
            found.resumed++
          }
        left = states.filter(({ status }) => status !== 'sent').map(({ id }) => id)
        await sleep(300)
        return left.length === 0
      },
      280_000,
    )
  }

  /** Lets the push service fail now and then, and ends a few tokens. */
  async function breakPushes(isOver: () => boolean): Promise<void> {
    const { apns } = stage
    const own = new Set(phones.map(({ device }) => device.pushToken))
    const tokens = (await listNoticedCards(stage.db, programmes[0]!.application))
      .flatMap((card) => card.tokens)
      .filter((token) => !own.has(token))
    for (let at = 0; !isOver(); at++) {
      const fault = (['throttle', 'unavailable', 'goaway', 'drop', 'refuse'] as const)[at % 5]!
      apns.fail(fault, fault === 'drop' || fault === 'goaway' ? 1 : 5)
      const token = tokens[Math.floor(random() * tokens.length)]
      if (at % 4 === 0 && token !== undefined) apns.endToken(token, new Date(Date.now() + 60_000))
      await sleep(400 + random() * 800)
    }
  }

  async function suffer(round: number): Promise<void> {
    await sleep(1_500)
    if (round === 0) await longOutages['Redis is stopped'](stage.platform, 4)
    if (round === clockRound) await stage.putClock(-3_600)
    if (round === 2) await outages['Redis is killed, and loses all that it knew'](stage.platform)
  }

  function count(outcomes: readonly CampaignOutcome[]): void {
    const lines = outcomes.flatMap(({ deliveries }) => deliveries)
    const countStatus = (wantedStatus: string) => lines.filter(({ status }) => status === wantedStatus).length
    found.campaigns += outcomes.length
    found.deliveries += lines.length
    found.sent += lines.filter(isSent).length
    found.fetched += countStatus('fetched')
    found.failed += countStatus('failed')
    found.excluded += countStatus('excluded')
    found.held += sumBy(outcomes, ({ stats }) => stats.holdout?.size ?? 0)
  }

  interface RoundView {
    outcomes: readonly CampaignOutcome[]
    startedAt: number
    tokens: ReadonlyMap<string, string[]>
    /** How often each token was notified before. */
    before: ReadonlyMap<string, number>
  }

  /** Compares the cards and the record of the push service with what the campaigns say of themselves. */
  async function judgeCards(
    { application, cap }: Programme,
    { outcomes, startedAt, tokens, before }: RoundView,
  ): Promise<void> {
    const noted = countByAccount(outcomes, isNoted)
    const sent = countByAccount(outcomes, isSent)
    const capped = countByAccount(outcomes, ({ reason }) => reason === 'frequency_cap')
    const cards = await listNoticedCards(stage.db, application)
    const wrong: string[] = []
    const alerts = (token: string) => {
      const { pushes, quiet } = stage.apns.tokens.get(token) ?? { pushes: 0, quiet: 0 }
      return pushes - quiet - (before.get(token) ?? 0)
    }
    for (const card of cards) {
      const has = countNoticesSince(card, startedAt)
      const { account } = card
      if (has > cap || countMostInADay(card) > cap) wrong.push(`${account} was notified ${has} times`)
      // A message that a newer one replaced before a phone fetched it is pushed to nobody, and counts for the cap.
      const replaced = has - (noted.get(account) ?? 0)
      if (replaced < 0 || replaced > (capped.get(account) ?? 0)) wrong.push(`${account} has ${has} messages`)
      found.replaced += replaced
      if (replaced === 0 && capped.has(account) && has !== cap) wrong.push(`${account} was left out after ${has}`)
      const pushes = sumBy(tokens.get(account) ?? [], alerts)
      if (pushes < (sent.get(account) ?? 0)) wrong.push(`${account} was pushed ${pushes} of ${sent.get(account)} times`)
    }
    expect(wrong.slice(0, 20), `${wrong.length} cards`).to.deep.equal([])
  }

  /** What a phone showed: no message twice, not more than the cap, and all of it counts as fetched. */
  function judgePhones({ cap }: Programme, outcomes: readonly CampaignOutcome[], spoken: readonly number[]): void {
    const fetched = countByAccount(outcomes, ({ status }) => status === 'fetched')
    for (const [at, { account, device }] of phones.entries()) {
      const texts = device.notifications.slice(spoken[at])
      shown += texts.length
      expect(texts.length, texts.join()).to.be.within(1, cap)
      expect(fetched.get(account), 'fetched').to.be.at.least(texts.length)
      expect(new Set(device.notifications).size, 'no message twice').to.equal(device.notifications.length)
    }
  }

  it('are kept as figures', () => {
    expect(kills.length).to.be.at.least(wanted)
    const points = [...campaignPoints, null].map((point) => {
      const own = kills.filter((kill) => kill.point === point)
      return {
        point: point ?? 'at any moment',
        kills: own.length,
        backSeconds: computeSpread(own.map((one) => one.seconds)),
      }
    })
    for (const { point, kills: times } of points) {
      say(`${point}: ${times} kills`)
      if (wanted >= 50) expect(times, point).to.be.greaterThan(0)
    }
    const figures = { rounds, ...found, phones: phones.length, shown }
    say(JSON.stringify(figures))
    keepFigures('campaigns/campaign-kills', {
      command: 'npm run test:long -- test/proof/campaigns/campaign-kills.long.ts',
      seed,
      processors: cpus().length,
      kills: kills.length,
      ...figures,
      overCap: 0,
      twice: 0,
      forgotten: 0,
      points,
    })
  })
}).timeout(1_800_000)
