import { getAddress, getContractAddress, numberToHex, type Hex } from 'viem'
import { NodeUnavailable, type Family, type FamilyOptions } from '../family.ts'
import { accessOf, certain, maybe } from './access.ts'
import { fund } from './funding.ts'
import { ownersIn, placeIn } from './owners.ts'
import { anchoringIn } from './records.ts'
import { receiptReader, type RawBlock } from './receipts.ts'
import { raise, seal, send, underpays } from './send.ts'
import { reasonFor, simulate } from './simulate.ts'
import { knowsBlocks, look } from './view.ts'

/** A sender on an EVM network. */
export function evmFamily(options: FamilyOptions): Family {
  const access = accessOf(options)
  const { rpc, address, chainId } = access
  const read = receiptReader(rpc)
  return {
    batchLimit: 500,
    rootLimit: 100,
    async open() {
      const [id, first] = await rpc.askAll([
        { method: 'eth_chainId', params: [] }, { method: 'eth_getBlockByNumber', params: ['0x0', false] }])
      if (certain<Hex>(id) !== numberToHex(chainId)) throw new NodeUnavailable(`the node is not of chain ${chainId}`)
      await fund(rpc, address)
      return maybe<RawBlock>(first)?.hash ?? null
    },
    view: (hashes) => look(access, read, hashes),
    knows: (blocks) => knowsBlocks(access, blocks),
    contractAt: (nonce) => getContractAddress({ from: getAddress(address), nonce: BigInt(nonce) }),
    deployed: async (contract) => (await rpc.ask<Hex>('eth_getCode', contract, 'latest')) !== '0x',
    prepare: (unit) => simulate(access, unit),
    sign: (attempt, prepared, nonce) => seal(access, attempt, prepared, nonce),
    underpays: (raw) => underpays(access, raw),
    raise: (attempt, raw) => raise(access, attempt, raw),
    send: (raw) => send(access, raw),
    reason: (raw, block) => reasonFor(access, raw, block),
    owners: (contract, tokenIds) => ownersIn(rpc, contract, tokenIds),
    placeOf: (contract, tokenId) => placeIn(rpc, contract, tokenId),
    anchoringOf: (contract, root) => anchoringIn(rpc, contract, root),
  }
}
