import { expect } from 'chai'
import { insertFutureSend, readSendDistance, repairFutureSends } from '../../../support/rows/identity/code-sends.ts'
import { buildOrganization } from '../../../support/world.ts'
import { createEmail, createUniqueName, getOperator, listMessagesTo, requestCode } from '../people.ts'

describe('Count of a code that is sent', () => {
  it('refuses beyond a budget, and says for how long', async () => {
    const { application } = await buildOrganization()
    const email = createEmail()
    for (let at = 0; at < 5; at++) expect((await requestCode(application, email)).status).to.equal(204)
    const { status, body, headers } = await requestCode(application, email)
    expect([status, body['code']]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(body['detail']).to.contain('5').and.contain('to one address')
    expect(Number(headers['retry-after'])).to.be.within(3_500, 3_600)
    expect(await listMessagesTo(email)).to.have.length(5)
  })

  it('is set to now when it lies ahead', async () => {
    const { db } = await getOperator()
    const budget = createUniqueName('ahead')
    await insertFutureSend(db, budget)
    expect(await readSendDistance(db, budget)).to.be.greaterThan(3_500_000)
    await repairFutureSends(db)
    expect(await readSendDistance(db, budget)).to.be.within(-60_000, 1_000)
  })
})
