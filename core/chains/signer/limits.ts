import type { Network } from '../networks.ts'
import type { IntentAct, Intent } from './intents.ts'
import { createForbiddenError } from './refusal.ts'

/**
 * Maximum cost of a unit of gas on each network, in gwei. The limit is far above what gas ever cost there, and far
 * below what would empty a sender. `<NETWORK>_MAX_FEE_GWEI` sets another limit.
 */
const defaultMaxFeeGwei: Partial<Record<Network, number>> = {
  EthereumAnvil: 10_000,
  BaseSepolia: 1_000,
  BaseMainnet: 500,
  XdcApothem: 2_000,
  XdcMainnet: 2_000,
}

/** Maximum gas of one transaction. Source: EIP-7825. */
const maxGas = 16_777_216n

/** Returns the maximum gas of an act: several times what the act needs. */
function getMaxGas(act: IntentAct): bigint {
  switch (act.kind) {
    case 'fill':
      return 21_000n
    case 'mint':
    case 'transfer':
    case 'passOn':
      return 2_000_000n
    case 'registerKey':
    case 'rotateKey':
    case 'revokeKey':
      return 1_000_000n
    case 'anchor':
      return getMinimum(maxGas, 200_000n + 100_000n * BigInt(act.roots.length))
    case 'mintBatch':
      return getMinimum(maxGas, 600_000n + 30_000n * BigInt(act.tokenIds.length))
    case 'postPoints':
      return getMinimum(maxGas, 150_000n + 60_000n * BigInt(act.operations.length))
    case 'deploy':
      return maxGas
  }
}

/** Throws if fees or gas exceed their limits. @param operatorMaxFeeGwei the operator's own limit, in gwei */
export function assertBoundedFees({ network, fees, gas, act }: Intent, operatorMaxFeeGwei: number | undefined): void {
  const maxFee = BigInt(fees.most)
  const tip = BigInt(fees.tip ?? 0)
  const maxFeeWei = BigInt(operatorMaxFeeGwei ?? defaultMaxFeeGwei[network as Network] ?? 0) * 1_000_000_000n
  if (maxFee > maxFeeWei || tip > maxFee)
    throw createForbiddenError('FEES', 'The fees are beyond what this signer pays on the network.')
  if (BigInt(gas) > getMaxGas(act)) throw createForbiddenError('GAS', 'The gas is beyond what the act may have.')
}

const getMinimum = (a: bigint, b: bigint) => (a < b ? a : b)
