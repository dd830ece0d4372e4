import { decodeAbiParameters, decodeFunctionData, getAddress, type Hex, type SignedAuthorization } from 'viem'
import { anchorsAbi } from '../contracts/anchors.abi.ts'
import { handoversAbi } from '../contracts/handovers.abi.ts'
import { keysAbi } from '../contracts/keys.abi.ts'
import { passportsAbi } from '../contracts/passports.abi.ts'
import { pointsAbi } from '../contracts/points.abi.ts'
import { findDeployedKind } from './bytecode.ts'
import { decodePassOn } from './pass-on.ts'
import { decodePost, parsePointsArguments } from './points.ts'
import type { IntentAct } from '../../signer/intents.ts'

/** The call of a transaction of ours. */
interface ParsedCall {
  receiver: string | null
  data: Hex
  delegations: readonly SignedAuthorization[] | undefined
}

/**
 * Parses what one of our transactions does from its bytes.
 * @param delegations what wallets agree in it to run from now on
 * @param application application whose passports or points a deployment is for
 * @returns null for a deployment of code that is not this version's, because such code is not signed any more
 */
export async function parseIntentAct(
  { receiver, data, delegations }: ParsedCall,
  application: string | null,
): Promise<IntentAct | null> {
  const to = receiver && getAddress(receiver)
  if (to === null || to === '') return parseDeploymentAct(data, application)
  if (data === '0x') return { kind: 'fill' }
  const abi = [...passportsAbi, ...anchorsAbi, ...keysAbi, ...pointsAbi, ...handoversAbi] as const
  const call = decodeFunctionData({ abi, data })
  switch (call.functionName) {
    case 'mint':
      return { kind: 'mint', contract: to, to: call.args[0], tokenId: toWord(call.args[1]) }
    case 'mintBatch': {
      const [issuer, ids] = call.args as readonly [Hex, readonly bigint[]]
      return { kind: 'mintBatch', contract: to, issuer, tokenIds: ids.map(toWord) }
    }
    case 'transferFromBatch': {
      const [receiver, id, batch, index] = call.args
      return {
        kind: 'transfer',
        contract: to,
        to: receiver,
        tokenId: toWord(id),
        batch: Number(batch),
        index: Number(index),
      }
    }
    case 'passOn':
      return decodePassOn(to, call.args, delegations)
    case 'anchor':
      return { kind: 'anchor', contract: to, roots: [call.args[0]] }
    case 'anchorMany':
      return { kind: 'anchor', contract: to, roots: [...call.args[0]] }
    case 'post':
      return decodePost(to, call.args)
    case 'register':
      return { kind: 'registerKey', ...toKeyMembers(to, call.args) }
    case 'rotate':
      return { kind: 'rotateKey', ...toKeyMembers(to, call.args), previous: call.args[2] }
    case 'revoke': {
      const since = Number(call.args[2])
      return { kind: 'revokeKey', ...toKeyMembers(to, call.args), compromisedAt: since === 0 ? null : since }
    }
    default:
      throw new Error(`no sender calls ${call.functionName}`)
  }
}

const toKeyMembers = (contract: string, [organization, key]: readonly [Hex, Hex, ...unknown[]]) => ({
  contract,
  organization: toUuid(organization),
  key,
})

const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Converts an organization's word back to its UUID, as the reverse of `toOrganizationWord`. */
function toUuid(organization: Hex): string {
  const digits = organization.slice(-32)
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  )
}

async function parseDeploymentAct(data: Hex, application: string | null): Promise<IntentAct | null> {
  const found = await findDeployedKind(data)
  if (!found?.current) return null
  if (found.kind === 'anchors' || found.kind === 'keys' || found.kind === 'handovers')
    return { kind: 'deploy', contract: { kind: found.kind } }
  if (application === null) return null
  if (found.kind === 'points')
    return { kind: 'deploy', contract: { kind: 'points', application, ...parsePointsArguments(found.args) } }
  const { name, symbol, baseUri, issuer } = parsePassportsArguments(found.args)
  return { kind: 'deploy', contract: { kind: 'passports', application, name, symbol, baseUri, issuer } }
}

/** Decodes the constructor arguments of a passport collection. */
export function parsePassportsArguments(args: Hex) {
  const [name, symbol, baseUri, issuer, owner, relayer] = decodeAbiParameters(
    [
      { type: 'string' },
      { type: 'string' },
      { type: 'string' },
      { type: 'address' },
      { type: 'address' },
      { type: 'address' },
    ],
    args,
  )
  return { name, symbol, baseUri, issuer, owner, relayer }
}
