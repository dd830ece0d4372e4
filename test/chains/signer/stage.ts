import { randomUUID } from 'node:crypto'
import { claim, anchors, keyRecords, mints, tokenOf, type Rig } from '../../support/chains.ts'
import { ask, type Json } from './requests.ts'

/** What an intent has; the members of its act are its own. */
type ActName = 'deploy' | 'mintBatch' | 'mint' | 'transfer' | 'anchor' | 'registerKey' | 'rotateKey' | 'revokeKey' | 'fill'

export type Intent = Json & { act: Json; nonce: number }

const zero = `0x${'0'.repeat(40)}`

/** What is on chain and in the tables when the attack begins. Nothing that is queued is sent: no sender runs. */
export async function setStage(rig: Rig) {
  const [own, other, fresh] = [randomUUID(), randomUUID(), randomUUID()]
  const wallet = (name: string) => rig.chains.address('EthereumAnvil', name)
  const [claimer, bystander] = await Promise.all([wallet('account:claimer'), wallet('account:bystander')])
  const senders = rig.send()
  const first = [...mints(rig, 5, 'own', own), ...mints(rig, 5, 'other', other)]
  await rig.queue(first)
  await rig.outcomes(first.map(({ id }) => id))
  const records = [...anchors(rig, 1, 'first'), ...keyRecords(randomUUID(), [tokenOf('old key'), tokenOf('older key')])]
  await rig.record(records)
  await rig.recorded(records)
  await senders.stop()

  const organization = randomUUID()
  const queued = mints(rig, 3, 'queued', own)
  await rig.queue([
    ...queued, ...mints(rig, 2, 'foreign', other), ...mints(rig, 1, 'new collection', fresh),
    claim(rig, 'mintTo', tokenOf('direct'), claimer, own), claim(rig, 'transferTo', tokenOf('own 1'), claimer, own),
    claim(rig, 'mintTo', tokenOf('other direct'), bystander, other),
  ])
  const base = { organization, network: 'EthereumAnvil', job: randomUUID() } as const
  await rig.record([
    { ...base, id: 'root', kind: 'anchor', root: tokenOf('root') },
    { ...base, id: 'register', kind: 'registerKey', key: tokenOf('key 1') },
    { ...base, id: 'rotate', kind: 'rotateKey', key: tokenOf('key 2'), previous: tokenOf('key 1') },
    { ...base, id: 'revoke', kind: 'revokeKey', key: tokenOf('key 3'), compromisedAt: new Date(1_700_000_000_500) },
  ])
  const { senders: [sender] } = JSON.parse((await ask(rig, {
    path: '/senders', body: JSON.stringify({ network: 'EthereumAnvil' }),
  })).text) as { senders: [{ account: string; address: string }] }
  await rig.db('chain_contracts').where({ application: fresh }).update({ sender: sender.address })
  const [{ next_nonce: next }] = await rig.db('chain_senders').select('next_nonce') as [{ next_nonce: string }]
  const addressOf = async (where: object) =>
    (await rig.db('chain_contracts').where(where).first<{ address: string }>('address')).address
  const contracts = {
    own: await addressOf({ application: own }), other: await addressOf({ application: other }),
    anchors: await addressOf({ kind: 'anchors' }), keys: await addressOf({ kind: 'keys' }), nobody: zero,
  }
  const [issuer, otherIssuer, freshIssuer] = await Promise.all([own, other, fresh].map((id) => wallet(`issuer:${id}`)))
  const intent = (act: Json): Intent => ({
    network: 'EthereumAnvil', chainId: 31_337, account: sender.account, nonce: Number(next), gas: '150000',
    fees: { most: '3000000000', tip: '1000000000' }, act,
  })
  const tokenIds = queued.map(({ tokenId }) => tokenId).sort()
  /** Those that the tables justify. */
  const justified: Record<ActName, Intent> = {
    deploy: { ...intent({ kind: 'deploy', contract: {
      kind: 'passports', application: fresh, name: 'Demo collection', symbol: 'DEMOCOLL',
      baseUri: `${rig.settings.publicUrl}/t/`, issuer: freshIssuer,
    } }), gas: '4000000' },
    mintBatch: { ...intent({ kind: 'mintBatch', contract: contracts.own, issuer, tokenIds }), gas: '400000' },
    mint: intent({ kind: 'mint', contract: contracts.own, to: claimer, tokenId: tokenOf('direct') }),
    transfer: intent({ kind: 'transfer', contract: contracts.own, to: claimer, tokenId: tokenOf('own 1'), batch: 0, index: 0 }),
    anchor: intent({ kind: 'anchor', contract: contracts.anchors, roots: [tokenOf('root')] }),
    registerKey: intent({ kind: 'registerKey', contract: contracts.keys, organization, key: tokenOf('key 1') }),
    rotateKey: intent({
      kind: 'rotateKey', contract: contracts.keys, organization, key: tokenOf('key 2'), previous: tokenOf('key 1'),
    }),
    revokeKey: intent({
      kind: 'revokeKey', contract: contracts.keys, organization, key: tokenOf('key 3'), compromisedAt: 1_700_000_000,
    }),
    fill: { ...intent({ kind: 'fill' }), nonce: 0, gas: '21000' },
  }
  return { own, other, fresh, contracts, issuer, otherIssuer, claimer, bystander, sender, organization, justified, next: Number(next) }
}
export type Stage = Awaited<ReturnType<typeof setStage>>
