import { expect } from 'chai'
import {
  ageCampaign,
  loseCampaignJob,
  putCampaignInState,
  readCardPushes,
  readPushTokens,
} from '../../../support/rows/loyalty/campaigns.ts'
import { waitUntil } from '../../../support/processes.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import { daysAgo, visit } from '../visits/visits.maker.ts'
import {
  act,
  addHolders,
  content,
  createDraft,
  doAct,
  path,
  preview,
  readCampaign,
  readStats,
  runCampaignUpkeep,
  sendNew,
  waitForState,
} from './fixtures.ts'

const nothing = { pending: 0, sent: 0, failed: 0, excludedFrequencyCap: 0, excludedOptOut: 0 }

describe('Sending a campaign', () => {
  let shop: Shop
  let accounts: string[]
  beforeEach(async () => {
    shop = await buildShop()
    accounts = await addHolders(shop, 12)
  })

  const readPushes = async (ids = accounts) => {
    const { db } = await getOperator()
    return readCardPushes(db, await readPushTokens(db, ids))
  }

  it('reaches each customer of the audience once, as many as the preview says, and says what came of it', async () => {
    expect(await preview(shop)).to.deep.equal({
      matching: 12,
      reachableNow: 12,
      withheld: 0,
      fullAvailabilityAt: null,
    })
    const { id } = await createDraft(shop)
    expect((await readStats(shop.api, id)).deliveries).to.deep.equal(nothing)
    const started = await doAct(shop.api, id, 'send')
    expect(started).to.include({ status: 'sending', audienceSize: 12, scheduledImmediately: false, sendAt: null })
    const sent = await waitForState(shop.api, id, 'sent')
    expect(sent).to.include({ audienceSize: 12, isStranded: false, finishedAt: null })
    const job = await shop.api.get(`/v1/jobs/${started.jobId ?? ''}`)
    expect(job.body).to.include({ status: 'completed', total: 12, completed: 12, failed: 0, type: 'campaign' })
    const pushes = await readPushes()
    expect(pushes.length).to.equal(12)
    expect(new Set(pushes.map(({ text }) => text))).to.deep.equal(new Set([`${content.headline}\n${content.body}`]))
    expect(await readStats(shop.api, id)).to.deep.equal({
      deliveries: { ...nothing, sent: 12 },
      recipientsNotified: 12,
      recipientsVisited: 0,
      conversionRate: 0,
      holdout: null,
      lift: null,
    })
  })

  it('says before, with dryRun, whom it would reach, and stores nothing', async () => {
    const { id } = await createDraft(shop, { targeting: { holdoutPercent: 25 } })
    const before = await readCampaign(shop.api, id)
    const answer = await shop.api.post(`${path}/${id}/send?dryRun=true`, {})
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.deep.include({ matched: 12, willChange: 9, samples: [{ id, name: 'Autumn' }] })
    expect(answer.body['skipped']).to.deep.equal([{ reason: 'Held back to compare with.', count: 3 }])
    expect(await readCampaign(shop.api, id)).to.deep.equal(before)
  })

  it('finishes at once for nobody, and refuses a draft without text or wallet', async () => {
    const nobody = await sendNew(shop, { targeting: { minPoints: 1_000 } })
    expect(nobody).to.include({ status: 'finished', audienceSize: 0 })
    expect(nobody.finishedAt).to.be.a('string')
    expect(nobody.jobId).to.equal(undefined)
    const bare = await createDraft(shop, { content: null })
    const verdicts = [
      formatVerdict(await act(shop.api, bare.id, 'send')),
      formatVerdict(await act(shop.api, bare.id, 'schedule', { sendAt: daysAhead(1) })),
    ]
    const google = await createDraft(shop, { channels: ['apple-wallet', 'google-wallet'] })
    verdicts.push(formatVerdict(await act(shop.api, google.id, 'send')))
    expect(verdicts).to.deep.equal([
      '400 CAMPAIGN_CONTENT_MISSING',
      '400 CAMPAIGN_CONTENT_MISSING',
      '409 WALLET_NOT_CONFIGURED',
    ])
    verdicts.push(formatVerdict(await act(shop.api, google.id, 'schedule', { sendAt: daysAhead(1) })))
    expect(verdicts.pop()).to.equal('409 WALLET_NOT_CONFIGURED')
    expect((await readCampaign(shop.api, google.id)).status).to.equal('draft')
    await putCampaignInState((await getOperator()).db, google.id, 'stranded')
    expect(formatVerdict(await act(shop.api, google.id, 'resume'))).to.equal('409 WALLET_NOT_CONFIGURED')
  })

  it('says before, with dryRun, what a schedule comes to: at once for a past time', async () => {
    const { id } = await createDraft(shop)
    const rehearse = (sendAt: string) => shop.api.post(`${path}/${id}/schedule?dryRun=true`, { sendAt })
    const [later, past, far] = [
      await rehearse(daysAhead(2)),
      await rehearse(daysAhead(-2)),
      await rehearse(daysAhead(400)),
    ]
    expect([later.status, past.status, formatVerdict(far)]).to.deep.equal([200, 200, '400 CAMPAIGN_INVALID_SEND_AT'])
    expect(String(later.body['warnings'])).to.contain('gets it then')
    expect(String(past.body['warnings'])).to.contain('at once')
    expect((await readCampaign(shop.api, id)).status).to.equal('draft')
  })

  it('keeps to the cap of each card over all campaigns, and previews exactly that', async () => {
    await shop.api.patch(`/v1/applications/${shop.application}`, { loyaltySettings: { frequencyCapPer24h: 2 } })
    await shop.api.patch(`/v1/accounts/${accounts[0]}`, { loyalty: { visits: 3 } })
    for (let nth = 0; nth < 2; nth++) await sendNew(shop, { targeting: { minVisits: 1 } })
    const seen = await preview(shop)
    expect(seen).to.include({ matching: 12, reachableNow: 11, withheld: 1 })
    const wait = Date.parse(seen.fullAvailabilityAt ?? '') - Date.now()
    expect(wait).to.be.within(86_400_000 - 120_000, 86_400_000 + 1_000)
    const { id } = await sendNew(shop)
    expect((await readStats(shop.api, id)).deliveries).to.deep.equal({ ...nothing, sent: 11, excludedFrequencyCap: 1 })
    expect((await readPushes([accounts[0]!])).length).to.equal(2)
    await ageCampaign((await getOperator()).db, id, 1)
    expect(await preview(shop)).to.deep.equal({ matching: 12, reachableNow: 12, withheld: 0, fullAvailabilityAt: null })
  })

  it('notifies nobody with a cap of 0', async () => {
    await shop.api.patch(`/v1/applications/${shop.application}`, { loyaltySettings: { frequencyCapPer24h: 0 } })
    expect(await preview(shop)).to.deep.equal({ matching: 12, reachableNow: 0, withheld: 12, fullAvailabilityAt: null })
    const { id } = await sendNew(shop)
    expect((await readStats(shop.api, id)).deliveries).to.deep.equal({ ...nothing, excludedFrequencyCap: 12 })
    expect(await readPushes()).to.deep.equal([])
  })

  it('leaves out who opts out, in the preview and after the audience was frozen', async () => {
    await shop.api.patch(`/v1/accounts/${accounts[0]}`, { loyalty: { optIn: { apple: false } } })
    expect((await preview(shop)).matching).to.equal(11)
    const { id } = await sendNew(shop)
    expect(await readStats(shop.api, id)).to.deep.include({ recipientsNotified: 11 })
    expect(await readPushes([accounts[0]!])).to.deep.equal([])
  })

  it('chooses by points, visits, tier, language, network, birthday and days without a visit', async () => {
    const { api, application } = shop
    const tier = { application, name: 'Gold', requiredVisits: 2, currencyToPointRatio: 1 }
    const gold = getBody<{ id: string }>(await api.post('/v1/loyalty/reward-tiers', tier)).id
    const [first, second] = accounts as [string, string]
    await api.post(`/v1/loyalty/account/${first}/mint`, { amount: 10 })
    await visit(shop, first, { occurredAt: daysAgo(90), place: 'a' })
    await visit(shop, first, { occurredAt: daysAgo(70), place: 'b' })
    await visit(shop, second, { occurredAt: daysAgo(1) })
    const count = async (targeting: object) => (await preview(shop, targeting)).matching
    expect({
      points: await count({ minPoints: 10 }),
      fewPoints: await count({ maxPoints: 9 }),
      visits: await count({ minVisits: 1, maxVisits: 1 }),
      tier: await count({ rewardTiers: [gold] }),
      network: await count({ network: 'EthereumAnvil' }),
      otherNetwork: await count({ network: 'BaseSepolia' }),
      locale: await count({ locales: ['fr'] }),
      birthday: await count({ birthdayMonth: 1 }),
      away: await count({ inactiveForDays: 60 }),
      all: await count({ minPoints: 10, rewardTiers: [gold], inactiveForDays: 60 }),
    }).to.deep.equal({
      points: 1,
      fewPoints: 11,
      visits: 1,
      tier: 1,
      network: 12,
      otherNetwork: 0,
      locale: 0,
      birthday: 0,
      away: 1,
      all: 1,
    })
  })

  it('holds back a share, the same people at every look, and compares who came', async () => {
    const { id } = await sendNew(shop, { targeting: { holdoutPercent: 50 } })
    const { deliveries, holdout } = await readStats(shop.api, id)
    expect([deliveries.sent, holdout]).to.deep.equal([6, { size: 6, visited: 0, rate: 0 }])
    const notified = new Set((await exportRows(id)).map(([account]) => account))
    const [one, two] = accounts.filter((account) => notified.has(account))
    const [held] = accounts.filter((account) => !notified.has(account))
    await visit(shop, one!, { place: 'a' })
    await visit(shop, one!, { place: 'b' })
    await visit(shop, two!, { occurredAt: daysAgo(1) })
    await visit(shop, held!)
    await shop.api.patch(`/v1/accounts/${two}`, { loyalty: { visits: 7 } })
    const stats = await readStats(shop.api, id)
    expect(stats).to.deep.include({ recipientsNotified: 6, recipientsVisited: 1, conversionRate: 1 / 6, lift: 0 })
    expect(stats.holdout).to.deep.equal({ size: 6, visited: 1, rate: 1 / 6 })
  })

  const exportRows = async (id: string): Promise<string[][]> => {
    const { text } = await shop.api.get(`${path}/${id}/deliveries/export`)
    return text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','))
  }

  it('exports a line for each customer and wallet, and the header alone before', async () => {
    const { id } = await createDraft(shop)
    const header = 'account_id,external_customer_id,channel,status,exclusion_reason,error_code,sent_at\r\n'
    const empty = await shop.api.get(`${path}/${id}/deliveries/export`)
    expect([empty.text, empty.headers['x-truncated']]).to.deep.equal([header, undefined])
    expect(empty.headers['content-type']).to.equal('text/csv; charset=utf-8; header=present')
    await shop.api.patch(`/v1/accounts/${accounts[0]}`, { loyalty: { customerId: '=1+1,"x"' } })
    await shop.api.patch(`/v1/accounts/${accounts[1]}`, { loyalty: { customerId: 'C-1' } })
    await doAct(shop.api, id, 'send')
    await waitForState(shop.api, id, 'sent')
    const { text } = await shop.api.get(`${path}/${id}/deliveries/export`)
    const lines = text.slice(header.length).trimEnd().split('\r\n')
    const sorted = accounts.toSorted()
    expect(lines.map((line) => line.slice(0, 36))).to.deep.equal(sorted)
    const find = (account: string) => lines.find((line) => line.startsWith(account))?.slice(37)
    expect(find(accounts[0]!)).to.match(/^"'=1\+1,""x""",apple-wallet,pushed,,,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(find(accounts[1]!)).to.match(/^C-1,apple-wallet,pushed,,,/)
    expect(find(accounts[2]!)).to.match(/^,apple-wallet,pushed,,,/)
  })

  it('is finished once its window is over, not before', async () => {
    const { id } = await sendNew(shop)
    await runCampaignUpkeep()
    expect((await readCampaign(shop.api, id)).status).to.equal('sent')
    const { db } = await getOperator()
    await ageCampaign(db, id, 8)
    const sending = await createDraft(shop)
    await putCampaignInState(db, sending.id, 'sending')
    await ageCampaign(db, sending.id, 8)
    await runCampaignUpkeep()
    expect(
      [await readCampaign(shop.api, id), await readCampaign(shop.api, sending.id)].map(({ status }) => status),
    ).to.deep.equal(['finished', 'finished'])
  })

  it('counts in the metrics of loyalty on the day on which it was sent', async () => {
    const { id } = await sendNew(shop)
    await visit(shop, accounts[0]!)
    await runCampaignUpkeep()
    const query = `application=${shop.application}`
    const { body, status, text } = await shop.api.get(`/v1/admin/metrics/loyalty?${query}`)
    expect(status, text).to.equal(200)
    const figures = { campaignsSent: 1, recipientsNotified: 12, recipientsVisited: 1, conversionRate: 1 / 12 }
    expect(body['totals']).to.include(figures)
    const today = (body['series'] as unknown as { campaignsSent: number }[]).filter((day) => day.campaignsSent > 0)
    expect(today.length).to.equal(1)
    expect(today[0]).to.include(figures)
    expect((await readStats(shop.api, id)).recipientsVisited).to.equal(1)
  })

  it('resumes a stranded one: who has the message gets no other', async () => {
    const { id } = await sendNew(shop)
    const { db } = await getOperator()
    await putCampaignInState(db, id, 'stranded')
    expect(await readCampaign(shop.api, id)).to.include({ status: 'sending', isStranded: true })
    await doAct(shop.api, id, 'resume')
    await waitForState(shop.api, id, 'sent')
    expect((await readPushes()).length).to.equal(12)
    expect((await readStats(shop.api, id)).deliveries.sent).to.equal(12)
  })
})

const daysAhead = (days: number) => daysAgo(-days).toISOString()

describe('Scheduling a campaign', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
    await addHolders(shop, 2)
  })

  for (const [title, sendAt] of [
    ['without an offset', '2027-03-01T10:00:00'],
    ['that is a day', '2027-03-01'],
    ['on a day that there is not', '2027-02-30T10:00:00Z'],
    ['in 2200', '2200-01-01T00:00:00Z'],
    ['that is no time', 'tomorrow'],
    ['that is empty', ''],
  ] as const)
    it(`refuses a sendAt ${title}`, async () => {
      const { id } = await createDraft(shop)
      const answer = await act(shop.api, id, 'schedule', { sendAt })
      expect(formatVerdict(answer)).to.equal('400 CAMPAIGN_INVALID_SEND_AT')
      expect((await readCampaign(shop.api, id)).status).to.equal('draft')
    })

  it('sends at its time, whatever the offset it was given with', async () => {
    const { id } = await createDraft(shop)
    const at = new Date(Date.now() + 1_500)
    const local = new Date(at.getTime() + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    const scheduled = await doAct(shop.api, id, 'schedule', { sendAt: local })
    expect(scheduled).to.include({ status: 'scheduled', sendAt: at.toISOString(), audienceSize: null })
    const sent = await waitForState(shop.api, id, 'sent')
    expect(Date.parse(sent.sentAt ?? '')).to.be.at.least(at.getTime())
    expect(sent).to.include({ scheduledImmediately: false, audienceSize: 2, sendAt: at.toISOString() })
  })

  it('sends a past one at once and says so', async () => {
    const { id } = await createDraft(shop)
    const sendAt = daysAgo(400).toISOString()
    const started = await doAct(shop.api, id, 'schedule', { sendAt })
    expect(started).to.include({ status: 'sending', scheduledImmediately: true, sendAt })
    await waitForState(shop.api, id, 'sent')
  })

  it('cancels, and schedules again: the first job ends without having sent anything', async () => {
    const { id } = await createDraft(shop)
    const first = await doAct(shop.api, id, 'schedule', { sendAt: daysAhead(30) })
    const cancelled = await doAct(shop.api, id, 'cancel')
    expect(cancelled).to.include({ status: 'draft', sendAt: null })
    await waitUntil('the job has ended', async () => {
      const { body } = await shop.api.get(`/v1/jobs/${first.jobId ?? ''}`)
      return body['status'] === 'completed'
    })
    const again = await doAct(shop.api, id, 'schedule', { sendAt: daysAhead(20) })
    expect(again).to.include({ status: 'scheduled' })
    expect(again.jobId).not.to.equal(first.jobId)
    expect((await readStats(shop.api, id)).deliveries).to.deep.equal(nothing)
  })

  it('says that its job is lost, and sends it within the hour', async () => {
    const { id } = await createDraft(shop)
    await doAct(shop.api, id, 'schedule', { sendAt: daysAhead(1) })
    expect(await readCampaign(shop.api, id)).to.include({ scheduleJobLost: false })
    await loseCampaignJob((await getOperator()).db, id)
    expect(await readCampaign(shop.api, id)).to.include({ scheduleJobLost: true, status: 'scheduled' })
    await runCampaignUpkeep()
    await waitForState(shop.api, id, 'sent')
  })
})
