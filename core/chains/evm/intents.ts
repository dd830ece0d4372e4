import { decodeAbiParameters, decodeFunctionData, getAddress, type Hex } from 'viem'
import { anchorsAbi } from './contracts/anchors.abi.ts'
import { keysAbi } from './contracts/keys.abi.ts'
import { passportsAbi } from './contracts/passports.abi.ts'
import { deployedKind } from './deploy.ts'
import type { Act } from '../signer/intents.ts'
import type { Unit } from '../family.ts'

/** A unit as the signer is asked for it. */
export function actOf(unit: Unit): Act {
  switch (unit.kind) {
    case 'mintBatch': return { ...unit, tokenIds: [...unit.tokenIds] }
    case 'anchor': return { ...unit, roots: [...unit.roots] }
    case 'revokeKey': {
      const { compromisedAt } = unit
      return { ...unit, compromisedAt: compromisedAt && Math.floor(compromisedAt.getTime() / 1_000) }
    }
    default: return unit
  }
}

/**
 * What a transaction of ours does, read from its bytes; null for a deployment of other code than this version's, which
 * is not signed any more. @param application whose passports a deployment is for
 */
export async function actIn(receiver: string | null, data: Hex, application: string | null): Promise<Act | null> {
  const to = receiver && getAddress(receiver)
  if (to === null || to === '') return deploymentIn(data, application)
  if (data === '0x') return { kind: 'fill' }
  const call = decodeFunctionData({ abi: [...passportsAbi, ...anchorsAbi, ...keysAbi], data })
  switch (call.functionName) {
    case 'mint': return { kind: 'mint', contract: to, to: call.args[0], tokenId: wordOf(call.args[1]) }
    case 'mintBatch': {
      const [issuer, ids] = call.args as readonly [Hex, readonly bigint[]]
      return { kind: 'mintBatch', contract: to, issuer, tokenIds: ids.map(wordOf) }
    }
    case 'transferFromBatch': {
      const [receiver, id, batch, index] = call.args
      return { kind: 'transfer', contract: to, to: receiver, tokenId: wordOf(id), batch: Number(batch), index: Number(index) }
    }
    case 'anchor': return { kind: 'anchor', contract: to, roots: [call.args[0]] }
    case 'anchorMany': return { kind: 'anchor', contract: to, roots: [...call.args[0]] }
    case 'register': return { kind: 'registerKey', ...keyOf(to, call.args) }
    case 'rotate': return { kind: 'rotateKey', ...keyOf(to, call.args), previous: call.args[2] }
    case 'revoke': {
      const since = Number(call.args[2])
      return { kind: 'revokeKey', ...keyOf(to, call.args), compromisedAt: since === 0 ? null : since }
    }
    default: throw new Error(`no sender calls ${call.functionName}`)
  }
}

const keyOf = (contract: string, [organization, key]: readonly [Hex, Hex, ...unknown[]]) =>
  ({ contract, organization: uuidOf(organization), key })

const wordOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** The reverse of `organizationOf`. */
function uuidOf(organization: Hex): string {
  const digits = organization.slice(-32)
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-')
}

async function deploymentIn(data: Hex, application: string | null): Promise<Act | null> {
  const found = await deployedKind(data)
  if (!found?.current) return null
  if (found.kind !== 'passports') return { kind: 'deploy', contract: { kind: found.kind } }
  if (application === null) return null
  const { name, symbol, baseUri, issuer } = passportsArguments(found.args)
  return { kind: 'deploy', contract: { kind: 'passports', application, name, symbol, baseUri, issuer } }
}

/** What a collection of passports was made with. */
export function passportsArguments(args: Hex) {
  const [name, symbol, baseUri, issuer, owner, relayer] = decodeAbiParameters([
    { type: 'string' }, { type: 'string' }, { type: 'string' }, { type: 'address' }, { type: 'address' }, { type: 'address' },
  ], args)
  return { name, symbol, baseUri, issuer, owner, relayer }
}
