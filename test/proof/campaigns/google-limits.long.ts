import { cpus } from 'node:os'
import { expect } from 'chai'
import { keepFigures, roundToHundredths } from '../../figures/keep-figures.ts'
import { waitUntil } from '../../support/processes.ts'
import { ageCampaign, hastenCampaigns } from '../../support/rows/loyalty/campaigns.ts'
import { insertCardHolders, listNoticedCards } from '../../support/rows/loyalty/cards.ts'
import { startGoogle, type GoogleStandIn } from '../../support/wallets/google/google.ts'
import type { ShownCampaign, ShownStats } from '../../core/loyalty/campaigns/fixtures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { createCampaign, openCampaignStage, type CampaignStage } from './stage.ts'

const recipients = Number(process.env['TEST_RECIPIENTS'] ?? 2_000)
/** Of them, those whom the campaigns after the first are for, so that the limits of a card do not take an hour. */
const few = Math.min(100, recipients / 2)
/** Source: Google Wallet API, rate limits. */
const allowedPerSecond = 20

const say = (line: string) => process.stdout.write(`      ${line}\n`)

describe(`Campaigns in Google Wallet: ${recipients} recipients within the limits of Google`, function () {
  this.bail(true)
  let google: GoogleStandIn
  let stage: CampaignStage
  let perSecond = 0
  const days: string[] = []

  before(async () => {
    google = await startGoogle()
    stage = await openCampaignStage({
      env: { GOOGLE_WALLET_URL: google.url, GOOGLE_OAUTH_URL: google.tokenUrl, GOOGLE_PAY_KEYS_URL: google.keysUrl },
    })
    const { api, platform, db, keyEncryptionKey } = stage
    const { application, organization } = platform
    const named = await api.patch(`/v1/applications/${application}`, {
      loyaltySettings: { googleWallet: { issuerId: google.issuerId }, frequencyCapPer24h: 10 },
    })
    expect(named.status, named.text).to.equal(200)
    const path = `/v1/applications/${application}/wallet-credentials/google-wallet`
    const set = await api.put(path, { serviceAccount: google.serviceAccount })
    expect(set.status, set.text).to.equal(200)
    const own = { organization, application, keyEncryptionKey, channel: 'google-wallet' } as const
    await insertCardHolders(db, { ...own, count: few, locale: 'it' })
    await insertCardHolders(db, { ...own, count: recipients - few, locale: 'fr' })
    for (const { id } of await listNoticedCards(db, application)) saveCard(`${google.issuerId}.${id}`)
  })
  after(async () => {
    await stage?.stop()
    await google.stop()
  })
  afterEach(function () {
    keepPlatformLines(this, stage?.platform)
  })

  /** Makes a card one that Google knows, and that is on a phone. */
  function saveCard(object: string): void {
    const classId = `${google.issuerId}.${stage.platform.application}`
    google.objects.set(object, { id: object, classId, state: 'ACTIVE', messages: [], hasUsers: true })
  }

  const create = (headline: string, targeting: object = {}) =>
    createCampaign(stage.api, stage.platform.application, { headline, channels: ['google-wallet'], targeting })

  async function send(id: string, meanwhile: () => Promise<unknown> = async () => undefined): Promise<ShownStats> {
    const { api, db } = stage
    const sent = await api.post(`/v1/loyalty/campaigns/${id}/send`, {})
    expect(sent.status, sent.text).to.equal(202)
    await meanwhile()
    await waitUntil(
      'the campaign is sent',
      async () => {
        await hastenCampaigns(db)
        const { body } = await api.get(`/v1/loyalty/campaigns/${id}`)
        return (body as unknown as ShownCampaign).status === 'sent'
      },
      300_000,
    )
    return (await api.get(`/v1/loyalty/campaigns/${id}/stats`)).body as unknown as ShownStats
  }

  const listRateRefusals = () => google.refusals.filter((refusal) => refusal.startsWith('429'))
  const toFew = { locales: ['it'] }

  it('all get the message once, at nearly the rate that Google takes, and no request is too many', async () => {
    const began = performance.now()
    const { deliveries } = await send(await create('To all'))
    const seconds = (performance.now() - began) / 1_000
    perSecond = recipients / seconds
    say(`${recipients} messages in ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)} a second of ${allowedPerSecond}`)
    expect(deliveries).to.deep.include({ pending: 0, sent: recipients, failed: 0, excludedFrequencyCap: 0 })
    expect(google.notices.length).to.equal(recipients)
    expect(listRateRefusals()).to.deep.equal([])
    expect(perSecond).to.be.at.least(0.8 * allowedPerSecond)
  })

  it('a worker that dies on the way sends no message twice, and no request is too many', async () => {
    const { worker } = stage.platform.children
    const { lines } = stage.platform
    const from = lines.length
    const { deliveries } = await send(await create('Second of the day', toFew), async () => {
      worker.arm('campaign.pushed:2')
      const struck = waitForDeath(() => lines.slice(from), 'campaign.pushed')
      await struck.death
      struck.stop()
      await waitUntil('many more are sent', () => google.notices.length >= recipients + few / 2)
      // And once more while requests are on their way.
      if (worker.pid !== undefined) process.kill(worker.pid, 'SIGKILL')
    })
    expect(deliveries).to.deep.include({ pending: 0, sent: few, failed: 0 })
    expect(google.notices.length).to.equal(recipients + few)
    expect(listRateRefusals()).to.deep.equal([])
    expectNoMessageTwice()
  })

  it('a fourth of the day reaches nobody, whatever the cap says, and a day later everybody again', async () => {
    const third = await send(await create('Third of the day', toFew))
    expect(third.deliveries).to.deep.include({ sent: few, excludedFrequencyCap: 0 })
    const fourth = await create('Fourth of the day', toFew)
    const refused = await send(fourth)
    expect(refused.deliveries).to.deep.include({ sent: 0, failed: 0, excludedFrequencyCap: few })
    days.push(`${third.deliveries.sent} third, ${refused.deliveries.sent} fourth`)
    google.advance(86_400_000)
    await ageCampaign(stage.db, fourth, 1)
    const next = await send(await create('First of the next day', toFew))
    expect(next.deliveries).to.deep.include({ sent: few, failed: 0, excludedFrequencyCap: 0 })
    days.push(`${next.deliveries.sent} on the next day`)
    expect(google.refusals.filter((refusal) => /quota/i.test(refusal))).to.deep.equal([])
    expectNoMessageTwice()
  })

  function expectNoMessageTwice(): void {
    for (const [object, { messages }] of google.objects) {
      const ids = messages.map(({ id }) => id)
      expect(new Set(ids).size, object).to.equal(ids.length)
    }
  }

  it('are kept as figures', () => {
    keepFigures('campaigns/google-limits', {
      command: 'npm run test:long -- test/proof/campaigns/google-limits.long.ts',
      processors: cpus().length,
      recipients,
      allowedPerSecond,
      perSecond: roundToHundredths(perSecond),
      refusedForRate: listRateRefusals().length,
      messagesTwice: 0,
      recipientsOfDays: few,
      days,
    })
  })
}).timeout(900_000)
