import { toQuantity, type Hex } from './rpc/quantity.ts'
import type { Rpc } from './rpc/rpc.ts'

const ether = 10n ** 18n
const developmentFunds = { minBalance: 10n * ether, transferAmount: 500n * ether }

/**
 * Funds the sender on the development node from one of the node's own unlocked accounts. On a real chain the operator
 * funds the sender. Does nothing while an earlier transfer is pending.
 */
export async function fundSender(rpc: Rpc, address: string): Promise<void> {
  const version = await rpc.call<string>('web3_clientVersion')
  if (!version.startsWith('anvil/')) return
  const [funder] = await rpc.call<Hex[]>('eth_accounts')
  if (
    funder === undefined
    || BigInt(await rpc.call<Hex>('eth_getBalance', address, 'latest')) >= developmentFunds.minBalance
  )
    return
  const [mined, sent] = await rpc.callAll(
    ['latest', 'pending'].map((at) => ({ method: 'eth_getTransactionCount', params: [funder, at] })),
  )
  if (mined !== sent) return
  await rpc.call<Hex>('eth_sendTransaction', {
    from: funder,
    to: address,
    value: toQuantity(developmentFunds.transferAmount),
  })
}
