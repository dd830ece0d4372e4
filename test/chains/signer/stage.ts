import { randomUUID } from 'node:crypto'
import { hashOperation } from '../../../core/chains/acts/pass-on.ts'
import { readNextPlace } from '../../../core/chains/places.ts'
import {
  createClaim,
  createAnchors,
  createKeyRecords,
  createMints,
  createPassOn,
  createPoints,
  toTokenId,
  type ChainRig,
} from '../../support/chains/chain-rig.ts'
import { assignContract, findSharedContract } from '../../support/rows/chains/contracts.ts'
import { readSender, type Json } from './requests.ts'

/** What an intent has; the members of its act are its own. */
type ActName =
  | 'deploy'
  | 'deployPoints'
  | 'mintBatch'
  | 'mint'
  | 'transfer'
  | 'passOn'
  | 'postPoints'
  | 'anchor'
  | 'registerKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'fill'

export type Intent = Json & { act: Json; nonce: number }

const zero = `0x${'0'.repeat(40)}`

/** What is on chain and in the tables when the attack begins. Nothing that is queued is sent: no sender runs. */
export async function createStage(rig: ChainRig) {
  const [own, other, fresh] = [randomUUID(), randomUUID(), randomUUID()]
  const wallet = (name: string) => rig.chains.ensureWalletAddress('EthereumAnvil', name)
  const [claimer, bystander] = await Promise.all([wallet('account:claimer'), wallet('account:bystander')])
  const senders = rig.startSenders()
  const first = [...createMints(rig, 5, 'own', own), ...createMints(rig, 5, 'other', other)]
  await rig.queueOperations(first)
  await rig.waitForOutcomes(first.map(({ id }) => id))
  const createPointsOf = (application: string, series: string, account: string, amount: bigint) =>
    createPoints(rig, series, { application, accounts: [account], amounts: [amount] })
  const finalPoints = [
    ...createPointsOf(own, 'final', claimer, 100n),
    ...createPointsOf(other, 'final of the other', bystander, 100n),
  ]
  await rig.queuePoints(finalPoints)
  await rig.waitForPoints(finalPoints)
  const handed = toTokenId('handed')
  const handovers = [
    createClaim(rig, 'mintTo', handed, bystander, own),
    createPassOn(rig, handed, own, { id: 'first handover', from: bystander, to: claimer }),
  ]
  await rig.queueOperations(handovers)
  await rig.waitForOutcomes(handovers.map(({ id }) => id))
  const records = [
    ...createAnchors(rig, 1, 'first'),
    ...createKeyRecords(randomUUID(), [toTokenId('old key'), toTokenId('older key')]),
  ]
  await rig.insertRecords(records)
  const [anchors, keys] = (await rig.waitForRecords(records)).map(({ contract }) => contract)
  await senders.stop()

  const organization = randomUUID()
  const until = new Date(2_000_000_000_000)
  const queued = createMints(rig, 3, 'queued', own)
  await rig.queueOperations([
    ...queued,
    ...createMints(rig, 2, 'foreign', other),
    ...createMints(rig, 1, 'new collection', fresh),
    createClaim(rig, 'mintTo', toTokenId('direct'), claimer, own),
    createClaim(rig, 'transferTo', toTokenId('own 1'), claimer, own),
    createClaim(rig, 'mintTo', toTokenId('other direct'), bystander, other),
    createPassOn(rig, handed, own, { id: 'queued handover', from: claimer, to: bystander, until }),
  ])
  const points = [...createPointsOf(own, 'queued', claimer, 100n), ...createPointsOf(own, 'burn', bystander, -30n)]
  const otherPoints = createPointsOf(other, 'queued of the other', bystander, 7n)
  await rig.queuePoints([...points, ...otherPoints, ...createPointsOf(fresh, 'new points', claimer, 1n)])
  const base = { organization, network: 'EthereumAnvil', job: randomUUID() } as const
  await rig.insertRecords([
    { ...base, id: 'root', kind: 'anchor', root: toTokenId('root') },
    { ...base, id: 'register', kind: 'registerKey', key: toTokenId('key 1') },
    { ...base, id: 'rotate', kind: 'rotateKey', key: toTokenId('key 2'), previous: toTokenId('key 1') },
    { ...base, id: 'revoke', kind: 'revokeKey', key: toTokenId('key 3'), compromisedAt: new Date(1_700_000_000_500) },
  ])
  const sender = await readSender(rig)
  await assignContract(rig.db, { application: fresh, sender: sender.address })
  const next = await readNextPlace(rig.db, { network: 'EthereumAnvil', address: sender.address })
  const deployed = await rig.chains.listDeployedContracts(rig.db, [own, other])
  const addressOf = (application: string, kind: 'passports' | 'points' = 'passports') =>
    deployed.find((contract) => contract.application === application && contract.kind === kind)?.address
  const contracts = {
    own: requireAddress(addressOf(own)),
    other: requireAddress(addressOf(other)),
    ownPoints: requireAddress(addressOf(own, 'points')),
    otherPoints: requireAddress(addressOf(other, 'points')),
    anchors: requireAddress(anchors),
    keys: requireAddress(keys),
    handovers: requireAddress(await findSharedContract(rig.db, 'handovers')),
    nobody: zero,
  }
  const [issuer, otherIssuer, freshIssuer] = await Promise.all([own, other, fresh].map((id) => wallet(`issuer:${id}`)))
  const intent = (act: Json): Intent => ({
    network: 'EthereumAnvil',
    chainId: 31_337,
    account: sender.account,
    nonce: next,
    gas: '150000',
    fees: { most: '3000000000', tip: '1000000000' },
    act,
  })
  const tokenIds = queued.map(({ tokenId }) => tokenId).sort()
  /** Those that the tables justify. */
  const justified: Record<ActName, Intent> = {
    deploy: {
      ...intent({
        kind: 'deploy',
        contract: {
          kind: 'passports',
          application: fresh,
          name: 'Demo collection',
          symbol: 'DEMOCOLL',
          baseUri: `${rig.settings.publicUrl}/t/`,
          issuer: freshIssuer,
        },
      }),
      gas: '4000000',
    },
    deployPoints: {
      ...intent({
        kind: 'deploy',
        contract: { kind: 'points', application: fresh, name: 'Bags', symbol: 'BAGS' },
      }),
      gas: '3000000',
    },
    mintBatch: { ...intent({ kind: 'mintBatch', contract: contracts.own, issuer, tokenIds }), gas: '400000' },
    mint: intent({ kind: 'mint', contract: contracts.own, to: claimer, tokenId: toTokenId('direct') }),
    transfer: intent({
      kind: 'transfer',
      contract: contracts.own,
      to: claimer,
      tokenId: toTokenId('own 1'),
      batch: 0,
      index: 0,
    }),
    passOn: intent({
      kind: 'passOn',
      contract: contracts.own,
      from: claimer,
      to: bystander,
      tokenId: handed,
      operation: hashOperation('queued handover'),
      until: 2_000_000_000,
      delegation: { contract: contracts.handovers, nonce: 0 },
    }),
    postPoints: intent({
      kind: 'postPoints',
      contract: contracts.ownPoints,
      operations: points.map(({ id }) => id),
      accounts: points.map(({ account }) => account),
      amounts: points.map(({ amount }) => `${amount}`),
    }),
    anchor: intent({ kind: 'anchor', contract: contracts.anchors, roots: [toTokenId('root')] }),
    registerKey: intent({ kind: 'registerKey', contract: contracts.keys, organization, key: toTokenId('key 1') }),
    rotateKey: intent({
      kind: 'rotateKey',
      contract: contracts.keys,
      organization,
      key: toTokenId('key 2'),
      previous: toTokenId('key 1'),
    }),
    revokeKey: intent({
      kind: 'revokeKey',
      contract: contracts.keys,
      organization,
      key: toTokenId('key 3'),
      compromisedAt: 1_700_000_000,
    }),
    fill: { ...intent({ kind: 'fill' }), nonce: 0, gas: '21000' },
  }
  return {
    own,
    other,
    fresh,
    contracts,
    issuer,
    otherIssuer,
    claimer,
    bystander,
    sender,
    organization,
    justified,
    next,
    /** Ids of points that are final, and of points that another application waits for. */
    pointsIds: { final: finalPoints[0]?.id ?? '', other: otherPoints[0]?.id ?? '' },
  }
}

function requireAddress(contract: string | null | undefined): string {
  if (!contract) throw new Error('A contract of the stage is not deployed')
  return contract
}

export type Stage = Awaited<ReturnType<typeof createStage>>
