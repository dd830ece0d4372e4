import { expect } from 'chai'
import { buildShop, type Shop } from '../../../support/world.ts'
import { putCampaignInState, type CampaignState } from '../../../support/rows/loyalty/campaigns.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import { act, addHolders, createDraft, path, readCampaign } from './fixtures.ts'

const states: CampaignState[] = ['draft', 'scheduled', 'sending', 'stranded', 'sent', 'finished']

/** What each act does from each state: the state that it leads to, or the refusal. */
const table: Record<string, Record<CampaignState, string>> = {
  patch: refuseFrom('409 CAMPAIGN_NOT_DRAFT', { draft: '200 draft' }),
  delete: refuseFrom('409 CAMPAIGN_NOT_DRAFT', { draft: '200 draft' }),
  send: refuseFrom('409 CAMPAIGN_NOT_DRAFT', { draft: '202 sending' }),
  schedule: refuseFrom('409 CAMPAIGN_NOT_DRAFT', { draft: '202 scheduled' }),
  cancel: refuseFrom('409 CAMPAIGN_NOT_SCHEDULED', { scheduled: '200 draft' }),
  resume: refuseFrom('409 CAMPAIGN_NOT_STRANDED', { stranded: '202 sending' }),
}

function refuseFrom(refusal: string, allowed: Partial<Record<CampaignState, string>>) {
  return Object.fromEntries(states.map((state) => [state, allowed[state] ?? refusal])) as Record<CampaignState, string>
}

describe('The states of a campaign', () => {
  let shop: Shop
  before(async () => {
    shop = await buildShop()
    await addHolders(shop, 1)
  })

  const inTwoDays = () => new Date(Date.now() + 2 * 86_400_000).toISOString()
  const attempt = (verb: string, id: string) =>
    verb === 'patch'
      ? shop.api.patch(`${path}/${id}`, { name: 'Other' })
      : verb === 'delete'
        ? shop.api.delete(`${path}/${id}`)
        : act(shop.api, id, verb, verb === 'schedule' ? { sendAt: inTwoDays() } : {})

  for (const [verb, outcomes] of Object.entries(table))
    it(`${verb} moves only from the states of the table`, async () => {
      const found: Record<string, string> = {}
      for (const state of states) {
        const { id } = await createDraft(shop)
        await putCampaignInState((await getOperator()).db, id, state)
        const before = await readCampaign(shop.api, id)
        const answer = await attempt(verb, id)
        found[state] = answer.status < 300 ? `${answer.status} ${String(answer.body['status'])}` : formatVerdict(answer)
        if (answer.status < 300) continue
        // A refusal leaves the campaign as it was.
        expect(await readCampaign(shop.api, id)).to.deep.equal(before)
      }
      expect(found).to.deep.equal(outcomes)
    })

  it('of many sends, and schedules, of one draft, one is taken', async () => {
    const { id } = await createDraft(shop)
    const attempts = [...Array.from({ length: 6 }, () => 'send'), ...Array.from({ length: 6 }, () => 'schedule')]
    const answers = await Promise.all(attempts.map((verb) => attempt(verb, id)))
    const taken = answers.filter(({ status }) => status === 202)
    expect(taken.length, answers.map(formatVerdict).join()).to.equal(1)
    const refused = answers.filter(({ status }) => status !== 202)
    expect(new Set(refused.map(formatVerdict))).to.deep.equal(new Set(['409 CAMPAIGN_NOT_DRAFT']))
    expect(getBody<{ jobId: string }>(taken[0]!).jobId).to.be.a('string')
  })
})
