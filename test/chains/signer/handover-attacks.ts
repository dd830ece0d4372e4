import { hashOperation } from '../../../core/chains/acts/pass-on.ts'
import { toTokenId } from '../../support/chains/chain-rig.ts'
import type { Attack } from './attacks.ts'
import { changeIntent, createEnvelope, type Json } from './requests.ts'
import type { Stage } from './stage.ts'

const thief = `0x${'be'.repeat(20)}`

/** Ways to have a token moved that its owner's wallet has not to give, or to have a wallet run code of somebody else. */
export function createHandoverAttacks({
  justified: { passOn },
  contracts,
  claimer,
  bystander,
  issuer,
}: Stage): Attack[] {
  const own = passOn.act as { delegation: Json; until: number }
  const list: Record<string, Json> = {
    'to a thief': { to: thief },
    'to the issuer': { to: issuer ?? '' },
    'back to its owner': { to: claimer },
    'from a thief': { from: thief },
    'from the issuer': { from: issuer ?? '' },
    'from another account': { from: bystander, to: claimer },
    'another token': { tokenId: toTokenId('own 0') },
    'another operation': { operation: hashOperation('invented') },
    'an operation that is done': { operation: hashOperation('first handover') },
    'a later end': { until: own.until + 1 },
    'without an end': { until: 2 ** 40 },
    'in a contract of another application': { contract: contracts.other },
    'in a contract of keys': { contract: contracts.keys },
    'in a contract that is none of ours': { contract: thief },
    'code of a thief': { delegation: { ...own.delegation, contract: thief } },
    'code of a collection': { delegation: { ...own.delegation, contract: contracts.own } },
    'code of nobody': { delegation: { ...own.delegation, contract: contracts.nobody } },
    'code under a nonce below zero': { delegation: { ...own.delegation, nonce: -1 } },
    'more than one code': { delegation: [own.delegation, own.delegation] },
    'with a signature of their own': { signature: '0x00' },
  }
  return Object.entries(list).map(([name, act]) => ({
    group: 'handovers',
    name: `passOn: ${name}`,
    ...createEnvelope(changeIntent(passOn, {}, act)),
  }))
}
