import { expect } from 'chai'
import { signTransaction, type LedgerOperation } from '../../support/chains/ledger/envelope.ts'
import { toAccount } from '../../support/chains/ledger/keys.ts'
import { LedgerState, type LedgerFailure } from '../../support/chains/ledger/state.ts'
import { toTokenId } from '../../support/chains/chain-rig.ts'

const wallet = 'account:payer'
const account = toAccount(wallet)
const issue: LedgerOperation = { kind: 'issue', issuer: account, token: toTokenId('one'), to: account }

/** Signs a transaction that the ledger takes, unless a member says otherwise. */
const sign = (members: Partial<Parameters<typeof signTransaction>[1]> = {}) => {
  const usual = { sequence: 101, expiresAt: Date.now() + 60_000, memo: '', operations: [issue] }
  const { raw, hash } = signTransaction(wallet, { ...usual, ...members })
  return { text: Buffer.from(raw).toString(), hash }
}

describe('Ledger of the tests', () => {
  let state: LedgerState
  beforeEach(() => {
    state = new LedgerState()
    state.openAccount(account, 1_000)
  })

  const refusals: [string, LedgerFailure, () => string][] = [
    ['a sequence number that is too high', 'BAD_SEQUENCE', () => sign({ sequence: 102 }).text],
    ['a sequence number that was used', 'BAD_SEQUENCE', () => sign({ sequence: 100 }).text],
    ['a time bound that is over', 'EXPIRED', () => sign({ expiresAt: Date.now() - 1 }).text],
    ['a memo of more than 32 bytes', 'MEMO_TOO_LONG', () => sign({ memo: 'aa'.repeat(33) }).text],
    ['more than 20 operations', 'TOO_MANY_OPERATIONS', () => sign({ operations: Array(21).fill(issue) }).text],
    [
      'a signature of somebody else',
      'BAD_SIGNATURE',
      () => sign().text.replace(/"signature":"...../, '"signature":"AAAAA'),
    ],
    ['bytes that are no transaction', 'MALFORMED', () => '{"text":"{}","signature":""}'],
  ]
  for (const [what, failure, create] of refusals) {
    it(`refuses ${what}`, () => {
      expect(state.submit(create())).to.equal(failure)
    })
  }

  it('refuses an unknown account and a balance that does not pay the fee', () => {
    expect(new LedgerState().submit(sign().text)).to.equal('UNKNOWN_ACCOUNT')
    state.openAccount(account, 9)
    expect(state.submit(sign().text)).to.equal('INSUFFICIENT_BALANCE')
  })

  it('refuses a transaction that it has, and one that it applied', () => {
    const { text, hash } = sign()
    expect(state.submit(text)).to.equal(null)
    expect(state.submit(text)).to.equal('DUPLICATE')
    state.closeLedger()
    expect(state.getTransaction(hash)?.failure).to.equal(null)
    expect(state.submit(text)).to.equal('DUPLICATE')
  })

  it('applies a transaction as a whole or not at all, and takes its number and its fee either way', () => {
    const fresh: LedgerOperation = { ...issue, token: toTokenId('two') }
    const { text, hash } = sign({ operations: [fresh, issue, issue] })
    expect(state.submit(text)).to.equal(null)
    state.closeLedger()
    expect(state.getTransaction(hash)?.failure).to.equal('TOKEN_EXISTS')
    expect(state.getOwner(account, fresh.token)).to.equal(null)
    expect(state.getAccount(account)).to.deep.equal({ sequence: 101, balance: 970 })
  })

  it('drops what expires before a ledger is closed, and what follows it', () => {
    let now = Date.now()
    const clocked = new LedgerState(() => now)
    clocked.openAccount(account, 1_000)
    const late = sign({ expiresAt: now + 1_000 })
    const next = sign({ sequence: 102, expiresAt: now + 9_000 })
    expect([clocked.submit(late.text), clocked.submit(next.text)]).to.deep.equal([null, null])
    now += 2_000
    clocked.closeLedger()
    expect([clocked.getTransaction(late.hash), clocked.getTransaction(next.hash)]).to.deep.equal([undefined, undefined])
  })
})
