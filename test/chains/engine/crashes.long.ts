import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClaim, createMints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'

/** The first of a kind strikes the deployment of the contract, a later one a claim or a batch. */
const points = [
  'tx.stored:1',
  'tx.stored:3',
  'tx.broadcast:1',
  'tx.broadcast:4',
  'tx.receipt:1',
  'tx.receipt:2',
  'unit.between:1',
]

describe('Chain sender killed at fault points', () => {
  const suite = useChainRig()

  for (const point of points) {
    it(`loses and doubles nothing after a kill at ${point} and a restart`, async () => {
      const rig = suite()
      const application = randomUUID()
      const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:survivor')
      const job = createMints(rig, 600, point, application)
      const claims = [0, 1].map((index) =>
        createClaim(rig, 'mintTo', toTokenId(`${point} claim ${index}`), to, application),
      )
      const first = await rig.startSenderProcess(point)
      await rig.queueOperations([...job, ...claims])
      const [, signal] = (await first.exited) as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')

      const second = rig.startSenders()
      const settled = await rig.waitForOutcomes([...job, ...claims].map(({ id }) => id)).finally(() => second.stop())
      expect(new Set(settled.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
      const { mints: minted } = await rig.node.countTransfers()
      expect([...job, ...claims].filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
      expect((await rig.chains.listDeployedContracts(rig.db, [application])).length).to.equal(1)
    })
  }
})
