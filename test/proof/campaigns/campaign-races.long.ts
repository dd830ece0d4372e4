import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Answer } from '../../support/client.ts'
import { readServerTime } from '../../support/database/server-activity.ts'
import { waitUntil } from '../../support/processes.ts'
import { putCampaignInState } from '../../support/rows/loyalty/campaigns.ts'
import { insertCardHolders } from '../../support/rows/loyalty/cards.ts'
import { createRandom } from '../../support/values/random.ts'
import type { ShownCampaign, ShownStats } from '../../core/loyalty/campaigns/fixtures.ts'
import { formatVerdict } from '../../core/dpp/passports/fixtures.ts'
import { keepPlatformLines } from '../kills/kills.ts'
import { createCampaign, openCampaignStage, prepareApplication, type CampaignStage } from './stage.ts'

const rounds = Number(process.env['TEST_RACES'] ?? 50)
const holders = 5

describe('Campaigns: acts that meet', () => {
  const random = createRandom(Number(process.env['TEST_SEED'] ?? 20_261_129))
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

  const getPath = (id: string) => `/v1/loyalty/campaigns/${id}`
  const create = (headline: string) => createCampaign(stage.api, stage.platform.application, { headline })
  const act = (id: string, verb: string, body: object = {}) => stage.api.post(`${getPath(id)}/${verb}`, body)
  const read = async (id: string) => (await stage.api.get(getPath(id))).body as unknown as ShownCampaign
  const readSent = async (id: string) =>
    ((await stage.api.get(`${getPath(id)}/stats`)).body as unknown as ShownStats).deliveries.sent
  const waitForSent = (id: string) => waitUntil(`${id} is sent`, async () => (await read(id)).status === 'sent')

  async function schedule(id: string, inMs: number): Promise<Answer> {
    const sendAt = new Date((await readServerTime(stage.db)).getTime() + inMs).toISOString()
    return act(id, 'schedule', { sendAt })
  }

  it(`cancel against the moment of sending, ${rounds} times: a draft of which nothing was sent, or sent`, async () => {
    const ends = { cancelled: 0, sent: 0 }
    for (let round = 0; round < rounds; round++) {
      const id = await create(`Cancel ${round}`)
      expect((await schedule(id, 300)).status).to.equal(202)
      await sleep(100 + random() * 1_500)
      const cancelled = await act(id, 'cancel')
      if (cancelled.status === 200) {
        ends.cancelled++
        await sleep(250)
        expect(await read(id)).to.include({ status: 'draft', sendAt: null, audienceSize: null })
        expect(await readSent(id)).to.equal(0)
      } else {
        expect(formatVerdict(cancelled)).to.equal('409 CAMPAIGN_NOT_SCHEDULED')
        ends.sent++
        await waitForSent(id)
        expect(await readSent(id)).to.equal(holders)
      }
    }
    process.stdout.write(`      ${ends.cancelled} were cancelled, ${ends.sent} were sent\n`)
    expect(ends.cancelled, 'cancelled').to.be.greaterThan(0)
    expect(ends.sent, 'sent').to.be.greaterThan(0)
  })

  it('change, schedule and send of one draft: what is sent is what was stored when sending began', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await create(`Before ${round}`)
      const content = { headline: `After ${round}`, body: 'Changed.' }
      const [sent, changed] = await Promise.all([act(id, 'send'), stage.api.patch(getPath(id), { content })])
      expect(sent.status, sent.text).to.equal(202)
      const shown = (sent.body as unknown as ShownCampaign).content?.headline
      if (changed.status === 200) expect(shown).to.equal(content.headline)
      else {
        expect(formatVerdict(changed)).to.equal('409 CAMPAIGN_NOT_DRAFT')
        expect(shown).to.equal(`Before ${round}`)
      }
      await waitForSent(id)
      expect((await read(id)).content?.headline).to.equal(shown)
    }
  })

  it('delete of a scheduled campaign is refused, and against its scheduling leaves one of both', async () => {
    const waiting = await create('Waiting')
    expect((await schedule(waiting, 3_600_000)).status).to.equal(202)
    expect(formatVerdict(await stage.api.delete(getPath(waiting)))).to.equal('409 CAMPAIGN_NOT_DRAFT')
    for (let round = 0; round < 10; round++) {
      const id = await create(`Delete ${round}`)
      const [planned, deleted] = await Promise.all([schedule(id, 3_600_000), stage.api.delete(getPath(id))])
      const verdicts = [formatVerdict(planned), formatVerdict(deleted)]
      expect(verdicts).to.be.deep.oneOf([
        ['202', '409 CAMPAIGN_NOT_DRAFT'],
        ['404 NOT_FOUND', '200'],
      ])
    }
  })

  it('of many resumes of a stranded campaign one is taken', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await create(`Stranded ${round}`)
      await putCampaignInState(stage.db, id, 'stranded')
      const answers = await Promise.all(Array.from({ length: 8 }, () => act(id, 'resume')))
      const taken = answers.filter(({ status }) => status === 202)
      expect(taken.length, answers.map(formatVerdict).join()).to.equal(1)
      const refused = answers.filter(({ status }) => status !== 202)
      expect(new Set(refused.map(formatVerdict))).to.deep.equal(new Set(['409 CAMPAIGN_NOT_STRANDED']))
      await waitForSent(id)
    }
  })
}).timeout(600_000)
