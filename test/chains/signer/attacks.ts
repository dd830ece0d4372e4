import { randomUUID } from 'node:crypto'
import { encodeFunctionData, hexToBytes, parseAbi, serializeTransaction, toHex, type Hex } from 'viem'
import { toTokenId } from '../../support/chains/chain-rig.ts'
import { createHandoverAttacks } from './handover-attacks.ts'
import { createPointsAttacks, createPointsDeployments } from './points-attacks.ts'
import { changeIntent, createEnvelope, type Envelope, type Json } from './requests.ts'
import type { Stage } from './stage.ts'

export interface Attack extends Envelope {
  group: string
  name: string
}

const thief = `0x${'be'.repeat(20)}`

/** What is wrong whatever the act: network, chain, wallet, nonce, fees, members that are none. */
function framed({ justified, next, own }: Stage): Attack[] {
  const wrong: Record<string, (intent: Json) => Json> = {
    'another network': (one) => changeIntent(one, { network: 'BaseSepolia', chainId: 84_532 }),
    'no network': (one) => changeIntent(one, { network: 'toString' }),
    'another chain id': (one) => changeIntent(one, { chainId: 1 }),
    'the wallet of a person': (one) => changeIntent(one, { account: 'account:bystander' }),
    'the wallet of an issuer': (one) => changeIntent(one, { account: `issuer:${own}` }),
    'a wallet that is none': (one) => changeIntent(one, { account: 'sender:EthereumAnvil:7' }),
    'a nonce far ahead': (one) => changeIntent(one, { nonce: next + 5_000 }),
    'a nonce below zero': (one) => changeIntent(one, { nonce: -1 }),
    'a fee that empties the sender': (one) => changeIntent(one, { fees: { most: `${10n ** 18n}`, tip: '1' } }),
    'a tip above the fee': (one) => changeIntent(one, { fees: { most: '1', tip: `${10n ** 9n}` } }),
    'gas without measure': (one) => changeIntent(one, { gas: '30000000' }),
    'a value': (one) => changeIntent(one, { value: '1000000000000000000' }),
    'data of its own': (one) => changeIntent(one, {}, { data: '0xdeadbeef' }),
    'a function of its own': (one) => changeIntent(one, {}, { function: 'setRelayer', args: [thief] }),
  }
  return Object.entries(justified).flatMap(([act, intent]) =>
    Object.entries(wrong).map(([name, change]) => ({
      group: 'network, wallet, nonce, fees',
      name: `${act}: ${name}`,
      ...createEnvelope(change(intent)),
    })),
  )
}

function tokens({
  justified: { mintBatch, mint, transfer },
  contracts,
  otherIssuer,
  bystander,
  claimer,
}: Stage): Attack[] {
  const ids = (mintBatch['act'] as { tokenIds: string[] }).tokenIds
  const of = (base: Json, list: Record<string, Json>) =>
    Object.entries(list).map(([name, act]) => ({
      group: 'tokens',
      name: `${(base['act'] as Json)['kind'] as string}: ${name}`,
      ...createEnvelope(changeIntent(base, {}, act)),
    }))
  const anywhere = {
    'contract of another application': { contract: contracts.other },
    'contract of roots': { contract: contracts.anchors },
    'contract of keys': { contract: contracts.keys },
    'contract that is none of ours': { contract: thief },
    'no contract': { contract: contracts.nobody },
  }
  const single = {
    'to a thief': { to: thief },
    'to another account': { to: bystander },
    'to the issuer': { to: otherIssuer },
    'token nobody asked for': { tokenId: toTokenId('invented') },
    'token of a batch that waits': { tokenId: ids[0] ?? '' },
    'token of another application': { tokenId: toTokenId('foreign 0') },
    'token that was never claimed': { tokenId: toTokenId('own 3') },
    'token and account of another application': { tokenId: toTokenId('other direct'), to: bystander },
  }
  return [
    ...of(mintBatch, {
      ...anywhere,
      'to another issuer': { issuer: otherIssuer },
      'to a thief': { issuer: thief },
      'one token more than asked': { tokenIds: [...ids, toTokenId('invented')].sort() },
      'a token that is minted': { tokenIds: [toTokenId('own 0')] },
      'tokens of another application': { tokenIds: [toTokenId('foreign 0')] },
      'a token twice': { tokenIds: [ids[0], ids[0]] },
      'no token': { tokenIds: [] },
      'a claim as batch': { tokenIds: [toTokenId('direct')] },
    }),
    ...of(mint, { ...anywhere, ...single, 'a transfer as mint': { tokenId: toTokenId('own 1'), to: claimer } }),
    ...of(transfer, { ...anywhere, ...single, 'a mint as transfer': { tokenId: toTokenId('direct'), to: claimer } }),
  ]
}

function records({ justified, contracts }: Stage): Attack[] {
  const { anchor, registerKey, rotateKey, revokeKey } = justified
  const list: [string, Json, Json][] = [
    ['anchor: a root nobody asked for', anchor, { roots: [toTokenId('invented')] }],
    ['anchor: one root more', anchor, { roots: [toTokenId('root'), toTokenId('invented')] }],
    ['anchor: in the contract of keys', anchor, { contract: contracts.keys }],
    ['anchor: in a contract of passports', anchor, { contract: contracts.own }],
    ['anchor: a key as root', anchor, { roots: [toTokenId('key 1')] }],
    ['registerKey: of another organization', registerKey, { organization: randomUUID() }],
    ['registerKey: a key nobody asked for', registerKey, { key: toTokenId('invented') }],
    ['registerKey: in the contract of roots', registerKey, { contract: contracts.anchors }],
    ['rotateKey: another key ends', rotateKey, { previous: toTokenId('key 3') }],
    ['rotateKey: of another organization', rotateKey, { organization: randomUUID() }],
    ['revokeKey: from the beginning', revokeKey, { compromisedAt: null }],
    ['revokeKey: from another moment', revokeKey, { compromisedAt: 1_600_000_000 }],
    ['revokeKey: another key', revokeKey, { key: toTokenId('key 1') }],
    ['revokeKey: of another organization', revokeKey, { organization: randomUUID() }],
  ]
  return list.map(([name, base, act]) => ({
    group: 'roots and keys',
    name,
    ...createEnvelope(changeIntent(base, {}, act)),
  }))
}

function deployments({ justified: { deploy }, own, other, otherIssuer }: Stage): Attack[] {
  const { contract } = deploy['act'] as { contract: Json }
  const list: Record<string, Json> = {
    'a second collection of an application': { application: own },
    'another issuer': { issuer: otherIssuer },
    'a thief as issuer': { issuer: thief },
    'an address of their own': { baseUri: 'https://thief.example/t/' },
    'another name': { name: 'Genuine' },
    'another symbol': { symbol: 'GEN' },
    'for another application': { application: other },
    'code of their own': { bytecode: '0x6001' },
    'an owner of their own': { owner: thief },
    'a relayer of their own': { relayer: thief },
    'a second contract of roots': { kind: 'anchors' },
    'a contract that is not known': { kind: 'shares' },
  }
  const shared = ['anchors', 'keys', 'handovers'].map((kind) => ({
    name: `a second ${kind}`,
    act: { contract: { kind } },
  }))
  return [
    ...Object.entries(list).map(([name, members]) => ({ name, act: { contract: { ...contract, ...members } } })),
    ...shared,
  ].map(({ name, act }) => ({ group: 'deployments', name, ...createEnvelope(changeIntent(deploy, {}, act)) }))
}

/** Acts that the signer does not know, among them those of owners. */
function foreignActs({ justified: { fill }, contracts }: Stage): Attack[] {
  const acts: Json[] = [
    ...['pause', 'unpause', 'acceptOwnership', 'renounceOwnership'].map((kind) => ({ kind, contract: contracts.own })),
    { kind: 'setRelayer', contract: contracts.own, relayer: thief },
    { kind: 'transferOwnership', contract: contracts.own, owner: thief },
    { kind: 'payment', to: thief, value: '1000000000000000000' },
    { kind: 'funding', to: thief, value: '1' },
    { kind: 'points', contract: contracts.own, to: thief, amount: '5' },
    { kind: 'shares', contract: contracts.own, to: thief, amount: '5' },
    { kind: 'approve', contract: contracts.own, to: thief },
    { kind: 'setApprovalForAll', contract: contracts.own, to: thief },
    { kind: 'multicall', contract: contracts.own, calls: [] },
    { kind: 'call', contract: contracts.own, data: '0x' },
    { kind: 'message', text: 'I owe you' },
    { kind: 'typedData', domain: {}, message: {} },
    { kind: 'hash', hash: toTokenId('hash') },
    { kind: 'raw', bytes: '0x00' },
    { kind: '__proto__' },
    { kind: 'constructor' },
  ]
  return acts.map((act) => ({
    group: 'acts that are none',
    name: `${act['kind'] as string}`,
    ...createEnvelope({ ...fill, act }),
  }))
}

/** Bytes and hashes, as an earlier version signed whatever they were. */
function rawBytes({ sender, own, contracts, next }: Stage): Attack[] {
  const abi = parseAbi([
    'function transferFrom(address,address,uint256)',
    'function setRelayer(address)',
    'function approve(address,uint256)',
  ])
  const data = {
    transfer: encodeFunctionData({ abi, functionName: 'transferFrom', args: [thief, thief, 1n] as never }),
    relayer: encodeFunctionData({ abi, functionName: 'setRelayer', args: [thief as Hex] }),
    approve: encodeFunctionData({ abi, functionName: 'approve', args: [thief as Hex, 1n] }),
  }
  const frame = {
    chainId: 31_337,
    nonce: next,
    gas: 100_000n,
    maxFeePerGas: 3n * 10n ** 9n,
    maxPriorityFeePerGas: 1n,
    type: 'eip1559' as const,
  }
  const to = contracts.own as Hex
  const contents: Record<string, Uint8Array> = {
    'a payment': hexToBytes(serializeTransaction({ ...frame, to: thief as Hex, value: 10n ** 18n })),
    'a new relayer': hexToBytes(serializeTransaction({ ...frame, to, data: data.relayer })),
    'an approval': hexToBytes(serializeTransaction({ ...frame, to, data: data.approve })),
    'a transfer': hexToBytes(serializeTransaction({ ...frame, to, data: data.transfer })),
    'code of their own': hexToBytes(serializeTransaction({ ...frame, data: '0x6001600155' })),
    'a payment on the main network': hexToBytes(
      serializeTransaction({ ...frame, chainId: 8_453, to: thief as Hex, value: 1n }),
    ),
    'a message': Buffer.from('\x19Ethereum Signed Message:\n9I owe you'),
    'a hash': hexToBytes(toHex(7n, { size: 32 })),
  }
  return [sender.account, 'account:bystander', `issuer:${own}`].flatMap((account) =>
    Object.entries(contents).map(([name, bytes]) => ({
      group: 'bytes and messages',
      name: `${name} by ${account.split(':')[0] ?? ''}`,
      body: JSON.stringify({
        operation: randomUUID(),
        account,
        family: 'evm',
        bytes: Buffer.from(bytes).toString('base64'),
      }),
    })),
  )
}

/** Requests that are none, and ways that do not exist. */
function frames({ justified: { mint } }: Stage): Attack[] {
  const { body } = createEnvelope(mint)
  const paths = ['/', '/keys', '/export', '/sign-message', '/sign/..%2fkeys', '/decrypt', '/reveal?account=sender']
  const bodies = [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{"operation":"a"}',
    '{"operation":"","intent":{}}',
    body.slice(0, -1),
    JSON.stringify({ operation: { id: 1 }, intent: mint }),
    JSON.stringify({ operation: 'x', intent: [mint] }),
    JSON.stringify({ operation: 'x', intent: mint, padding: 'x'.repeat(600_000) }),
  ]
  const wallets = [
    'sender:EthereumAnvil:0',
    'sender:BaseMainnet:0',
    '',
    'account:',
    `account:${'x'.repeat(200)}`,
    'owner:EthereumAnvil',
  ]
  return [
    ...paths.map((path) => ({ name: `path ${path}`, path, body })),
    ...bodies.map((each, at) => ({ name: `body ${at}`, body: each })),
    ...wallets.map((account) => ({
      name: `wallet ${account}`,
      path: '/ensure-key',
      body: JSON.stringify({ account, family: 'evm' }),
    })),
    { name: 'another method', method: 'PUT', body },
    { name: 'no secret', secret: null, body },
    { name: 'another secret', secret: 'x'.repeat(32), body },
    { name: 'an empty secret', secret: '', body },
  ].map((one) => ({ group: 'requests that are none', ...one }))
}

export const createAttacks = (stage: Stage): Attack[] => [
  ...framed(stage),
  ...tokens(stage),
  ...createPointsAttacks(stage),
  ...createHandoverAttacks(stage),
  ...records(stage),
  ...deployments(stage),
  ...createPointsDeployments(stage),
  ...foreignActs(stage),
  ...rawBytes(stage),
  ...frames(stage),
]
