import type { Network } from '../networks.ts'
import type { Act, Intent } from './intents.ts'
import { forbidden } from './refusal.ts'

/**
 * The most that a unit of gas may cost on a network, in gwei: far above what it ever cost there, far below what would
 * empty a sender. `<NETWORK>_MAX_FEE_GWEI` sets another bound.
 */
const maxFeeGwei: Partial<Record<Network, number>> = {
  EthereumAnvil: 10_000, BaseSepolia: 1_000, BaseMainnet: 500, XdcApothem: 2_000, XdcMainnet: 2_000,
}

/** The most gas of one transaction. Source: EIP-7825. */
const maxGas = 16_777_216n

/** The most gas that an act may be given: several times what it takes. */
function maxGasOf(act: Act): bigint {
  switch (act.kind) {
    case 'fill': return 21_000n
    case 'mint': case 'transfer': return 2_000_000n
    case 'registerKey': case 'rotateKey': case 'revokeKey': return 1_000_000n
    case 'anchor': return min(maxGas, 200_000n + 100_000n * BigInt(act.roots.length))
    case 'mintBatch': return min(maxGas, 600_000n + 30_000n * BigInt(act.tokenIds.length))
    case 'deploy': return maxGas
  }
}

/** Refuses fees and gas beyond their bounds. @param given the operator's own bound, in gwei */
export function demandBoundedFees({ network, fees, gas, act }: Intent, given: number | undefined): void {
  const most = BigInt(fees.most)
  const tip = BigInt(fees.tip ?? 0)
  const bound = BigInt(given ?? maxFeeGwei[network as Network] ?? 0) * 1_000_000_000n
  if (most > bound || tip > most) throw forbidden('FEES', 'The fees are beyond what this signer pays on the network.')
  if (BigInt(gas) > maxGasOf(act)) throw forbidden('GAS', 'The gas is beyond what the act may have.')
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
