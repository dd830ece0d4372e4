import { expect } from 'chai'
import { createClient } from 'redis'
import { readServerTime } from '../../support/database/server-activity.ts'
import { waitUntil } from '../../support/processes.ts'
import { deleteCampaignJob } from '../../support/rows/loyalty/campaigns.ts'
import { insertCardHolders } from '../../support/rows/loyalty/cards.ts'
import { readJobRun } from '../../support/rows/queue/runs/job-runs.ts'
import type { ShownCampaign, ShownStats } from '../../core/loyalty/campaigns/fixtures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { killKept } from '../outages/outages.ts'
import { createCampaign, openCampaignStage, prepareApplication, type CampaignStage } from './stage.ts'

const holders = 10
const hour = 3_600
/** The longest that a campaign may begin after its time while all runs, in milliseconds. */
const maxLateMs = 15_000

describe('Campaigns that are scheduled', function () {
  let stage: CampaignStage

  before(async () => {
    stage = await openCampaignStage()
    const { api, platform, db, keyEncryptionKey } = stage
    const { application, organization } = platform
    await prepareApplication(api, application, { frequencyCapPer24h: 1_000 })
    await insertCardHolders(db, {
      organization,
      application,
      count: holders,
      channel: 'apple-wallet',
      keyEncryptionKey,
    })
  })
  after(() => stage?.stop())
  afterEach(function () {
    keepPlatformLines(this, stage?.platform)
  })

  const read = async (id: string) =>
    (await stage.api.get(`/v1/loyalty/campaigns/${id}`)).body as unknown as ShownCampaign & { jobId: string }
  const readNow = async () => (await readServerTime(stage.db)).getTime()

  async function schedule(headline: string, sendAt: string): Promise<{ id: string; job: string; sendAt: string }> {
    const { api, platform } = stage
    const id = await createCampaign(api, platform.application, { headline })
    const planned = await api.post(`/v1/loyalty/campaigns/${id}/schedule`, { sendAt })
    expect(planned.status, planned.text).to.equal(202)
    expect(planned.body).to.include({ status: 'scheduled', scheduledImmediately: false })
    return { id, job: String(planned.body['jobId']), sendAt: String(planned.body['sendAt']) }
  }
  const scheduleIn = async (headline: string, seconds: number) =>
    schedule(headline, new Date((await readNow()) + seconds * 1_000).toISOString())

  /** Waits until a campaign is sent to all, once, and not before its time. @returns by how much it was late */
  async function awaitSent({ id, sendAt }: { id: string; sendAt: string }): Promise<number> {
    await waitUntil('it is sent', async () => (await read(id)).status === 'sent')
    const { body } = await stage.api.get(`/v1/loyalty/campaigns/${id}/stats`)
    expect((body as unknown as ShownStats).deliveries).to.include({ pending: 0, sent: holders, failed: 0 })
    const { sentAt } = await read(id)
    const lateMs = new Date(sentAt ?? '').getTime() - new Date(sendAt).getTime()
    expect(lateMs, 'not before its time').to.be.at.least(0)
    return lateMs
  }

  it('is sent in time when Redis forgets all that it knew', async () => {
    const planned = await scheduleIn('Flushed', 3)
    const redis = createClient({ url: stage.platform.redis ?? '' })
    await redis.connect()
    await redis.flushAll()
    redis.destroy()
    expect(await awaitSent(planned)).to.be.below(maxLateMs)
  })

  it('is not sent before its time when the clock of the database is put back, and is sent when it comes', async () => {
    const planned = await scheduleIn('Clock', 8)
    await stage.putClock(-hour)
    const { db } = stage
    const dueInSeconds = async () => (await readJobRun(db, planned.job)).dueInSeconds
    // It waits as long as it would have, looks at the time, and waits on.
    await waitUntil('its job waits no longer than before', async () => (await dueInSeconds()) < 60)
    await waitUntil('its job has looked', async () => (await dueInSeconds()) > hour / 2)
    expect(await read(planned.id)).to.include({ status: 'scheduled', sentAt: null, scheduleJobLost: false })
    await stage.putClock(0)
    await awaitSent(planned)
  })

  it('says that its job is gone, and is sent by the upkeep of the next worker that starts', async () => {
    const planned = await scheduleIn('Job lost', 2)
    await deleteCampaignJob(stage.db, planned.id)
    expect(await read(planned.id)).to.include({ status: 'scheduled', scheduleJobLost: true })
    await waitUntil('its time has come', async () => (await readNow()) > new Date(planned.sendAt).getTime())
    await killKept(stage.platform.children.worker)
    await awaitSent(planned)
    expect(await read(planned.id)).to.include({ scheduleJobLost: false, isStranded: false })
  })

  it('keeps the instants of its offset, on both sides of the hours in which clocks change', async () => {
    for (const [sendAt, instant] of [
      ['2027-03-28T01:59:59+01:00', '2027-03-28T00:59:59.000Z'],
      ['2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00.000Z'],
      ['2027-10-31T02:30:00+02:00', '2027-10-31T00:30:00.000Z'],
      ['2027-10-31T02:30:00+01:00', '2027-10-31T01:30:00.000Z'],
    ] as const) {
      const planned = await schedule(`At ${sendAt}`, sendAt)
      expect(planned.sendAt).to.equal(instant)
      expect((await read(planned.id)).sendAt).to.equal(instant)
      const now = await readNow()
      const { dueInSeconds } = await readJobRun(stage.db, planned.job)
      expect(now + dueInSeconds * 1_000).to.be.closeTo(new Date(instant).getTime(), 5_000)
    }
  })

  it('whose time comes while no worker runs is sent when one starts', async () => {
    await stage.platform.children.worker.stop()
    const planned = await scheduleIn('Nobody works', 2)
    await waitUntil('its time has come', async () => (await readNow()) > new Date(planned.sendAt).getTime())
    expect(await read(planned.id)).to.include({ status: 'scheduled', scheduleJobLost: false })
    await stage.addWorker()
    await awaitSent(planned)
  })
}).timeout(240_000)
