import { getHandoverPart, getHandoverPartOf } from './handovers.ts'
import type { IntentAct } from './intents.ts'
import { getPointsPart, listPointsParts } from './points.ts'
import type { RecordedOperation } from './tables.ts'

/** An act that calls a contract. */
export type ContractAct = Exclude<IntentAct, { kind: 'deploy' } | { kind: 'fill' }>

/** Lists the parts of an act as texts, one for each operation. */
export function listActParts(act: ContractAct): string[] {
  switch (act.kind) {
    case 'mintBatch':
      return act.tokenIds.map((token) => `mintToIssuer ${token}`)
    case 'mint':
      return [`mintTo ${act.tokenId} ${act.to}`]
    case 'transfer':
      return [`transferTo ${act.tokenId} ${act.to}`]
    case 'passOn':
      return [getHandoverPart(act)]
    case 'postPoints':
      return listPointsParts(act)
    case 'anchor':
      return act.roots.map((root) => `anchor ${root}`)
    case 'registerKey':
      return [`registerKey ${act.organization} ${act.key}`]
    case 'rotateKey':
      return [`rotateKey ${act.organization} ${act.key} ${act.previous}`]
    case 'revokeKey':
      return [`revokeKey ${act.organization} ${act.key} ${act.compromisedAt ?? 0}`]
  }
}

/** Returns the text of an operation, in the same form as `listActParts`. */
export function getOperationPart(operation: RecordedOperation): string {
  const { kind, token, recipient, organization, content } = operation
  switch (kind) {
    case 'postPoints':
      return getPointsPart(operation)
    case 'passOn':
      return getHandoverPartOf(operation)
    case 'mintToIssuer':
      return `${kind} ${token}`
    case 'mintTo':
    case 'transferTo':
      return `${kind} ${token} ${recipient}`
    case 'anchor':
      return `${kind} ${content?.['root']}`
    case 'rotateKey':
      return `${kind} ${organization} ${content?.['key']} ${content?.['previous']}`
    case 'revokeKey': {
      const at = content?.['compromisedAt']
      return `${kind} ${organization} ${content?.['key']} ${at ? Math.floor(new Date(at).getTime() / 1_000) : 0}`
    }
    case 'registerKey':
      return `${kind} ${organization} ${content?.['key']}`
    default:
      throw new TypeError(`The signer does not know what ${kind} contains`)
  }
}
