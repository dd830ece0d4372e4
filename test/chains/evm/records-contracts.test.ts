import { StandardMerkleTree } from '@openzeppelin/merkle-tree'
import { expect } from 'chai'
import { encodeAbiParameters, keccak256, parseEventLogs, type Hex, type TransactionReceipt } from 'viem'
import { anchorsAbi } from '../../../core/chains/evm/contracts/anchors.abi.ts'
import { keysAbi } from '../../../core/chains/evm/contracts/keys.abi.ts'
import { startTestAnvil, type TestAnvil } from '../../support/chains/anvil.ts'
import { toTokenId } from '../../support/chains/chain-rig.ts'
import { createAddress, owner, findRevertName, relayer } from '../../support/chains/passport-contract.ts'
import { deployAnchors, deployKeys, toOrganizationWord } from '../../support/chains/record-contracts.ts'

const stranger = createAddress('stranger')
const word = (name: string) => toTokenId(name) as Hex

let anvil: TestAnvil
before(async () => {
  anvil = await startTestAnvil()
  await anvil.fund(stranger, owner)
})
after(() => anvil.stop())

const timeOf = async ({ blockHash }: TransactionReceipt) => (await anvil.client.getBlock({ blockHash })).timestamp
const later = (seconds: number) => anvil.client.increaseTime({ seconds })

describe('CertificateAnchors', () => {
  let anchors: Awaited<ReturnType<typeof deployAnchors>>
  beforeEach(async () => {
    anchors = await deployAnchors(anvil)
  })

  const rootsOf = ({ logs }: TransactionReceipt) =>
    parseEventLogs({ abi: anchorsAbi, eventName: 'Anchored', logs }).map(({ args }) => args.root)

  it('keeps a root with time and number of its block, and leaves it so when it comes again', async () => {
    const { contract } = anchors
    expect(await contract.read.anchorOf([word('root')])).to.deep.equal([0n, 0n])
    const first = await anchors.anchor(word('root'))
    const kept = [await timeOf(first), first.blockNumber]
    expect([rootsOf(first), await contract.read.anchorOf([word('root')])]).to.deep.equal([[word('root')], kept])
    await later(60)
    for (const again of [await anchors.anchor(word('root')), await anchors.anchorMany([word('root')])]) {
      expect([again.status, again.logs.length]).to.deep.equal(['success', 0])
    }
    expect(await contract.read.anchorOf([word('root')])).to.deep.equal(kept)
  })

  it('anchors several roots at once, each once', async () => {
    await anchors.anchor(word('b'))
    const receipt = await anchors.anchorMany(['a', 'b', 'c', 'a'].map(word))
    expect(rootsOf(receipt)).to.deep.equal([word('a'), word('c')])
    expect((await anchors.contract.read.anchorOf([word('c')]))[1]).to.equal(receipt.blockNumber)
  })

  it('takes roots from its relayer only, and another relayer from its owner only', async () => {
    const { contract } = anchors
    for (const account of [stranger, owner]) {
      expect(await findRevertName(contract.simulate.anchor([word('x')], { account }))).to.equal('NotRelayer')
      expect(await findRevertName(contract.simulate.anchorMany([[word('x')]], { account }))).to.equal('NotRelayer')
    }
    expect(await findRevertName(contract.simulate.setRelayer([stranger], { account: relayer }))).to.equal(
      'OwnableUnauthorizedAccount',
    )
    expect(await findRevertName(contract.read.renounceOwnership({ account: owner }))).to.equal('OwnershipNotRenounced')
    await anvil.waitUntilMined(contract.write.setRelayer([stranger], { account: owner }))
    expect(await findRevertName(contract.simulate.anchor([word('x')], { account: stranger }))).to.equal(undefined)
    expect(await findRevertName(contract.simulate.anchor([word('x')], { account: relayer }))).to.equal('NotRelayer')
  })

  it('proves each passport of a tree whose root is anchored, and nothing else', async () => {
    const values = Array.from({ length: 11 }, (_, index): [bigint, Hex] => [
      BigInt(word(`token ${index}`)),
      word(`content ${index}`),
    ])
    const tree = StandardMerkleTree.of(values, ['uint256', 'bytes32'])
    const root = tree.root as Hex
    const leafOf = ([tokenId, content]: [bigint, Hex]) =>
      keccak256(keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes32' }], [tokenId, content])))
    const proofs = values.map((value) => tree.getProof(value) as Hex[])
    const { verify } = anchors.contract.read
    const all = (from: Hex) =>
      Promise.all(values.map((value, index) => verify([from, leafOf(value), proofs[index] ?? []])))
    expect(new Set(await all(root)), 'before it is anchored').to.deep.equal(new Set([false]))
    await anchors.anchor(root)
    expect(new Set(await all(root))).to.deep.equal(new Set([true]))
    expect(new Set(await all(word('another root')))).to.deep.equal(new Set([false]))

    const [[tokenId, content], [otherId, otherContent]] = values as [[bigint, Hex], [bigint, Hex]]
    const proof = proofs[0] ?? []
    for (const wrong of [
      [otherId, content],
      [tokenId, otherContent],
      [otherId, otherContent],
    ] as [bigint, Hex][]) {
      expect(await verify([root, leafOf(wrong), proof])).to.equal(false)
    }
    for (const short of [proof.slice(1), proof.slice(0, -1), [], [...proof, word('more')], proof.toReversed()]) {
      expect(await verify([root, leafOf([tokenId, content]), short])).to.equal(false)
    }
  })

  it('proves the only passport of a tree of one', async () => {
    const tree = StandardMerkleTree.of([[7n, word('content')]], ['uint256', 'bytes32'])
    await anchors.anchor(tree.root as Hex)
    expect(await anchors.contract.read.verify([tree.root as Hex, tree.root as Hex, []])).to.equal(true)
  })
})

describe('CertificationKeys', () => {
  const organization = toOrganizationWord('01890a5d-ac96-774b-bcce-b302099a8057')
  const other = toOrganizationWord('01890a5d-ac96-774b-bcce-b302099a8058')
  const [a, b, c] = [word('a'), word('b'), word('c')]
  let keys: Awaited<ReturnType<typeof deployKeys>>
  beforeEach(async () => {
    keys = await deployKeys(anvil)
  })

  const windowOf = (key: Hex, of = organization) => keys.contract.read.windowOf([of, key])
  const validAt = (key: Hex, ...times: bigint[]) =>
    Promise.all(times.map((time) => keys.contract.read.validAt([organization, key, time])))
  const eventsOf = ({ logs }: TransactionReceipt) =>
    parseEventLogs({ abi: keysAbi, logs }).map(({ eventName, args }) => [eventName, ...Object.values(args)])

  it('registers a key for its organization alone, from the block on', async () => {
    const receipt = await keys.register(organization, a)
    const time = await timeOf(receipt)
    expect(eventsOf(receipt)).to.deep.equal([['KeyRegistered', organization, a]])
    expect([await windowOf(a), await windowOf(a, other)]).to.deep.equal([
      [time, 0n, 0n, 0n],
      [0n, 0n, 0n, 0n],
    ])
    expect(await validAt(a, time - 1n, time, time + 1_000_000n)).to.deep.equal([false, true, true])
    expect(await validAt(b, time)).to.deep.equal([false])
  })

  it('ends the time of a key that another takes the place of, and keeps what was before', async () => {
    const start = await timeOf(await keys.register(organization, a))
    await later(100)
    const receipt = await keys.rotate(organization, b, a)
    const time = await timeOf(receipt)
    expect(eventsOf(receipt)).to.deep.equal([
      ['KeyRegistered', organization, b],
      ['KeyRotated', organization, a, b],
    ])
    expect([await windowOf(a), await windowOf(b)]).to.deep.equal([
      [start, time, 0n, 0n],
      [time, 0n, 0n, 0n],
    ])
    expect(await validAt(a, start, time, time + 1n)).to.deep.equal([true, true, false])
    expect(await validAt(b, time - 1n, time, time + 1n)).to.deep.equal([false, true, true])
  })

  it('revokes a key from a time on, or from the beginning', async () => {
    const start = await timeOf(await keys.register(organization, a))
    await keys.register(organization, b)
    await later(100)
    const compromised = start + 50n
    const receipt = await keys.revoke(organization, a, Number(compromised))
    expect(eventsOf(receipt)).to.deep.equal([['KeyRevoked', organization, a, compromised]])
    expect(await windowOf(a)).to.deep.equal([start, 0n, await timeOf(receipt), compromised])
    expect(await validAt(a, start, compromised - 1n, compromised, compromised + 1n)).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
    await keys.revoke(organization, b, 0)
    expect(await validAt(b, start, start + 1n, start + 1_000n)).to.deep.equal([false, false, false])
  })

  it('takes the earliest of several revocations, in whatever order they come', async () => {
    const start = await timeOf(await keys.register(organization, a))
    await later(100)
    const first = await timeOf(await keys.revoke(organization, a, Number(start + 50n)))
    await keys.revoke(organization, a, Number(start + 20n))
    await keys.revoke(organization, a, Number(start + 40n))
    expect(await windowOf(a)).to.deep.equal([start, 0n, first, start + 20n])
    expect(await validAt(a, start + 19n, start + 20n)).to.deep.equal([true, false])
  })

  it('never takes for valid a key that was revoked before it was registered', async () => {
    await keys.revoke(organization, c, 0)
    const time = await timeOf(await keys.register(organization, c))
    expect(await validAt(c, time)).to.deep.equal([false])
  })

  it('leaves as it is what comes again', async () => {
    await keys.register(organization, a)
    await keys.rotate(organization, b, a)
    await keys.revoke(organization, a, 5)
    const before = [await windowOf(a), await windowOf(b)]
    await later(100)
    const again = [
      await keys.register(organization, a),
      await keys.rotate(organization, b, a),
      await keys.revoke(organization, a, 5),
      await keys.revoke(organization, a, 9),
      await keys.rotate(organization, b, c),
    ]
    expect(again.map(({ status, logs }) => [status, logs.length])).to.deep.equal(again.map(() => ['success', 0]))
    expect([await windowOf(a), await windowOf(b)]).to.deep.equal(before)
    expect(await windowOf(c)).to.deep.equal([0n, 0n, 0n, 0n])
  })

  it('takes keys from its relayer only, and none that takes its own place', async () => {
    const { simulate } = keys.contract
    for (const account of [stranger, owner]) {
      expect(await findRevertName(simulate.register([organization, a], { account }))).to.equal('NotRelayer')
      expect(await findRevertName(simulate.rotate([organization, b, a], { account }))).to.equal('NotRelayer')
      expect(await findRevertName(simulate.revoke([organization, a, 0n], { account }))).to.equal('NotRelayer')
    }
    expect(await findRevertName(simulate.rotate([organization, a, a], { account: relayer }))).to.equal('SameKey')
  })
})
