import { expect } from 'chai'
import { readCodeFor, createEmail, createOtherCode, requestCode, verifyOtp } from '../people.ts'
import { buildOrganization, type Tenant } from '../../../support/world.ts'

const rounds = 30

describe('POST /v1/auth/verify-otp beside simultaneous wrong guesses', function () {
  this.timeout(240_000)
  let tenant: Tenant
  before(async () => {
    tenant = await buildOrganization()
  })

  const started = async () => {
    const email = createEmail('racer')
    await requestCode(tenant.application, email)
    return { email, code: await readCodeFor(email) }
  }

  it(`takes the right code in all of ${rounds} rounds, whatever guesses are in flight`, async () => {
    let refused = 0
    for (let round = 0; round < rounds; round++) {
      const { email, code } = await started()
      const guesses = [createOtherCode(code), createOtherCode(code), code, createOtherCode(code), createOtherCode(code)]
      const answers = await Promise.all(guesses.map((guess) => verifyOtp(tenant.application, email, guess)))
      if (answers[2]?.status !== 200) refused++
      expect(answers.filter(({ status }) => status === 200).length, 'sessions of wrong guesses').to.be.at.most(1)
    }
    expect(refused, 'right codes refused').to.equal(0)
  })

  it('counts every guess that comes at the same moment, so that none is judged after the fifth wrong one', async () => {
    for (let round = 0; round < 10; round++) {
      const { email, code } = await started()
      await Promise.all(Array.from({ length: 12 }, () => verifyOtp(tenant.application, email, createOtherCode(code))))
      expect((await verifyOtp(tenant.application, email, code)).status, `round ${round}`).to.equal(401)
    }
  })

  it('opens one session for a code that comes many times beside wrong guesses', async () => {
    for (let round = 0; round < 10; round++) {
      const { email, code } = await started()
      const guesses = Array.from({ length: 10 }, (_, at) => (at % 3 === 0 && at < 9 ? createOtherCode(code) : code))
      const answers = await Promise.all(guesses.map((guess) => verifyOtp(tenant.application, email, guess)))
      expect(answers.filter(({ status }) => status === 200).length, `round ${round}`).to.equal(1)
    }
  })
})
