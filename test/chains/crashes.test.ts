import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { claim, mints, tokenOf, useRig } from '../support/chains.ts'

/** The first of a kind strikes the deployment of the contract, a later one a claim or a batch. */
const points = [
  'tx.stored:1', 'tx.stored:3', 'tx.broadcast:1', 'tx.broadcast:4', 'tx.receipt:1', 'tx.receipt:2', 'unit.between:1',
]

describe('a sender that is killed', () => {
  const suite = useRig()

  for (const point of points) {
    it(`at ${point} has nothing lost and nothing twice after its restart`, async () => {
      const rig = suite()
      const application = randomUUID()
      const to = await rig.chains.address('EthereumAnvil', 'account:survivor')
      const job = mints(rig, 600, point, application)
      const claims = [0, 1].map((index) => claim(rig, 'mintTo', tokenOf(`${point} claim ${index}`), to, application))
      const first = await rig.sendInChild(point)
      await rig.queue([...job, ...claims])
      const [, signal] = await first.exited as [number | null, string | null]
      expect(signal, 'the fault point was reached').to.equal('SIGKILL')

      const second = rig.send()
      const settled = await rig.outcomes([...job, ...claims].map(({ id }) => id)).finally(() => second.stop())
      expect(new Set(settled.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
      const { mints: minted } = await rig.node.transfers()
      expect([...job, ...claims].filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
      expect((await rig.chains.contracts(rig.db, [application])).length).to.equal(1)
    })
  }
})
