import { expect } from 'chai'
import { mayClaim } from '../../../../core/features/dpp/passports/claims.rules.ts'

describe('Claims: who may claim a passport', () => {
  it('is whoever has the very e-mail or phone that the passport names', () => {
    const caller = {
      kind: 'endUser',
      session: '',
      user: '',
      application: '',
      organization: '',
      email: null,
      phoneNumber: null,
    } as const
    const may = (who: object, what: object) =>
      mayClaim({ ...caller, ...who }, { allowedClaimEmail: null, allowedClaimPhoneNumber: null, ...what })
    expect(may({ email: 'kay@a.example' }, { allowedClaimEmail: 'KAY@A.example' })).to.equal(true)
    expect(may({ email: '\u212Aay@a.example' }, { allowedClaimEmail: 'kay@a.example' })).to.equal(false)
    expect(may({ email: 'kay@a.example ' }, { allowedClaimEmail: 'kay@a.example' })).to.equal(false)
    expect(may({ email: 'i\u0307@a.example' }, { allowedClaimEmail: '\u0130@a.example' })).to.equal(false)
    expect(may({ phoneNumber: '+33612345678' }, { allowedClaimPhoneNumber: '+33612345678' })).to.equal(true)
    expect(may({ phoneNumber: '+33612345679' }, { allowedClaimPhoneNumber: '+33612345678' })).to.equal(false)
    expect(may({}, {})).to.equal(false)
    expect(may({ email: 'a@b.example' }, { allowedClaimPhoneNumber: '+33612345678' })).to.equal(false)
  })
})
