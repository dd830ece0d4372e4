import { NodeUnavailable, type Family, type FamilyOptions, type Receipt } from '../family.ts'
import { accessOf, certain, maybe } from './access.ts'
import { fund } from './funding.ts'
import { quantity, type Hex } from './quantity.ts'
import type { RawBlock, RawReceipt, receiptReader } from './receipts.ts'
import type { Rpc } from './rpc.ts'
import { knowsBlocks, look } from './view.ts'

/** What makes, sends and reads transactions: with the chain's SDK, which a sender that only watches does without. */
const load = {
  owners: () => import('./owners.ts'),
  receipts: () => import('./receipts.ts'),
  records: () => import('./records.ts'),
  send: () => import('./send.ts'),
  simulate: () => import('./simulate.ts'),
}

/** A sender on an EVM network. */
export function evmFamily(options: FamilyOptions): Family {
  const access = accessOf(options)
  const { rpc, address, chainId } = access
  const read = receiptsOf(rpc)
  return {
    batchLimit: 500,
    maxBatches: 2_000,
    rootLimit: 100,
    async open() {
      const [id, first] = await rpc.askAll([
        { method: 'eth_chainId', params: [] }, { method: 'eth_getBlockByNumber', params: ['0x0', false] }])
      if (certain<Hex>(id) !== quantity(chainId)) throw new NodeUnavailable(`the node is not of chain ${chainId}`)
      await fund(rpc, address)
      return maybe<RawBlock>(first)?.hash ?? null
    },
    view: (hashes) => look(access, read, hashes),
    knows: (blocks) => knowsBlocks(access, blocks),
    contractAt: async (nonce) => (await load.send()).contractAt(address, nonce),
    deployed: async (contract) => (await rpc.ask<Hex>('eth_getCode', contract, 'latest')) !== '0x',
    prepare: async (unit) => (await load.simulate()).simulate(access, unit),
    sign: async (attempt, prepared, nonce) => (await load.send()).seal(access, attempt, prepared, nonce),
    underpays: async (raw) => (await load.send()).underpays(access, raw),
    raise: async (attempt, raw, application) => (await load.send()).raise(access, attempt, raw, application),
    send: async (raw) => (await load.send()).send(access, raw),
    reason: async (raw, block) => (await load.simulate()).reasonFor(access, raw, block),
    owners: async (contract, tokenIds) => (await load.owners()).ownersIn(rpc, contract, tokenIds),
    placeOf: async (contract, tokenId) => (await load.owners()).placeIn(rpc, contract, tokenId),
    anchoringOf: async (contract, root) => (await load.records()).anchoringIn(rpc, contract, root),
  }
}

function receiptsOf(rpc: Rpc): (raw: readonly RawReceipt[]) => Promise<Receipt[]> {
  let read: ReturnType<typeof receiptReader> | undefined
  return async (raw) => {
    if (raw.length === 0) return []
    read ??= (await load.receipts()).receiptReader(rpc)
    return read(raw)
  }
}
