import { expect } from 'chai'
import type { MeterCode } from '../../../core/kernel/words.ts'
import { waitUntil } from '../../support/processes.ts'
import { addUsed } from '../../support/rows/billing/overage.ts'
import { listStoredTrail } from '../../support/rows/audit/trail.ts'
import type { Shop } from '../../support/world.ts'
import { formatVerdict } from '../dpp/passports/fixtures.ts'
import { getOperator, listMessagesTo } from '../identity/people.ts'
import { buildShopOnPlan, freeOperations, setPlan, useOperations } from './quotas.fixtures.ts'

/** The subjects of the mails about limits to the owner of a shop, the oldest first. */
const listNotices = async ({ owner }: Shop) =>
  (await listMessagesTo(owner))
    .map(({ subject }) => subject)
    .filter((subject) => subject.includes(' %'))
    .toReversed()

const listChanges = async ({ organization }: Shop) =>
  (await listStoredTrail((await getOperator()).db, organization))
    .filter(({ action }) => action === 'quota.reach')
    .map(({ change }) => change)

const use = async ({ organization }: Shop, units: number, meter: MeterCode = 'dpp.operations') =>
  addUsed((await getOperator()).db, organization, { meter, units })

const waitForNotices = (shop: Shop, count: number) =>
  waitUntil(`${count} notices are sent`, async () => (await listNotices(shop)).length >= count, 90_000)

describe('Quotas: notices of limits', function () {
  this.timeout(240_000)

  it('go to the owners and to the trail once at 80 % and once at 100 %, in the language of the organization', async () => {
    const [shop, french, passed, soft, far, moved] = await Promise.all(
      Array.from({ length: 6 }, () => buildShopOnPlan('free')),
    )
    if (!shop || !french || !passed || !soft || !far || !moved) throw new Error('A shop is missing')
    const changed = await french.api.patch(`/v1/organizations/${french.organization}`, { locale: 'fr-FR' })
    expect(formatVerdict(changed)).to.equal('200')
    await use(far, freeOperations * 0.8 - 1)
    await use(shop, freeOperations * 0.8 - 1)
    await useOperations(shop, 1)
    await use(french, freeOperations * 0.9)
    await use(passed, freeOperations)
    await use(soft, 700, 'loyalty.activeUsers')
    await use(moved, freeOperations)
    await Promise.all([shop, french, passed, soft, moved].map((one) => waitForNotices(one, 1)))

    const [mail] = (await listMessagesTo(shop.owner)).filter(({ subject }) => subject.includes(' %'))
    expect(mail?.subject).to.contain('80 % of the month’s passport operations used')
    expect(mail?.text)
      .to.contain('800 of the 1,000 passport operations')
      .and.to.contain('nothing more is taken until')
      .and.to.contain('/console')
    const [frenchMail] = (await listMessagesTo(french.owner)).filter(({ subject }) => subject.includes(' %'))
    expect(frenchMail?.text).to.contain('opérations sur les passeports').and.to.contain('Au-delà de la limite')
    const [softMail] = (await listMessagesTo(soft.owner)).filter(({ subject }) => subject.includes(' %'))
    expect(softMail?.text).to.contain('700 of the 500 active customers').and.to.contain('Nothing stops at the limit')
    expect(await listChanges(shop)).to.deep.equal(['dpp.operations: 800 of 1000, 80 %'])
    expect(await listChanges(passed), 'one notice for both parts').to.deep.equal([
      'dpp.operations: 1000 of 1000, 100 %',
    ])

    await use(shop, 200)
    await setPlan(moved, 'growth')
    await use(moved, 200_000)
    await Promise.all([shop, moved].map((one) => waitForNotices(one, 2)))
    expect((await listNotices(shop)).map((subject) => /\d+ %/.exec(subject)?.[0])).to.deep.equal(['80 %', '100 %'])
    expect(await listChanges(moved), 'the limit of another plan').to.have.length(2)
    for (const one of [french, passed, soft]) expect(await listNotices(one)).to.have.length(1)
    expect(await listNotices(far)).to.deep.equal([])
    expect(await listChanges(far)).to.deep.equal([])
  })
})
