import { expect } from 'chai'
import { parseEventLogs, zeroAddress, type Address, type Hex, type TransactionReceipt } from 'viem'
import { pointsAbi } from '../../../core/chains/evm/contracts/points.abi.ts'
import { startTestAnvil, type TestAnvil } from '../../support/chains/anvil.ts'
import { toTokenId } from '../../support/chains/chain-rig.ts'
import { createAddress, findRevertName, owner, relayer } from '../../support/chains/passport-contract.ts'
import {
  deployPoints,
  packEntry,
  parsePosted,
  type PointsContract,
  type PointsEntry,
} from '../../support/chains/points-contract.ts'

const [alice, bob, stranger] = [createAddress('alice'), createAddress('bob'), createAddress('stranger')]
const word = (name: string) => toTokenId(name) as Hex
const createEntry = (name: string, account: Address, amount: bigint): PointsEntry => ({
  operation: word(name),
  account,
  amount,
})

describe('LoyaltyPoints', () => {
  let anvil: TestAnvil
  let points: PointsContract
  before(async () => {
    anvil = await startTestAnvil()
    await anvil.fund(alice, stranger)
  })
  after(() => anvil.stop())
  beforeEach(async () => {
    points = await deployPoints(anvil)
  })

  const read = () => points.contract.read
  const stateOf = async (account: Address) => ({
    balance: await read().balanceOf([account]),
    owed: await read().owed([account]),
    position: (await read().positions([[account]]))[0],
  })
  const transfersOf = ({ logs }: TransactionReceipt) =>
    parseEventLogs({ abi: pointsAbi, eventName: 'Transfer', logs }).map(({ args }) => [args.from, args.to, args.value])
  const simulatePost = (operations: readonly Hex[], entries: readonly bigint[], account: Address = relayer) =>
    findRevertName(points.contract.simulate.post([operations, entries], { account }))

  it('has a name, a symbol and no decimals', async () => {
    expect([await read().name(), await read().symbol(), await read().decimals()]).to.deep.equal([
      'House of Bags',
      'HOUSEOFB',
      0,
    ])
  })

  it('adds points to many accounts at once, with an event and a transfer each', async () => {
    const receipt = await points.post(createEntry('a', alice, 100n), createEntry('b', bob, 7n))
    expect(parsePosted(receipt)).to.deep.equal([
      [word('a'), alice, 100n],
      [word('b'), bob, 7n],
    ])
    expect(transfersOf(receipt)).to.deep.equal([
      [zeroAddress, alice, 100n],
      [zeroAddress, bob, 7n],
    ])
    expect(await read().positions([[alice, bob, stranger]])).to.deep.equal([100n, 7n, 0n])
    expect(await read().totalSupply()).to.equal(107n)
    expect(await read().usedOf([[word('a'), word('c'), word('b')]])).to.deep.equal([true, false, true])
  })

  it('takes points away', async () => {
    await points.post(createEntry('a', alice, 100n))
    const receipt = await points.post(createEntry('b', alice, -30n))
    expect(transfersOf(receipt)).to.deep.equal([[alice, zeroAddress, 30n]])
    expect(await stateOf(alice)).to.deep.equal({ balance: 70n, owed: 0n, position: 70n })
    expect(await read().totalSupply()).to.equal(70n)
  })

  it('counts an operation once: again, in one call, with another amount or account', async () => {
    await points.post(createEntry('a', alice, 100n))
    const again = await points.post(
      createEntry('a', alice, 100n),
      createEntry('a', bob, 5n),
      createEntry('b', bob, 1n),
      createEntry('b', bob, 1n),
    )
    expect([again.status, parsePosted(again)]).to.deep.equal(['success', [[word('b'), bob, 1n]]])
    expect(await read().positions([[alice, bob]])).to.deep.equal([100n, 1n])
    expect(await read().totalSupply()).to.equal(101n)
  })

  it('owes what is taken beyond the balance, and pays that first', async () => {
    await points.post(createEntry('a', alice, 10n))
    const beyond = await points.post(createEntry('b', alice, -25n))
    expect([transfersOf(beyond), parsePosted(beyond)]).to.deep.equal([
      [[alice, zeroAddress, 10n]],
      [[word('b'), alice, -25n]],
    ])
    expect(await stateOf(alice)).to.deep.equal({ balance: 0n, owed: 15n, position: -15n })
    const partly = await points.post(createEntry('c', alice, 5n))
    expect(transfersOf(partly)).to.deep.equal([])
    expect(await stateOf(alice)).to.deep.equal({ balance: 0n, owed: 10n, position: -10n })
    const more = await points.post(createEntry('d', alice, 12n))
    expect(transfersOf(more)).to.deep.equal([[zeroAddress, alice, 2n]])
    expect(await stateOf(alice)).to.deep.equal({ balance: 2n, owed: 0n, position: 2n })
    expect(await read().totalSupply()).to.equal(2n)
  })

  it('comes to the same in whatever order and batches the entries come', async () => {
    const entries = [50n, -80n, 3n, -1n, 40n, -20n, 7n].map((amount, index) =>
      createEntry(`entry ${index}`, index % 3 === 2 ? bob : alice, amount),
    )
    const orders = [
      [entries],
      [entries.toReversed()],
      entries.map((one) => [one]),
      entries.toReversed().map((one) => [one]),
      [entries.slice(3), entries.slice(2, 5), entries.slice(0, 4)],
    ]
    for (const batches of orders) {
      points = await deployPoints(anvil)
      for (const batch of batches) await points.post(...batch)
      expect(await read().positions([[alice, bob]])).to.deep.equal([16n, -17n])
      expect([await read().balanceOf([bob]), await read().totalSupply()]).to.deep.equal([0n, 16n])
    }
  })

  it('holds the largest amounts of an entry, in both directions', async () => {
    const limit = (1n << 95n) - 1n
    await points.post(createEntry('a', alice, limit), createEntry('b', bob, -limit - 1n))
    expect(await read().positions([[alice, bob]])).to.deep.equal([limit, -limit - 1n])
  })

  it('lets no holder move points, allow it or be allowed it', async () => {
    await points.post(createEntry('a', alice, 100n))
    const names = await Promise.all(
      [
        read().transfer([bob, 1n], { account: alice }),
        read().transfer([bob, 0n], { account: alice }),
        read().approve([bob, 1n], { account: alice }),
        read().transferFrom([alice, bob, 1n], { account: stranger }),
        read().transferFrom([alice, bob, 1n], { account: relayer }),
        read().transferFrom([alice, bob, 1n], { account: owner }),
      ].map(findRevertName),
    )
    expect(new Set(names)).to.deep.equal(new Set(['NotTransferable']))
    expect(await read().allowance([alice, bob])).to.equal(0n)
  })

  it('takes entries from its relayer only, and another relayer from its owner only', async () => {
    const entry = createEntry('a', alice, 1n)
    for (const account of [stranger, owner, alice])
      expect(await simulatePost([entry.operation], [packEntry(entry)], account)).to.equal('NotRelayer')
    const { simulate, write } = points.contract
    expect(await findRevertName(simulate.setRelayer([stranger], { account: relayer }))).to.equal(
      'OwnableUnauthorizedAccount',
    )
    await anvil.waitUntilMined(write.setRelayer([stranger], { account: owner }))
    expect(await simulatePost([entry.operation], [packEntry(entry)], stranger)).to.equal(undefined)
    expect(await simulatePost([entry.operation], [packEntry(entry)])).to.equal('NotRelayer')
  })

  it('takes nothing while its owner has paused it', async () => {
    const entry = createEntry('a', alice, 1n)
    const { simulate, write } = points.contract
    for (const account of [stranger, relayer])
      expect(await findRevertName(simulate.pause({ account }))).to.equal('OwnableUnauthorizedAccount')
    await anvil.waitUntilMined(write.pause({ account: owner }))
    expect(await simulatePost([entry.operation], [packEntry(entry)])).to.equal('EnforcedPause')
    expect(await findRevertName(simulate.unpause({ account: relayer }))).to.equal('OwnableUnauthorizedAccount')
    await anvil.waitUntilMined(write.unpause({ account: owner }))
    expect(await simulatePost([entry.operation], [packEntry(entry)])).to.equal(undefined)
  })

  it('refuses operations without an entry, entries without an operation, and the address of nobody', async () => {
    const entry = packEntry(createEntry('a', alice, 1n))
    expect(await simulatePost([word('a'), word('b')], [entry])).to.equal('LengthMismatch')
    expect(await simulatePost([word('a')], [entry, entry])).to.equal('LengthMismatch')
    expect(await simulatePost([word('a')], [packEntry(createEntry('a', zeroAddress, 1n))])).to.equal(
      'ERC20InvalidReceiver',
    )
  })
})
