import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClaim, createMints, createPassOn, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'

describe('Chain sender: passing a token on', () => {
  const rig = useChainRig()
  const application = randomUUID()
  const openWallet = (name: string) => rig().chains.ensureWalletAddress('EthereumAnvil', `account:${name}`)
  let [ada, bo, cy] = ['', '', '']
  before(async () => {
    ;[ada, bo, cy] = (await Promise.all(['ada', 'bo', 'cy'].map(openWallet))) as [string, string, string]
    rig().startSenders()
  })

  /** Mints a token to a person, straight or out of a batch. */
  async function give(name: string, to: string, kind: 'mintTo' | 'transferTo' = 'mintTo'): Promise<string> {
    const tokenId = toTokenId(`${name} 0`)
    if (kind === 'transferTo') await rig().queueOperations(createMints(rig(), 1, name, application))
    await rig().queueOperations([createClaim(rig(), kind, tokenId, to, application)])
    expect((await rig().waitForOutcome(`${kind}:${tokenId}`)).status).to.equal('final')
    return tokenId
  }
  const passOn = async (tokenId: string, from: string, to: string, id: string, until?: Date) => {
    await rig().queueOperations([createPassOn(rig(), tokenId, application, { id, from, to, ...(until && { until }) })])
    const { status, reason, sender, owner, hash } = await rig().waitForOutcome(id)
    return { status, reason, sender, owner, hash }
  }

  it('moves it from wallet to wallet at the cost of the sender, and again, and back', async () => {
    const tokenId = await give('one', ada)
    const ways = [
      [ada, bo],
      [bo, cy],
      [cy, ada],
      [ada, bo],
    ] as const
    for (const [index, [from, to]] of ways.entries()) {
      const outcome = await passOn(tokenId, from, to, `way ${index}`)
      expect(outcome).to.deep.include({ status: 'final', sender: from, owner: to })
      const receipt = await rig().node.callRpc<{ gasUsed: string; from: string }>(
        'eth_getTransactionReceipt',
        outcome.hash,
      )
      expect(receipt.from).not.to.equal(from.toLowerCase())
      expect(Number(receipt.gasUsed)).to.be.at.most(140_000)
    }
    for (const wallet of [ada, bo, cy])
      expect(await rig().node.callRpc('eth_getBalance', wallet, 'latest')).to.equal('0x0')
  })

  it('moves a token that came out of a batch', async () => {
    const tokenId = await give('batch', ada, 'transferTo')
    expect(await passOn(tokenId, ada, bo, 'of a batch')).to.deep.include({ status: 'final', sender: ada, owner: bo })
  })

  it('moves many tokens of one wallet at once, one of them to a wallet that never had one', async () => {
    const tokens = await Promise.all(['a', 'b', 'c'].map((name) => give(`many ${name}`, cy)))
    const fresh = await openWallet('fresh')
    const outcomes = await Promise.all(
      tokens.map((token, index) => passOn(token, cy, index === 0 ? fresh : bo, `many ${index}`)),
    )
    expect(outcomes.map(({ status, owner }) => [status, owner])).to.deep.equal([
      ['final', fresh],
      ['final', bo],
      ['final', bo],
    ])
  })

  it('fails with a reason what the wallet does not have, what ran out, and what is not minted', async () => {
    const tokenId = await give('not theirs', ada)
    const reasons = [
      await passOn(tokenId, bo, cy, 'of another'),
      await passOn(tokenId, ada, cy, 'too late', new Date(Date.now() - 3_600_000)),
      await passOn(toTokenId('never'), ada, cy, 'never minted'),
    ].map(({ status, reason }) => [status, reason])
    expect(reasons).to.deep.equal([
      ['failed', 'The token is not in the wallet of who passes it on.'],
      ['failed', 'The time for passing the token on is over.'],
      ['failed', 'The token is not minted.'],
    ])
    expect(await passOn(tokenId, ada, cy, 'after that')).to.deep.include({ status: 'final', owner: cy })
  })

  it('signs nothing for a wallet whose key is erased, or to an address that is no wallet', async () => {
    const [gone, tokenId] = [await openWallet('gone'), toTokenId('lost 0')]
    await give('lost', gone)
    await rig().chains.eraseWallet('EthereumAnvil', 'account:gone')
    expect(await passOn(tokenId, gone, ada, 'from nobody')).to.deep.include({ status: 'failed' })
    const other = await give('kept', ada)
    expect(await passOn(other, ada, `0x${'be'.repeat(20)}`, 'to a stranger')).to.deep.include({
      status: 'failed',
      reason: 'The signer does not sign the operation.',
    })
  })
})
